"""Save weights, load them elsewhere, resume training, and carry weights from one framework to the other."""

import hashlib
import os
import pickle
import stat
import zipfile
from pathlib import Path

import numpy as np
import safetensors.numpy
import safetensors.torch
import torch
from torch import nn


# --8<-- [start:save]
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(2, 3)
        self.fc2 = nn.Linear(3, 1)

    def forward(self, x):
        return self.fc2(torch.tanh(self.fc1(x)))


rng = np.random.default_rng(0)
trained = Net()
with torch.no_grad():
    for parameter in trained.parameters():  # stands for training
        parameter.copy_(torch.from_numpy(rng.uniform(-1, 1, parameter.shape)))
x = torch.tensor([[1.0, 2.0], [3.0, -1.0]])

torch.save(trained.state_dict(), "net.pth")
model = Net()
result = model.load_state_dict(torch.load("net.pth", weights_only=True))
saved_output = model(x)
print(list(torch.load("net.pth", weights_only=True)))
print(result)
print("same output:", torch.equal(saved_output, trained(x)))
# --8<-- [end:save]

# --8<-- [start:file_mode]
owner_may_write = bool(os.stat("net.pth").st_mode & stat.S_IWUSR)
print("the owner may write to the file:", owner_may_write)
torch.save(trained.state_dict(), "net.pth")  # the same name again
print("saved again:", len(torch.load("net.pth", weights_only=True)), "arrays")
# --8<-- [end:file_mode]

# --8<-- [start:safetensors]
safetensors.torch.save_file(trained.state_dict(), "net.safetensors")
weights = safetensors.torch.load_file("net.safetensors")
print(sorted(weights))
print(Net().load_state_dict(weights))

arrays = safetensors.numpy.load_file("net.safetensors")  # any program can read it
print(type(arrays["fc1.bias"]).__name__, arrays["fc1.bias"].dtype, arrays["fc1.bias"].shape)
# --8<-- [end:safetensors]

# --8<-- [start:suffix]
try:
    weights = torch.load("net.safetensors", weights_only=True)
    suffix_load = "works"
except RuntimeError as error:
    suffix_load = type(error).__name__
print("load by suffix:", suffix_load)

torch.save(trained.state_dict(), "named.safetensors")  # the suffix decides nothing here
suffix_written = "zip archive" if zipfile.is_zipfile("named.safetensors") else "safetensors"
print("named.safetensors is a", suffix_written)
# --8<-- [end:suffix]

# --8<-- [start:resume]
inputs = torch.from_numpy(rng.uniform(-1, 1, (8, 2)).astype(np.float32))
targets = inputs.sum(1, keepdim=True)


def start():
    model = Net()
    model.load_state_dict(torch.load("net.pth", weights_only=True))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    return model, optimizer, torch.optim.lr_scheduler.MultiStepLR(optimizer, [3], gamma=0.5)


def train(model, optimizer, scheduler, steps):
    losses = []
    for _step in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(round(loss.item(), 6))
    return losses


uninterrupted = train(*start(), steps=6)

model, optimizer, scheduler = start()
train(model, optimizer, scheduler, steps=2)
state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
torch.save({**state, "scheduler": scheduler.state_dict(), "epoch": 2}, "resume.pth")

model, optimizer, scheduler = start()
saved = torch.load("resume.pth", weights_only=True)
model.load_state_dict(saved["model"])
optimizer.load_state_dict(saved["optimizer"])
scheduler.load_state_dict(saved["scheduler"])
resumed = train(model, optimizer, scheduler, steps=4)
print("from epoch", saved["epoch"])
print("uninterrupted:", uninterrupted[2:])
print("resumed:      ", resumed)
# --8<-- [end:resume]

# --8<-- [start:resume_weights]
model, optimizer, scheduler = start()
saved = torch.load("resume.pth", weights_only=True)
model.load_state_dict(saved["model"])  # optimizer and schedule begin anew
restarted = train(model, optimizer, scheduler, steps=4)
print("uninterrupted:", uninterrupted[2:])
print("weights only: ", restarted)
# --8<-- [end:resume_weights]

# --8<-- [start:late]
model, optimizer, scheduler = start()
train(model, optimizer, scheduler, steps=1)
model.load_state_dict(torch.load("net.pth", weights_only=True))  # after a step
loaded_bias = model.fc2.bias.item()
train(model, optimizer, scheduler, steps=1)
late_moves = model.fc2.bias.item() != loaded_bias
print("loaded after a step, the optimizer moves the weights:", late_moves)
# --8<-- [end:late]

