"""Save weights, load them elsewhere, resume training, and carry weights from one framework to the other."""

import hashlib
import os
import pickle
import stat
import zipfile
from pathlib import Path

import mindspore
import numpy as np
import safetensors.numpy
from mindspore import Parameter, Tensor, load_checkpoint, load_param_into_net, mint, nn, ops, save_checkpoint
from mindspore.dataset import NumpySlicesDataset
from mindspore.train import CheckpointConfig, Model, ModelCheckpoint


# --8<-- [start:save]
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(2, 3)
        self.fc2 = nn.Dense(3, 1)

    def construct(self, x):
        return self.fc2(ops.tanh(self.fc1(x)))


mindspore.runtime.launch_blocking()  # before the first operator: quicker for small models
rng = np.random.default_rng(0)
trained = Net()
for parameter in trained.get_parameters():  # stands for training
    parameter.set_data(Tensor(rng.uniform(-1, 1, parameter.shape).astype(np.float32)))
x = Tensor([[1.0, 2.0], [3.0, -1.0]])

save_checkpoint(trained, "net.ckpt")
model = Net()
result = load_param_into_net(model, load_checkpoint("net.ckpt"))
saved_output = model(x)
print(list(load_checkpoint("net.ckpt")))
print(result)
print("same output:", np.array_equal(saved_output.asnumpy(), trained(x).asnumpy()))
# --8<-- [end:save]

# --8<-- [start:file_mode]
owner_may_write = bool(os.stat("net.ckpt").st_mode & stat.S_IWUSR)
print("the owner may write to the file:", owner_may_write)
save_checkpoint(trained, "net.ckpt")  # the same name again
print("saved again:", len(load_checkpoint("net.ckpt")), "arrays")
# --8<-- [end:file_mode]

# --8<-- [start:safetensors]
save_checkpoint(trained, "net.safetensors", format="safetensors")
weights = load_checkpoint("net.safetensors", format="safetensors")
print(sorted(weights))
print(load_param_into_net(Net(), weights))

arrays = safetensors.numpy.load_file("net.safetensors")  # any program can read it
print(type(arrays["fc1.bias"]).__name__, arrays["fc1.bias"].dtype, arrays["fc1.bias"].shape)
# --8<-- [end:safetensors]

# --8<-- [start:suffix]
try:
    weights = load_checkpoint("net.safetensors")
    suffix_load = "works"
except ValueError as error:
    suffix_load = type(error).__name__
    print(str(error).partition(", but")[0])
print("load by suffix:", suffix_load)

save_checkpoint(trained, "named.safetensors")  # the suffix decides nothing here
suffix_written = next(name for name in os.listdir() if "named" in name)
print("written:", suffix_written)
# --8<-- [end:suffix]

# --8<-- [start:resume]
inputs = Tensor(rng.uniform(-1, 1, (8, 2)).astype(np.float32))
targets = inputs.sum(1, keepdims=True)
loss_fn = nn.MSELoss()


def start():
    model = Net()
    load_param_into_net(model, load_checkpoint("net.ckpt"))
    rates = [0.1] * 3 + [0.05] * 3  # the schedule: one learning rate per step
    return model, nn.Momentum(model.trainable_params(), learning_rate=rates, momentum=0.9)


def train(model, optimizer, steps):
    def forward(inputs, targets):
        return loss_fn(model(inputs), targets)

    grad_fn = mindspore.value_and_grad(forward, None, optimizer.parameters)
    losses = []
    for _step in range(steps):
        loss, grads = grad_fn(inputs, targets)
        optimizer(grads)
        losses.append(round(loss.item(), 6))
    return losses


uninterrupted = train(*start(), steps=6)

model, optimizer = start()
train(model, optimizer, steps=2)
state = {p.name: p for p in [*model.get_parameters(), *optimizer.get_parameters()]}
save_checkpoint(state, "resume.ckpt", append_dict={"epoch": 2})

model, optimizer = start()
saved = load_checkpoint("resume.ckpt")
load_param_into_net(model, saved)
load_param_into_net(optimizer, saved)  # momentum and the place in the schedule
resumed = train(model, optimizer, steps=4)
print("from epoch", saved["epoch"].item())
print("uninterrupted:", uninterrupted[2:])
print("resumed:      ", resumed)
# --8<-- [end:resume]

