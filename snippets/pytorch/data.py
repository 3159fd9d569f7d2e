"""Feed a model: sources, batches, order, transforms, varying lengths, samplers, files."""

import os
import struct
import traceback

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import (
    ConcatDataset,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    StackDataset,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    random_split,
)

from snippets.common.digits import mnist_folder

# --8<-- [start:complete]
rng = np.random.default_rng(0)
texts = [rng.integers(1, 20, rng.integers(2, 7)).astype(np.int32) for _ in range(10)]
classes = rng.integers(0, 3, 10).astype(np.int64)
embedding = rng.standard_normal((20, 3)).astype(np.float32)


class Texts(Dataset):
    def __len__(self):
        return len(texts)

    def __getitem__(self, index):
        return {"ids": torch.from_numpy(texts[index]), "label": int(classes[index])}


def pad_texts(samples):
    ids = pad_sequence([sample["ids"] for sample in samples], batch_first=True)
    return ids, torch.tensor([sample["label"] for sample in samples])


def make_loader(shuffle):
    return DataLoader(Texts(), batch_size=4, shuffle=shuffle, collate_fn=pad_texts)


table = nn.Embedding.from_pretrained(torch.from_numpy(embedding), freeze=False)
loss_fn = nn.CrossEntropyLoss()


def forward(ids, label):
    mask = (ids != 0).float().unsqueeze(-1)
    return loss_fn((table(ids) * mask).sum(1) / mask.sum(1), label)


optimizer = torch.optim.SGD(table.parameters(), lr=0.5)
losses, shapes = [], []
loader = make_loader(shuffle=False)
for _epoch in range(2):
    for ids, label in loader:
        optimizer.zero_grad()
        loss = forward(ids, label)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        shapes.append(list(ids.shape))
print("batches:", shapes[:3])
print("losses:", [round(value, 4) for value in losses])
# --8<-- [end:complete]

# --8<-- [start:dataset]
features = np.arange(12, dtype=np.float32).reshape(6, 2)
labels = np.array([0, 1, 0, 1, 1, 0], dtype=np.int64)


class Points(Dataset):
    def __len__(self):
        return len(features)

    def __getitem__(self, index):
        return features[index], labels[index]


loader = DataLoader(Points(), batch_size=4)
batches = []
for x, y in loader:
    print(tuple(x.shape), x.dtype, "labels", y.tolist())
    batches.append(y.tolist())
# --8<-- [end:dataset]

# --8<-- [start:arrays]
columns = TensorDataset(torch.from_numpy(features), torch.from_numpy(labels))
loader = DataLoader(columns, batch_size=4)
first_x, first_y = next(iter(loader))
print(first_x.tolist())
print(first_y.tolist())
# --8<-- [end:arrays]

# --8<-- [start:batches]
sizes = {}
for drop in (False, True):
    loader = DataLoader(range(10), batch_size=4, drop_last=drop)
    sizes[drop] = [len(x) for x in loader]
    print(f"drop the rest {drop}: {len(loader)} batches of {sizes[drop]}")
# --8<-- [end:batches]

# --8<-- [start:shuffle_default]
torch.manual_seed(1)
numbers = DataLoader(range(8), batch_size=None)  # nothing said about shuffling
default_order = list(numbers)
print("as it comes:", default_order)
arrays = DataLoader(TensorDataset(torch.arange(8)), batch_size=None)
print("from arrays:", [x.item() for (x,) in arrays])
numbers = DataLoader(range(8), batch_size=None, shuffle=False)
asked_order = list(numbers)
print("asked for:", asked_order)
# --8<-- [end:shuffle_default]

# --8<-- [start:epochs]
torch.manual_seed(7)
numbers = DataLoader(range(8), batch_size=None, shuffle=True)
iterators = [iter(numbers) for _epoch in range(2)]
first, second = (list(iterator) for iterator in iterators)
print("an iterator per epoch:", first, second)
print("for x in the loader:", list(numbers))
new_iterators_repeat = first == second
generator = torch.Generator().manual_seed(7)  # a seed of its own for the loader
numbers = DataLoader(range(8), batch_size=None, shuffle=True, generator=generator)
first, second = (list(numbers) for _ in range(2))
print("the same with a generator:", first, second)
one_iterator_repeats = first == second
# --8<-- [end:epochs]