# --8<-- [start:optimizer_state]
norm_net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
optimizer = torch.optim.SGD(norm_net.parameters(), lr=0.1, momentum=0.9)
norm_net(inputs).sum().backward()
optimizer.step()
state = optimizer.state_dict()
held = [value for entry in state["state"].values() for value in entry.values()]
print(list(state), "for the first weight:", list(state["state"][0]))
in_optimizer = [
    name
    for name, weight in norm_net.state_dict().items()
    if any(value.data_ptr() == weight.data_ptr() for value in held)
]
print("weights among them:", in_optimizer)
print("in the model's state:", *norm_net.state_dict())
# --8<-- [end:optimizer_state]


# --8<-- [start:callback]
def save_epoch(model, folder, epoch, keep=2):  # PyTorch ships no such callback
    Path(folder).mkdir(exist_ok=True)
    torch.save(model.state_dict(), f"{folder}/run-{epoch}.pth")
    Path(f"{folder}/run-{epoch - keep}.pth").unlink(missing_ok=True)


files_after = []
for _run in range(2):
    model, optimizer, scheduler = start()
    for epoch in range(1, 4):
        train(model, optimizer, scheduler, steps=1)
        save_epoch(model, "runs", epoch)
    files_after.append(sorted(os.listdir("runs")))
    print(files_after[-1], f"newest: run-{epoch}.pth")
# --8<-- [end:callback]


# --8<-- [start:two_models]
def target_stays(online, target):
    before = target.fc2.bias.item()
    optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
    train(online, optimizer, scheduler, steps=1)
    return target.fc2.bias.item() == before


weights = torch.load("net.pth", weights_only=True)
online, target = Net(), Net()
for net in (online, target):
    net.load_state_dict(weights)
two_models_apart = target_stays(online, target)
print("one dict, the target stayed:", two_models_apart)
saved_bias = torch.load("net.pth", weights_only=True)["fc2.bias"]
two_models_dict = weights["fc2.bias"].item() == saved_bias.item()
print("and the dict stayed:", two_models_dict)
# --8<-- [end:two_models]

# --8<-- [start:best]
model, optimizer, scheduler = start()
live = model.state_dict()
best = {name: value.clone() for name, value in live.items()}
before = model.fc2.bias.item()
train(model, optimizer, scheduler, steps=1)
best_live = live["fc2.bias"].item() == before
best_copied = best["fc2.bias"].item() == before
print("state_dict kept:", "unchanged" if best_live else "follows the training")
print("copies kept:", "unchanged" if best_copied else "follow the training")
# --8<-- [end:best]

# --8<-- [start:strict]
renamed = {name.replace("fc1", "layer1"): value for name, value in trained.state_dict().items()}
try:
    Net().load_state_dict(renamed)  # strict=True
    strict = "works"
except RuntimeError as error:
    strict = type(error).__name__
    print(strict, *[line.strip() for line in str(error).splitlines()[1:]], sep="\n")
strict_missing, strict_unexpected = Net().load_state_dict(renamed, strict=False)
print("missing:", strict_missing)
print("unexpected:", strict_unexpected)
# --8<-- [end:strict]

# --8<-- [start:guess]
pair = nn.ModuleDict({"encoder": nn.Linear(2, 2), "decoder": nn.Linear(2, 2)})
torch.save(pair.state_dict(), "pair.pth")
alone = nn.Linear(2, 2)
try:
    alone.load_state_dict(torch.load("pair.pth", weights_only=True), strict=False)
    alone.load_state_dict(torch.load("pair.pth", weights_only=True))
    guess = "works"
except RuntimeError as error:
    guess = type(error).__name__
    print(guess, str(error).splitlines()[1].strip())
guess_encoder = torch.equal(alone.weight, pair["encoder"].weight)
print("holds the encoder's weights:", guess_encoder)
# --8<-- [end:guess]

# --8<-- [start:select]
weights = torch.load("net.pth", weights_only=True)
without_head = {name: value for name, value in weights.items() if not name.startswith("fc2")}
print(list(without_head))

model = Net()
untouched, left_over = model.load_state_dict(without_head, strict=False)
print("not in the file:", untouched, "left over:", left_over)
for parameter in model.fc1.parameters():
    parameter.requires_grad = False