# --8<-- [start:resume_weights]
model, optimizer = start()
saved = load_checkpoint("resume.ckpt")
load_param_into_net(model, saved)  # optimizer and schedule begin anew
restarted = train(model, optimizer, steps=4)
print("uninterrupted:", uninterrupted[2:])
print("weights only: ", restarted)
# --8<-- [end:resume_weights]

# --8<-- [start:late]
model, optimizer = start()
train(model, optimizer, steps=1)
model.load_state_dict(load_checkpoint("net.ckpt"))  # after a step
loaded_bias = model.fc2.bias.item()
train(model, optimizer, steps=1)
late_moves = model.fc2.bias.item() != loaded_bias
print("loaded after a step, the optimizer moves the weights:", late_moves)

rates = [0.1] * 6
optimizer = nn.Momentum(model.trainable_params(), learning_rate=rates, momentum=0.9)
train(model, optimizer, steps=1)
late_new_optimizer = model.fc2.bias.item() != loaded_bias
print("a new optimizer moves them:", late_new_optimizer)
# --8<-- [end:late]

# --8<-- [start:optimizer_state]
norm_net = nn.SequentialCell(nn.Dense(2, 2), nn.BatchNorm1d(2))
optimizer = nn.Momentum(norm_net.trainable_params(), learning_rate=0.1, momentum=0.9)
state = [parameter.name for parameter in optimizer.get_parameters()]
print(*state)
in_optimizer = [name for name in norm_net.parameters_dict() if name in state]
print("weights among them:", in_optimizer)
print("in the model's state:", *norm_net.state_dict())
# --8<-- [end:optimizer_state]

# --8<-- [start:callback]
dataset_arrays = {"inputs": inputs.asnumpy(), "targets": targets.asnumpy()}
config = CheckpointConfig(save_checkpoint_steps=1, keep_checkpoint_max=2)

files_after = []
for _run in range(2):
    model, optimizer = start()
    dataset = NumpySlicesDataset(dataset_arrays, shuffle=False).batch(8)
    keeper = ModelCheckpoint(prefix="run", directory="runs", config=config)
    Model(model, loss_fn, optimizer).train(3, dataset, callbacks=[keeper])
    files_after.append(sorted(os.listdir("runs")))
    print(files_after[-1], "newest:", Path(keeper.latest_ckpt_file_name).name)
# --8<-- [end:callback]


# --8<-- [start:two_models]
def target_stays(online, target):
    before = target.fc2.bias.item()
    optimizer = nn.SGD(online.trainable_params(), learning_rate=0.1)
    train(online, optimizer, steps=1)
    return target.fc2.bias.item() == before


weights = load_checkpoint("net.ckpt")
online, target = Net(), Net()
for net in (online, target):
    load_param_into_net(net, weights)
two_models_apart = target_stays(online, target)
print("one dict, the target stayed:", two_models_apart)
saved_bias = load_checkpoint("net.ckpt")["fc2.bias"]
two_models_dict = weights["fc2.bias"].item() == saved_bias.item()
print("and the dict stayed:", two_models_dict)

online, target = Net(), Net()
for net in (online, target):
    load_param_into_net(net, load_checkpoint("net.ckpt"))
two_models_read_twice = target_stays(online, target)
print("read twice, the target stayed:", two_models_read_twice)

weights = load_checkpoint("net.ckpt")
online, target = Net(), Net()
for net in (online, target):
    net.load_state_dict(weights)  # copies
two_models_copied = target_stays(online, target)
print("load_state_dict, the target stayed:", two_models_copied)
# --8<-- [end:two_models]

# --8<-- [start:best]
model, optimizer = start()
live = model.parameters_dict()
best = {name: parameter.copy() for name, parameter in live.items()}
before = model.fc2.bias.item()
train(model, optimizer, steps=1)
best_live = live["fc2.bias"].item() == before
best_copied = best["fc2.bias"].item() == before
print("parameters_dict kept:", "unchanged" if best_live else "follows the training")
print("copies kept:", "unchanged" if best_copied else "follow the training")
# --8<-- [end:best]

# --8<-- [start:strict]
weights = load_checkpoint("net.ckpt")
renamed = {name.replace("fc1", "layer1"): value for name, value in weights.items()}
strict_missing, strict_unexpected = load_param_into_net(Net(), renamed, strict_load=True)
strict = "works"
print("missing:", strict_missing)
print("unexpected:", strict_unexpected)
try:
    Net().load_state_dict(renamed)
    strict_method = "works"