# --8<-- [start:seeds]
runs = []
for _run in range(2):
    torch.manual_seed(3)
    numbers = DataLoader(range(8), batch_size=None, shuffle=True)
    runs.append([list(numbers) for _ in range(2)])
print("both runs alike:", runs[0] == runs[1])
# --8<-- [end:seeds]

# --8<-- [start:exhausted]
iterator = iter(DataLoader(range(2), batch_size=None))
print("first pass:", list(iterator))
try:
    second_pass = str(list(iterator))
except RuntimeError as error:
    second_pass = type(error).__name__
print("second pass:", second_pass)
# --8<-- [end:exhausted]

# --8<-- [start:columns]
rows = [{"x": [1.0, 2.0], "y": 7}, {"x": [3.0, 4.0], "y": 8}]
loader = DataLoader(rows, batch_size=2)
row = next(iter(loader))
print("columns:", list(row))
print("by name:", type(row["y"]).__name__, row["y"].tolist())
by_name = row["y"].numpy()
print("NumPy:", type(by_name).__name__, by_name.tolist())
# --8<-- [end:columns]


# --8<-- [start:dict_samples]
class Named(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return {"ids": np.int64(index), "label": np.int64(10 * index)}


try:
    named = DataLoader(Named(), batch_size=2)
    dict_samples = str([row["label"].tolist() for row in named])
except RuntimeError as error:
    dict_samples = type(error).__name__
print("samples as dicts:", dict_samples)
# --8<-- [end:dict_samples]


# --8<-- [start:map]
class Mapped(Dataset):
    def __init__(self, source, function):
        self.source, self.function = source, function

    def __len__(self):
        return len(self.source)

    def __getitem__(self, index):
        return self.function(*self.source[index])


pairs = [(1.0, 4.0), (2.0, 5.0), (3.0, 6.0)]
halves = Mapped(pairs, lambda x, y: (x / 2, y))
areas = Mapped(halves, lambda x, y: (y, x * y))
mapped = [list(row) for row in DataLoader(areas, batch_size=None)]
print(mapped)
# --8<-- [end:map]

# --8<-- [start:label_dtype]
logits = torch.zeros(3, 4)
y = next(iter(DataLoader([0, 2, 1], batch_size=3)))
label_dtype = str(y.dtype)
print("labels:", label_dtype)
loss_as_is = f"{nn.CrossEntropyLoss()(logits, y).item():.4f}"
in_bytes = np.array([0, 2, 1], np.uint8)  # as in many files
y = next(iter(DataLoader(in_bytes, batch_size=3))).long()
cast_loss = nn.CrossEntropyLoss()(logits, y).item()
print(f"loss as they are: {loss_as_is}, bytes as {y.dtype}: {cast_loss:.4f}")
# --8<-- [end:label_dtype]

# --8<-- [start:images]
rng = np.random.default_rng(0)
images = rng.integers(0, 256, (2, 4, 5, 3), dtype=np.uint8)  # N, H, W, C
mean, std = torch.tensor([0.5, 0.4, 0.3]), torch.tensor([0.2, 0.2, 0.1])


def prepare(image):
    scaled = torch.from_numpy(image).permute(2, 0, 1).float() / 255
    return (scaled - mean.view(3, 1, 1)) / std.view(3, 1, 1)


prepared = next(iter(DataLoader([prepare(image) for image in images], batch_size=2)))
print(tuple(prepared.shape), prepared.dtype)
print("first pixel:", [round(v, 4) for v in prepared[0, :, 0, 0].tolist()])
# --8<-- [end:images]

# --8<-- [start:augment]
pictures = np.random.default_rng(0).integers(0, 256, (8, 2, 2, 1), dtype=np.uint8)


class Flipped(Dataset):
    def __len__(self):
        return len(pictures)

    def __getitem__(self, index):
        image = torch.from_numpy(pictures[index])
        return image.flip(1) if torch.rand(()) < 0.5 else image


flipped = []
for _run in range(2):
    torch.manual_seed(5)
    drawn = [image.numpy() for image in DataLoader(Flipped(), batch_size=None)]
    flipped.append([bool((a != b).any()) for a, b in zip(drawn, pictures, strict=True)])
some, repeats = 0 < sum(flipped[0]) < 8, flipped[0] == flipped[1]
print("some are flipped:", some)
print("the same ones again:", repeats)
# --8<-- [end:augment]

# --8<-- [start:lengths]
sentences = [np.array(ids, np.int64) for ids in ([5, 6], [7, 8, 9, 4], [3, 2, 1])]


class Sentences(Dataset):
    def __len__(self):
        return len(sentences)

    def __getitem__(self, index):
        return torch.from_numpy(sentences[index]), index


try:
    plain_batch = str(next(iter(DataLoader(Sentences(), batch_size=3))))
except RuntimeError as error:
    plain_batch = type(error).__name__
    print(error)
print("plain batch:", plain_batch)
# --8<-- [end:lengths]


# --8<-- [start:padded]
def pad(samples):
    ids, y = zip(*samples, strict=True)
    return pad_sequence(ids, batch_first=True, padding_value=0), torch.tensor(y)


loader = DataLoader(Sentences(), batch_size=3, collate_fn=pad)
padded, _labels = next(iter(loader))
print(padded)
# --8<-- [end:padded]


# --8<-- [start:mask]
def pad_with_mask(samples):  # a list of samples
    rows = pad_sequence([ids for ids, _y in samples], batch_first=True)
    return rows, (rows != 0).float()


loader = DataLoader(Sentences(), batch_size=3, collate_fn=pad_with_mask)
ids, mask = next(iter(loader))
print(mask)
# --8<-- [end:mask]


# --8<-- [start:collate]
def collate(*arguments):
    (samples,) = arguments  # one list of samples
    rows = pad_sequence([ids for ids, _y in samples], batch_first=True)
    return rows, torch.full((len(rows),), len(arguments))


groups = [[0, 2], [1]]  # sentences of about the same length together
loader = DataLoader(Sentences(), batch_sampler=groups, collate_fn=collate)
grouped = []
for ids, n in loader:
    print(ids.tolist(), "made from arguments:", n[0].item())
    grouped += ids.flatten().tolist()
arguments = n[0].item()
try:
    DataLoader(Sentences(), collate_fn=collate)
    collate_alone = "works"
except ValueError as error:
    collate_alone = type(error).__name__
print("without a batch_sampler:", collate_alone)
# --8<-- [end:collate]

# --8<-- [start:samplers]
letters = np.array([10, 11, 12, 13, 14])
own_order = [x.item() for x in DataLoader(letters, batch_size=None, sampler=[4, 0, 0])]
print("own order:", own_order)
chosen = DataLoader(letters, batch_size=None, sampler=SubsetRandomSampler([1, 3]))
subset_values = sorted(x.item() for x in chosen)
print("random subset, sorted:", subset_values)
# --8<-- [end:samplers]

# --8<-- [start:weighted]
torch.manual_seed(0)
weights = [0.0, 1.0, 3.0, 0.0]
sampler = WeightedRandomSampler(weights, num_samples=200)
drawn_weighted = list(DataLoader(range(4), batch_size=None, sampler=sampler))
print("drawn:", len(drawn_weighted), "with weight only:", set(drawn_weighted) <= {1, 2})

loader = DataLoader(range(4), batch_size=4, sampler=sampler)
epochs = [sum((x.tolist() for x in loader), []) for _epoch in range(2)]
oversampled, drawn_anew = len(epochs[0]), epochs[0] != epochs[1]
print("drawn in batches of 4:", oversampled, "others in the next epoch:", drawn_anew)
# --8<-- [end:weighted]

# --8<-- [start:shards]
shards = []
for rank in range(3):
    sampler = DistributedSampler(range(10), num_replicas=3, rank=rank, shuffle=False)
    shards.append(list(DataLoader(range(10), batch_size=None, sampler=sampler)))
    print("rank", rank, shards[-1])
# --8<-- [end:shards]

# --8<-- [start:split]
torch.manual_seed(0)
train, test = random_split(range(10), [8, 2])
kept, held = (set(DataLoader(part, batch_size=None)) for part in (train, test))
print("sizes:", len(kept), len(held), "in common:", len(kept & held))
source = range(10)
train, test = Subset(source, range(8)), Subset(source, range(8, 10))
last_two = list(DataLoader(test, batch_size=None))
print("in order:", last_two)
# --8<-- [end:split]

# --8<-- [start:split_shuffled]
torch.manual_seed(0)
train, test = random_split(range(10), [8, 2])
loader = DataLoader(test, batch_size=None, shuffle=True)
held_out = [sorted(loader) for _epoch in range(3)]
print("held out in each epoch:", held_out)
loader = DataLoader(Subset(range(10), range(8, 10)), batch_size=None, shuffle=True)
print("with Subset:", [sorted(loader) for _epoch in range(3)])
constant = held_out[0] == held_out[1] == held_out[2]

loader = DataLoader(train, batch_size=None, shuffle=True)
orders = [list(loader) for _epoch in range(2)]
same_samples, new_order = sorted(orders[0]) == sorted(orders[1]), orders[0] != orders[1]
print("training: same samples", same_samples, "in a new order", new_order)
# --8<-- [end:split_shuffled]


# --8<-- [start:combine]
def count(start, stop):
    return list(range(start, stop))


combined = {
    "take": list(Subset(count(0, 5), range(2))),
    "skip": list(Subset(count(0, 5), range(2, 5))),
    "repeat": list(ConcatDataset([count(0, 3)] * 2)),
    "concat": list(ConcatDataset([count(0, 2), count(8, 10)])),
    "zip": [list(pair) for pair in StackDataset(count(0, 2), count(8, 10))],
}
for name, result in combined.items():
    print(f"{name}: {result}")
# --8<-- [end:combine]

# --8<-- [start:reuse]
base = range(10)
train, test = Subset(base, range(8)), Subset(base, range(8, 10))  # of one data set
try:
    print("train:", list(DataLoader(train, batch_size=None)))
    reuse = str(list(DataLoader(test, batch_size=None)))
except ValueError as error:
    reuse = type(error).__name__
    print(error)
print("test:", reuse)
# --8<-- [end:reuse]


# --8<-- [start:stream]
class Lines(IterableDataset):
    def __iter__(self):
        yield from (3, 1, 4, 1, 5)


stream = DataLoader(Lines(), batch_size=None)
passes = [list(stream) for _epoch in range(2)]
print("two passes:", passes)
try:
    length = str(len(stream))
except TypeError as error:
    length = type(error).__name__
print("len():", length)
try:
    shuffled = DataLoader(Lines(), batch_size=None, shuffle=True)
    stream_shuffle = str(list(shuffled))
except ValueError as error:
    stream_shuffle = type(error).__name__
    print(error)
print("shuffle=True:", stream_shuffle)
everything = list(stream)  # a buffer as large as the stream
buffered = sorted(everything[i] for i in torch.randperm(len(everything)))
print("shuffled in a buffer, sorted:", buffered)
# --8<-- [end:stream]


# --8<-- [start:workers]
class Heavy(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return np.sqrt(np.float32(index)), os.getpid() == main_process


main_process = os.getpid()
loader = DataLoader(Heavy(), batch_size=None, num_workers=0)  # 0: no further process
rows = [(float(root), here) for root, here in loader]
roots, same_process = [root for root, _ in rows], all(here for _, here in rows)
print("in order:", roots == sorted(roots))
print("all in this process:", same_process)
print("num_workers by default:", DataLoader(Heavy()).num_workers)
# --8<-- [end:workers]


# --8<-- [start:errors]
class Broken(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index == 3:
            raise ValueError("sample 3 is damaged")
        return (index,)


try:
    list(DataLoader(Broken(), batch_size=None))
except (ValueError, RuntimeError) as error:
    error_class = type(error).__name__
    text = traceback.format_exc()
print("raised:", error_class)
told = [line.strip() for line in text.splitlines() if "damaged" in line]
print("\n".join(told))
# --8<-- [end:errors]

# --8<-- [start:batch_first]
calls = {"each": 0, "batch": 0}


def double_each(samples):
    doubled = []
    for x in samples:
        calls["each"] += 1
        doubled.append(2 * x)
    return torch.tensor(doubled)


def double_batch(samples):
    calls["batch"] += 1
    return 2 * torch.tensor(samples)


each = DataLoader(range(8), batch_size=4, collate_fn=double_each)
whole = DataLoader(range(8), batch_size=4, collate_fn=double_batch)
results = [[x.tolist() for x in loader] for loader in (each, whole)]
print("the same batches:", results[0] == results[1])
print("Python calls:", calls)
# --8<-- [end:batch_first]


# --8<-- [start:idx]
def read_idx(name):
    with open(f"{mnist_folder()}/{name}", "rb") as file:
        data = file.read()
    shape = struct.unpack_from(f">{data[3]}i", data, 4)  # byte 3: how many dimensions
    values = np.frombuffer(data, np.uint8, offset=4 + 4 * data[3])
    return torch.from_numpy(values.reshape(shape).copy())


raw, raw_labels = read_idx("t10k-images-idx3-ubyte"), read_idx("t10k-labels-idx1-ubyte")
idx_dtype = str(raw_labels.dtype)
print("image", list(raw[0].shape), "label", idx_dtype)
test = TensorDataset(raw[:, None].float() / 255, raw_labels.long())
digits, digit_labels = next(iter(DataLoader(test, batch_size=4)))
print(tuple(digits.shape), digits.dtype, f"mean {digits.mean().item():.4f}")
print("labels:", digit_labels.tolist())
# --8<-- [end:idx]

# --8<-- [start:record]
rows = [{"ids": torch.from_numpy(ids), "y": y} for y, ids in enumerate(sentences)]
torch.save(rows, "sentences.pt")

stored = torch.load("sentences.pt", weights_only=True)
read_back = [row["ids"].tolist() for row in DataLoader(stored, batch_size=None)]
print(read_back)
# --8<-- [end:record]

agree = {
    "dataset": sum(batches, []),
    "arrays_x": first_x,
    "arrays_y": first_y,
    "batches_kept": sizes[False],
    "batches_dropped": sizes[True],
    "shuffle_default": "in order" if default_order == asked_order else "shuffled",
    "shuffle_default_off": asked_order,
    "epochs_new_iterator": "same order" if new_iterators_repeat else "new order",
    "epochs_one_iterator": "same order" if one_iterator_repeats else "new order",
    "seeds": runs[0] == runs[1],
    "exhausted": second_pass,
    "columns": by_name,
    "dict_samples": dict_samples,
    "map": mapped,
    "label_dtype": label_dtype.rpartition(".")[2].lower(),
    "label_dtype_loss": loss_as_is,
    "label_dtype_cast": cast_loss,
    "images": prepared,
    "augment_some": some,
    "augment_repeats": repeats,
    "lengths": plain_batch,
    "padded": padded,
    "mask": mask,
    "collate": grouped,
    "collate_arguments": arguments,
    "collate_alone": collate_alone,
    "samplers_order": own_order,
    "samplers_subset": subset_values,
    "weighted_count": len(drawn_weighted),
    "weighted_allowed": set(drawn_weighted) <= {1, 2},
    "weighted_batches": oversampled,
    "weighted_anew": drawn_anew,
    "shards": shards,
    "split_sizes": [len(kept), len(held)],
    "split_common": len(kept & held),
    "split_order": last_two,
    "split_shuffled": "the same samples" if constant else "other samples",
    "split_shuffled_first": constant,
    "split_shuffled_training": [same_samples, new_order],
    "combine_take": combined["take"],
    "combine_skip": combined["skip"],
    "combine_repeat": combined["repeat"],
    "combine_concat": combined["concat"],
    "combine_zip": combined["zip"],
    "reuse": reuse,
    "stream": passes,
    "stream_length": length,
    "stream_shuffle": stream_shuffle,
    "stream_buffered": buffered,
    "workers_roots": roots,
    "workers_same_process": same_process,
    "errors": error_class,
    "errors_lines": len(told),
    "batch_first": results,
    "batch_first_calls": [calls["each"], calls["batch"]],
    "idx_digits": digits,
    "idx_labels": digit_labels,
    "record": sum(read_back, []),
    "complete_shapes": shapes,
    "complete_losses": losses,
}