trainable = [name for name, parameter in model.named_parameters() if parameter.requires_grad]
print("trainable:", trainable)
# --8<-- [end:select]

# --8<-- [start:head_shape]
wider = Net()
wider.fc2 = nn.Linear(3, 10)
try:
    wider.load_state_dict(weights, strict=False)
    head_shape = "works"
except RuntimeError as error:
    head_shape = type(error).__name__
    print(head_shape, str(error).splitlines()[1].strip())
# --8<-- [end:head_shape]


# --8<-- [start:wrapped]
class Classifier(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone


backbone = Net()
classifier = Classifier(backbone)
wrapped_names = [name for name, _parameter in backbone.named_parameters()]
print(wrapped_names)

result = backbone.load_state_dict(weights)
wrapped_missing = list(result.missing_keys)
print("not loaded:", wrapped_missing)
wrapped_output = backbone(x)
print("same output:", torch.equal(wrapped_output, trained(x)))
# --8<-- [end:wrapped]

# --8<-- [start:prefix]
classifier = Classifier(Net())
prefixed = {f"backbone.{name}": value for name, value in weights.items()}
missing, unexpected = classifier.load_state_dict(prefixed)
print("missing:", missing, "unexpected:", unexpected)
prefix_output = classifier.backbone(x)
print("same output:", torch.equal(prefix_output, trained(x)))
# --8<-- [end:prefix]


# --8<-- [start:buffer]
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.register_buffer("scale", torch.zeros(2))


scaled = Scaled()
scaled.scale[:] = torch.tensor([3.0, 4.0])
torch.save(scaled.state_dict(), "scaled.pth")
buffer_saved = sorted(torch.load("scaled.pth", weights_only=True))
print("in the file:", buffer_saved)

fresh = Scaled()
fresh.load_state_dict(torch.load("scaled.pth", weights_only=True))
buffer_loaded = fresh.scale.tolist()
print("after loading:", buffer_loaded)
# --8<-- [end:buffer]


# --8<-- [start:tied]
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 2)
        self.head = nn.Linear(2, 4, bias=False)
        self.head.weight = self.embed.weight


tied = Tied()
torch.save(tied.state_dict(), "tied.pth")
tied_names = list(torch.load("tied.pth", weights_only=True))
print(tied_names)
try:
    safetensors.torch.save_file(tied.state_dict(), "tied.safetensors")
    tied_saved = "works"
except RuntimeError as error:
    tied_saved = type(error).__name__
    print(tied_saved, str(error).strip().partition(",")[0])
safetensors.torch.save_model(tied, "tied.safetensors")  # one copy, and load_model puts it back
fresh = Tied()
safetensors.torch.load_model(fresh, "tied.safetensors")
still_tied = fresh.head.weight is fresh.embed.weight
print("still tied:", still_tied)
# --8<-- [end:tied]

# --8<-- [start:dtype]
half = {name: value.half() for name, value in weights.items()}
model = Net()
model.load_state_dict(half)
loaded_dtype = str(model.fc1.weight.dtype)
print("float16 into float32:", loaded_dtype)
try:
    Net().load_state_dict(half, strict=True)
    dtype_strict = "works"
except RuntimeError as error:
    dtype_strict = type(error).__name__
print("the same, strict:", dtype_strict)

integers = {name: value.int() for name, value in weights.items()}
try:
    Net().load_state_dict(integers)
    dtype_integers = "works"
except RuntimeError as error:
    dtype_integers = type(error).__name__
print("integers into float32:", dtype_integers)
# --8<-- [end:dtype]

# --8<-- [start:keep_dtype]
model = Net().half()
model.load_state_dict(half)
kept_dtype = str(model.fc1.weight.dtype)
print(kept_dtype)
print(Net().load_state_dict(half, assign=True))  # takes the tensors of the file, dtype included
# --8<-- [end:keep_dtype]


# --8<-- [start:untrusted]
class Surprise:
    def __reduce__(self):  # what the unpickler is told to call
        return print, ("code from the file ran",)


torch.save({"weight": Surprise()}, "untrusted.pth")
try:
    torch.load("untrusted.pth")  # weights_only=True is the default
    untrusted = "works"
except pickle.UnpicklingError as error:
    untrusted = type(error).__name__
    reason = str(error).partition("WeightsUnpickler error: ")[2]
    print(untrusted, reason.partition(" by default")[0])
torch.load("untrusted.pth", weights_only=False)
# --8<-- [end:untrusted]