except RuntimeError as error:
    strict_method = type(error).__name__
    print(strict_method, *[line.strip() for line in str(error).splitlines()[1:]], sep="\n")
# --8<-- [end:strict]

# --8<-- [start:guess]
pair = nn.CellDict({"encoder": nn.Dense(2, 2), "decoder": nn.Dense(2, 2)})
save_checkpoint(pair, "pair.ckpt")
alone = nn.Dense(2, 2)
missing, unexpected = load_param_into_net(alone, load_checkpoint("pair.ckpt"))
print("missing:", missing)
guess_encoder = np.array_equal(alone.weight.asnumpy(), pair["encoder"].weight.asnumpy())
print("holds the encoder's weights:", guess_encoder)
alone = nn.Dense(2, 2)
missing, unexpected = load_param_into_net(alone, load_checkpoint("pair.ckpt"), strict_load=True)
print("missing, strict:", missing)
# --8<-- [end:guess]

# --8<-- [start:select]
without_head = load_checkpoint("net.ckpt", choice_func=lambda name: not name.startswith("fc2"))
print(list(without_head))

model = Net()
untouched, left_over = load_param_into_net(model, without_head)
print("not in the file:", untouched, "left over:", left_over)
for parameter in model.fc1.get_parameters():
    parameter.requires_grad = False
trainable = [parameter.name for parameter in model.trainable_params()]
print("trainable:", trainable)
# --8<-- [end:select]

# --8<-- [start:head_shape]
wider = Net()
wider.fc2 = nn.Dense(3, 10)
try:
    load_param_into_net(wider, weights)
    head_shape = "works"
except RuntimeError as error:
    head_shape = type(error).__name__
    print(head_shape, str(error).partition(".May")[0])
# --8<-- [end:head_shape]


# --8<-- [start:wrapped]
class Classifier(nn.Cell):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone


backbone = Net()
classifier = Classifier(backbone)
wrapped_names = [parameter.name for parameter in backbone.get_parameters()]
print(wrapped_names)

wrapped_missing, _unexpected = load_param_into_net(backbone, weights)
print("not loaded:", wrapped_missing)
backbone.load_state_dict(weights)  # goes by the place in the backbone, not by the name
wrapped_output = backbone(x)
print("same output:", np.array_equal(wrapped_output.asnumpy(), trained(x).asnumpy()))
# --8<-- [end:wrapped]

# --8<-- [start:prefix]
classifier = Classifier(Net())
prefixed = {f"backbone.{name}": value for name, value in weights.items()}
missing, unexpected = load_param_into_net(classifier, prefixed)
print("missing:", missing, "unexpected:", unexpected)
prefix_output = classifier.backbone(x)
print("same output:", np.array_equal(prefix_output.asnumpy(), trained(x).asnumpy()))
# --8<-- [end:prefix]


# --8<-- [start:buffer]
class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(2, 2)
        self.register_buffer("scale", ops.zeros(2))


scaled = Scaled()
scaled.scale[:] = Tensor([3.0, 4.0])
save_checkpoint(scaled, "scaled.ckpt")
buffer_saved = sorted(load_checkpoint("scaled.ckpt"))
print("in the file:", buffer_saved)

save_checkpoint(scaled.state_dict(), "whole.ckpt")  # buffers included
fresh = Scaled()
load_param_into_net(fresh, load_checkpoint("whole.ckpt"))
buffer_param_into_net = fresh.scale.tolist()
print("after load_param_into_net:", buffer_param_into_net)
fresh.load_state_dict(load_checkpoint("whole.ckpt"))
buffer_loaded = fresh.scale.tolist()
print("after load_state_dict:", buffer_loaded)
# --8<-- [end:buffer]


# --8<-- [start:tied]
class Tied(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 2)
        self.head = nn.Dense(2, 4, has_bias=False)
        self.head.weight = self.embed.embedding_table


tied = Tied()
save_checkpoint(tied, "tied.ckpt")
tied_names = list(load_checkpoint("tied.ckpt"))
print(tied_names)
try:
    save_checkpoint(tied, "tied.safetensors", format="safetensors")
    tied_saved = "works"
except RuntimeError as error:
    tied_saved = type(error).__name__
print("as safetensors:", tied_saved)
fresh = Tied()
print(load_param_into_net(fresh, load_checkpoint("tied.safetensors", format="safetensors")))
still_tied = fresh.head.weight is fresh.embed.embedding_table
print("still tied:", still_tied)
# --8<-- [end:tied]


# --8<-- [start:dtype]
def converted(dtype):
    return {name: Parameter(value.astype(dtype), name=name) for name, value in weights.items()}


half = converted(mindspore.float16)
model = Net()
load_param_into_net(model, half)
loaded_dtype = str(model.fc1.weight.dtype)
print("float16 into float32:", loaded_dtype)
try:
    load_param_into_net(Net(), half, strict_load=True)
    dtype_strict = "works"
except RuntimeError as error:
    dtype_strict = type(error).__name__
print("the same, strict:", dtype_strict)

integers = converted(mindspore.int32)
try:
    load_param_into_net(Net(), integers)
    dtype_integers = "works"
except RuntimeError as error:
    dtype_integers = type(error).__name__
print("integers into float32:", dtype_integers)
# --8<-- [end:dtype]

# --8<-- [start:keep_dtype]
model = Net()
for parameter in model.get_parameters():
    parameter.set_dtype(mindspore.float16)
load_param_into_net(model, half, strict_load=True)
kept_dtype = str(model.fc1.weight.dtype)
print(kept_dtype)
# --8<-- [end:keep_dtype]


# --8<-- [start:untrusted]
class Surprise:
    def __reduce__(self):  # what the unpickler is told to call
        return print, ("code from the file ran",)


Path("untrusted.ckpt").write_bytes(pickle.dumps({"weight": Surprise()}))
try:
    load_checkpoint("untrusted.ckpt")  # protobuf, never unpickled
    untrusted = "works"
except ValueError as error:
    untrusted = type(error).__name__
    print(untrusted, str(error).partition(". ")[2])
# --8<-- [end:untrusted]