# --8<-- [start:damaged]
torch.save(trained.state_dict(), "sound.pth")
digest = hashlib.sha256(Path("sound.pth").read_bytes()).hexdigest()
content = bytearray(Path("sound.pth").read_bytes())
Path("cut.pth").write_bytes(content[: len(content) // 2])
try:
    torch.load("cut.pth", weights_only=True)
    damaged_cut = "works"
except RuntimeError as error:
    damaged_cut = type(error).__name__
    print("half a file:", damaged_cut, str(error).partition(":")[0])

place = content.find(trained.fc1.weight.detach().numpy().tobytes())
content[place + 3] ^= 0x40  # one bit in an exponent
Path("flipped.pth").write_bytes(content)
value = torch.load("flipped.pth", weights_only=True)["fc1.weight"][0, 0].item()
print(f"one bit changed: {trained.fc1.weight[0, 0].item():.4f} becomes {value:.4g}")
print("zip checksum finds:", zipfile.ZipFile("flipped.pth").testzip())
flipped_digest = hashlib.sha256(content).hexdigest()
print("same SHA-256:", flipped_digest == digest)
# --8<-- [end:damaged]


# --8<-- [start:names]
class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 3)
        self.norm = nn.LayerNorm(3)
        self.bn = nn.BatchNorm1d(3)
        self.fc = nn.Linear(3, 2)

    def forward(self, ids):
        return self.fc(self.bn(self.norm(self.embed(ids))))


layer_names = {}
for name in Words().state_dict():
    layer, _, kind = name.rpartition(".")
    layer_names.setdefault(layer, []).append(kind)
for layer, kinds in layer_names.items():
    print(layer, sorted(kinds))
names_lstm = [name for name, _parameter in nn.LSTM(2, 3).named_parameters()]
print("LSTM", names_lstm)
# --8<-- [end:names]

# --8<-- [start:shared_file]
rng = np.random.default_rng(1)
shapes = {"embed.weight": (4, 3), "norm.weight": 3, "norm.bias": 3}
shapes |= {"fc.weight": (2, 3), "fc.bias": 2}
shapes |= {f"bn.{kind}": 3 for kind in ("weight", "bias", "running_mean", "running_var")}
drawn = {name: rng.uniform(0.5, 1.5, shape).astype(np.float32) for name, shape in shapes.items()}
drawn["bn.num_batches_tracked"] = np.array(7)
safetensors.numpy.save_file(drawn, "words.safetensors")
print(len(drawn), "arrays under PyTorch's names")
# --8<-- [end:shared_file]

# --8<-- [start:across]
words = Words()
print(words.load_state_dict(safetensors.torch.load_file("words.safetensors")))
words.eval()
ids = torch.tensor([0, 3])
with torch.inference_mode():
    across_output = words(ids)
print(across_output.numpy().round(4).tolist())
# --8<-- [end:across]

# --8<-- [start:counter]
kept = [name for name in drawn if "num_batches" not in name]
without = {name: torch.from_numpy(drawn[name]) for name in kept}
print("file without the counter:", Words().load_state_dict(without))
fresh = Words()
result = fresh.load_state_dict(safetensors.torch.load_file("words.safetensors"))
counter_left_over = result.unexpected_keys
print("file with it, left over:", counter_left_over)
print("counter:", fresh.bn.num_batches_tracked.item())
# --8<-- [end:counter]

# --8<-- [start:pth]
torch.save(words.state_dict(), "words.pth")

# No code from the file runs here, and what is written holds names and numbers only.
state = torch.load("words.pth", map_location="cpu", weights_only=True)
state = {name: value.contiguous().clone() for name, value in state.items()}
safetensors.torch.save_file(state, "converted.safetensors")
pth = "works"
print(len(state), "arrays converted")

fresh = Words().eval()
fresh.load_state_dict(safetensors.torch.load_file("converted.safetensors"))
with torch.inference_mode():
    pth_output = fresh(ids)
print("same output:", torch.equal(pth_output, across_output))
# --8<-- [end:pth]

# --8<-- [start:back]
# The file that the other tab writes: PyTorch's names, and no counter.
converted = safetensors.torch.load_file("converted.safetensors")
rewritten = {name: value for name, value in converted.items() if "num_batches" not in name}
safetensors.torch.save_file(rewritten, "back.safetensors")
fresh = Words().eval()
print(fresh.load_state_dict(safetensors.torch.load_file("back.safetensors")))
with torch.inference_mode():
    back_output = fresh(ids)
print("same output:", torch.equal(back_output, across_output))
# --8<-- [end:back]

# --8<-- [start:conv1d]
weight = torch.tensor([[[1.0, 2.0, 3.0]]])
conv = nn.Conv1d(1, 1, 3, bias=False)
conv1d_shape = list(conv.weight.shape)
print("weight shape:", conv1d_shape)
conv.load_state_dict({"weight": weight})
conv1d_output = conv(torch.ones(1, 1, 4))
print(conv1d_output.flatten().tolist())
# --8<-- [end:conv1d]

# --8<-- [start:compare]
one = safetensors.numpy.load_file("words.safetensors")
other = {**one, "fc.bias": one["fc.bias"] + np.float32(0.25)}
safetensors.numpy.save_file(other, "other.safetensors")
other = safetensors.numpy.load_file("other.safetensors")
apart = {name: float(np.abs(one[name] - other[name]).max()) for name in one}
print("same names:", one.keys() == other.keys())
print("furthest apart:", {name: value for name, value in apart.items() if value > 0})
# --8<-- [end:compare]

# --8<-- [start:average]
files = ["words.safetensors", "other.safetensors"]
states = [safetensors.torch.load_file(file) for file in files]
mean = {name: torch.stack([s[name] for s in states]).float().mean(0) for name in states[0]}
averaged = Words()
averaged.load_state_dict(mean)
average_bias = averaged.fc.bias.detach()
print("bias:", average_bias.numpy().round(4).tolist())
# --8<-- [end:average]


def dtype_name(name):
    return name.rpartition(".")[2].lower()


agree = {
    "save_output": saved_output,
    "save_names": list(trained.state_dict()),
    "file_mode": owner_may_write,
    "safetensors_names": sorted(arrays),
    "safetensors_bias": arrays["fc1.bias"],
    "suffix_load": suffix_load,
    "suffix_written": suffix_written,
    "resume_uninterrupted": uninterrupted,
    "resume_resumed": resumed,
    "resume_epoch": saved["epoch"],
    "resume_weights": restarted,
    "late": late_moves,
    "late_new_optimizer": late_moves,
    "optimizer_state": in_optimizer,
    "callback_files": [len(names) for names in files_after],
    "two_models": two_models_apart,
    "two_models_dict": two_models_dict,
    "two_models_read_twice": two_models_apart,
    "two_models_copied": two_models_apart,
    "best_live": best_live,
    "best_copied": best_copied,
    "strict": strict,
    "strict_method": strict,
    "strict_missing": strict_missing,
    "strict_unexpected": strict_unexpected,
    "guess": guess_encoder,
    "select_names": list(without_head),
    "select_missing": untouched,
    "select_trainable": trainable,
    "head_shape": head_shape,
    "wrapped_names": wrapped_names,
    "wrapped_missing": wrapped_missing,
    "wrapped_output": wrapped_output,
    "prefix_output": prefix_output,
    "buffer_saved": buffer_saved,
    "buffer_loaded": buffer_loaded,
    "tied_names": tied_names,
    "tied_safetensors": tied_saved,
    "tied_after": still_tied,
    "dtype_loaded": dtype_name(loaded_dtype),
    "dtype_strict": dtype_strict,
    "dtype_integers": dtype_integers,
    "keep_dtype": dtype_name(kept_dtype),
    "untrusted": untrusted,
    "damaged_cut": damaged_cut,
    "damaged_bit": value,
    "damaged_digest": flipped_digest == digest,
    "names_embedding": sorted(layer_names["embed"]),
    "names_layer_norm": sorted(layer_names["norm"]),
    "names_batch_norm": sorted(layer_names["bn"]),
    "names_lstm": names_lstm,
    "names_mint": sorted(layer_names["bn"]),
    "names_mint_others": sum((sorted(layer_names[layer]) for layer in ("embed", "norm", "fc")), []),
    "names_mint_run": "works",
    "names_linear": sorted(layer_names["fc"]),
    "shared_file": list(drawn),
    "across": across_output,
    "counter": counter_left_over,
    "pth": pth,
    "pth_output": pth_output,
    "back": back_output,
    "conv1d_shape": conv1d_shape,
    "conv1d_mint_shape": conv1d_shape,
    "conv1d_output": conv1d_output,
    "compare": list(apart.values()),
    "average": average_bias,
}