# --8<-- [start:damaged]
save_checkpoint(trained, "sound.ckpt", crc_check=True)
digest = hashlib.sha256(Path("sound.ckpt").read_bytes()).hexdigest()
content = bytearray(Path("sound.ckpt").read_bytes())
Path("cut.ckpt").write_bytes(content[: len(content) // 2])
try:
    load_checkpoint("cut.ckpt")
    damaged_cut = "works"
except ValueError as error:
    damaged_cut = type(error).__name__
    print("half a file:", damaged_cut, str(error).partition(". ")[2].partition(",")[0])

place = content.find(trained.fc1.weight.asnumpy().tobytes())
content[place + 3] ^= 0x40  # one bit in an exponent
Path("flipped.ckpt").write_bytes(content)
value = load_checkpoint("flipped.ckpt")["fc1.weight"][0, 0].item()
print(f"one bit changed: {trained.fc1.weight[0, 0].item():.4f} becomes {value:.4g}")
try:
    load_checkpoint("flipped.ckpt", crc_check=True)
except ValueError as error:
    print("crc_check=True:", type(error).__name__)
flipped_digest = hashlib.sha256(content).hexdigest()
print("same SHA-256:", flipped_digest == digest)
# --8<-- [end:damaged]


# --8<-- [start:names]
class Words(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 3)
        self.norm = nn.LayerNorm((3,), epsilon=1e-5)  # PyTorch's; the default is smaller
        self.bn = nn.BatchNorm1d(3)
        self.fc = nn.Dense(3, 2)

    def construct(self, ids):
        return self.fc(self.bn(self.norm(self.embed(ids))))


layer_names = {}
for name in Words().parameters_dict():
    layer, _, kind = name.rpartition(".")
    layer_names.setdefault(layer, []).append(kind)
for layer, kinds in layer_names.items():
    print(layer, sorted(kinds))
names_lstm = [parameter.name for parameter in nn.LSTM(2, 3).get_parameters()]
print("LSTM", names_lstm)
mint_norm = mint.nn.BatchNorm1d(3)
names_mint = sorted(mint_norm.parameters_dict())
print("mint BatchNorm1d", names_mint)
mint_layers = [mint.nn.Embedding(4, 3), mint.nn.LayerNorm(3), mint.nn.Linear(3, 2)]
names_mint_others = [sorted(layer.parameters_dict()) for layer in mint_layers]
print("mint Embedding, LayerNorm, Linear", *names_mint_others)
try:
    mint_norm(ops.ones((2, 3))).asnumpy()
    names_mint_run = "works"
except RuntimeError as error:
    names_mint_run = type(error).__name__
    print(names_mint_run, str(error).splitlines()[0])
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
OTHER_NAME = {
    "gamma": "weight",
    "beta": "bias",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
    "embedding_table": "weight",
}


def torch_name(name):  # unambiguous in this direction only
    layer, dot, kind = name.rpartition(".")
    return layer + dot + OTHER_NAME.get(kind, kind)


def load_torch_weights(net, file):
    weights = load_checkpoint(file, format="safetensors")
    return net.load_state_dict({name: weights[torch_name(name)] for name in net.parameters_dict()})


words = Words()
print(load_torch_weights(words, "words.safetensors"))
words.set_train(False)
ids = Tensor([0, 3])
across_output = words(ids)
print(across_output.asnumpy().round(4).tolist())
# --8<-- [end:across]

# --8<-- [start:counter]
weights = load_checkpoint("words.safetensors", format="safetensors")
used = [torch_name(name) for name in words.parameters_dict()]
counter_left_over = [name for name in weights if name not in used]
print("file with it, left over:", counter_left_over)
# --8<-- [end:counter]

# --8<-- [start:pth]
with zipfile.ZipFile("words.pth", "w") as archive:  # a .pth: a zip archive around a pickle
    archive.writestr("words/data.pkl", pickle.dumps(sorted(drawn)))
Path("renamed.ckpt").write_bytes(Path("words.pth").read_bytes())
for file in ("words.pth", "renamed.ckpt"):
    try:
        load_checkpoint(file)
        pth = "works"
    except ValueError as error:
        pth = type(error).__name__
        print(pth, str(error).replace(os.getcwd() + "/", ""))

fresh = Words()
load_torch_weights(fresh, "words.safetensors")  # as converted where PyTorch is installed
fresh.set_train(False)
pth_output = fresh(ids)
print("same output:", np.array_equal(pth_output.asnumpy(), across_output.asnumpy()))
# --8<-- [end:pth]

# --8<-- [start:back]
rewritten = {torch_name(name): value.asnumpy() for name, value in words.parameters_dict().items()}
safetensors.numpy.save_file(rewritten, "back.safetensors")
fresh = Words()
fresh.set_train(False)
print(load_torch_weights(fresh, "back.safetensors"))
back_output = fresh(ids)
print("same output:", np.array_equal(back_output.asnumpy(), across_output.asnumpy()))
# --8<-- [end:back]

# --8<-- [start:conv1d]
weight = Tensor([[[1.0, 2.0, 3.0]]])
conv = nn.Conv1d(1, 1, 3, pad_mode="valid", has_bias=False)
conv1d_shape = list(conv.weight.shape)
conv1d_mint_shape = list(mint.nn.Conv1d(1, 1, 3).weight.shape)
print("weight shape:", conv1d_shape, "in mint:", conv1d_mint_shape)
conv.weight.set_data(weight.expand_dims(2))  # as it comes from PyTorch, it is refused
conv1d_output = conv(ops.ones((1, 1, 4)))
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
states = [safetensors.numpy.load_file(file) for file in files]
mean = {name: np.mean([s[name] for s in states], axis=0, dtype=np.float32) for name in states[0]}
averaged = Words()
names = averaged.parameters_dict()
averaged.load_state_dict({name: Tensor(mean[torch_name(name)]) for name in names})
average_bias = averaged.fc.bias
print("bias:", average_bias.asnumpy().round(4).tolist())
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
    "late_new_optimizer": late_new_optimizer,
    "optimizer_state": in_optimizer,
    "callback_files": [len(names) for names in files_after],
    "two_models": two_models_apart,
    "two_models_dict": two_models_dict,
    "two_models_read_twice": two_models_read_twice,
    "two_models_copied": two_models_copied,
    "best_live": best_live,
    "best_copied": best_copied,
    "strict": strict,
    "strict_method": strict_method,
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
    "names_mint": names_mint,
    "names_mint_others": sum(names_mint_others, []),
    "names_mint_run": names_mint_run,
    "names_linear": sorted(layer_names["fc"]),
    "shared_file": list(drawn),
    "across": across_output,
    "counter": counter_left_over,
    "pth": pth,
    "pth_output": pth_output,
    "back": back_output,
    "conv1d_shape": conv1d_shape,
    "conv1d_mint_shape": conv1d_mint_shape,
    "conv1d_output": conv1d_output,
    "compare": list(apart.values()),
    "average": average_bias,
}
