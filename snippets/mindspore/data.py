"""Feed a model: sources, batches, order, transforms, varying lengths, samplers, files."""

import inspect
import os

import mindspore
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn
from mindspore.dataset import transforms, vision
from mindspore.mindrecord import FileWriter

from snippets.common.digits import mnist_folder

# --8<-- [start:complete]
mindspore.runtime.launch_blocking()  # before the first operator: quicker here
rng = np.random.default_rng(0)
texts = [rng.integers(1, 20, rng.integers(2, 7)).astype(np.int32) for _ in range(10)]
classes = rng.integers(0, 3, 10).astype(np.int32)
embedding = rng.standard_normal((20, 3)).astype(np.float32)


class Texts:
    def __len__(self):
        return len(texts)

    def __getitem__(self, index):
        return texts[index], classes[index]  # a tuple, labels as int32


def make_loader(shuffle):
    dataset = ds.GeneratorDataset(Texts(), ["ids", "label"], shuffle=shuffle)
    return dataset.padded_batch(4, pad_info={"ids": ([None], 0)})


table = nn.Embedding(20, 3, embedding_table=Tensor(embedding))
loss_fn = nn.CrossEntropyLoss()


def forward(ids, label):
    mask = (ids != 0).astype(mindspore.float32).expand_dims(-1)
    return loss_fn((table(ids) * mask).sum(1) / mask.sum(1), label)


optimizer = nn.SGD(table.trainable_params(), learning_rate=0.5)
grad_fn = mindspore.value_and_grad(forward, None, optimizer.parameters)
losses, shapes = [], []
# One iterator for all epochs.
iterator = make_loader(shuffle=False).create_tuple_iterator(num_epochs=2)
for _epoch in range(2):
    for ids, label in iterator:
        loss, grads = grad_fn(ids, label)
        optimizer(grads)
        losses.append(loss.item())
        shapes.append(list(ids.shape))
print("batches:", shapes[:3])
print("losses:", [round(value, 4) for value in losses])
# --8<-- [end:complete]

# --8<-- [start:dataset]
features = np.arange(12, dtype=np.float32).reshape(6, 2)
labels = np.array([0, 1, 0, 1, 1, 0], dtype=np.int32)


class Points:
    def __len__(self):
        return len(features)

    def __getitem__(self, index):  # NumPy in a tuple, one entry per column
        return features[index], labels[index]


dataset = ds.GeneratorDataset(Points(), ["x", "y"], shuffle=False).batch(4)
batches = []
for x, y in dataset.create_tuple_iterator(num_epochs=1):
    print(x.shape, x.dtype, "labels", y.tolist())
    batches.append(y.tolist())
# --8<-- [end:dataset]

# --8<-- [start:arrays]
columns = {"x": features, "y": labels}
dataset = ds.NumpySlicesDataset(columns, shuffle=False).batch(4)
first_x, first_y = next(dataset.create_tuple_iterator(num_epochs=1))
print(first_x.tolist())
print(first_y.tolist())
# --8<-- [end:arrays]

# --8<-- [start:batches]
sizes = {}
for drop in (False, True):
    dataset = ds.NumpySlicesDataset({"x": np.arange(10)}, shuffle=False)
    dataset = dataset.batch(4, drop_remainder=drop)
    sizes[drop] = [len(x) for (x,) in dataset]
    print(f"drop the rest {drop}: {dataset.get_dataset_size()} batches of {sizes[drop]}")
# --8<-- [end:batches]

# --8<-- [start:shuffle_default]
mindspore.set_seed(1)
numbers = ds.GeneratorDataset(range(8), ["x"])  # nothing said about shuffling
default_order = [x.item() for (x,) in numbers]
print("as it comes:", default_order)
arrays = ds.NumpySlicesDataset(np.arange(8))
print("from arrays:", [x.item() for (x,) in arrays])
numbers = ds.GeneratorDataset(range(8), ["x"], shuffle=False)
asked_order = [x.item() for (x,) in numbers]
print("asked for:", asked_order)
# --8<-- [end:shuffle_default]

# --8<-- [start:epochs]
mindspore.set_seed(7)
numbers = ds.NumpySlicesDataset(np.arange(8), shuffle=True)
iterators = [numbers.create_tuple_iterator(num_epochs=1) for _epoch in range(2)]
first, second = ([x.item() for (x,) in iterator] for iterator in iterators)
print("an iterator per epoch:", first, second)
print("for x in the data set:", [x.item() for (x,) in numbers])
new_iterators_repeat = first == second
iterator = numbers.create_tuple_iterator(num_epochs=2)
first, second = ([x.item() for (x,) in iterator] for _ in range(2))
print("one for all epochs:", first, second)
one_iterator_repeats = first == second
# --8<-- [end:epochs]

# --8<-- [start:seeds]
runs = []
for _run in range(2):
    mindspore.set_seed(3)
    numbers = ds.NumpySlicesDataset(np.arange(8), shuffle=True)
    iterator = numbers.create_tuple_iterator(num_epochs=2)
    runs.append([[x.item() for (x,) in iterator] for _ in range(2)])
print("both runs alike:", runs[0] == runs[1])
# --8<-- [end:seeds]

# --8<-- [start:exhausted]
two = ds.NumpySlicesDataset(np.arange(2), shuffle=False)
iterator = two.create_tuple_iterator(num_epochs=1)
print("first pass:", [x.item() for (x,) in iterator])
try:
    second_pass = str([x.item() for (x,) in iterator])
except RuntimeError as error:
    second_pass = type(error).__name__
    print([line for line in str(error).splitlines() if line.startswith("[ERROR]")][0])
print("second pass:", second_pass)
# --8<-- [end:exhausted]

# --8<-- [start:columns]
columns = {"x": [[1.0, 2.0], [3.0, 4.0]], "y": [7, 8]}
dataset = ds.NumpySlicesDataset(columns, shuffle=False).batch(2)
print("columns:", dataset.get_col_names())
row = next(dataset.create_dict_iterator(num_epochs=1))
print("by name:", type(row["y"]).__name__, row["y"].tolist())
row = next(dataset.create_dict_iterator(num_epochs=1, output_numpy=True))
by_name = row["y"]
print("NumPy:", type(by_name).__name__, by_name.tolist())
# --8<-- [end:columns]


# --8<-- [start:dict_samples]
class Named:
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return {"ids": np.int64(index), "label": np.int64(10 * index)}


try:
    named = ds.GeneratorDataset(Named(), ["ids", "label"], shuffle=False).batch(2)
    dict_samples = str([y.tolist() for _x, y in named])
except RuntimeError as error:
    dict_samples = type(error).__name__
    message = [line for line in str(error).splitlines() if line.startswith("Invalid")][0]
    print(message.replace(", the size", ",\n  the size"))
print("samples as dicts:", dict_samples)
# --8<-- [end:dict_samples]

# --8<-- [start:map]
pairs = {"x": [1.0, 2.0, 3.0], "y": [4.0, 5.0, 6.0]}
dataset = ds.NumpySlicesDataset(pairs, shuffle=False)
dataset = dataset.map(lambda x: x / 2, "x")
dataset = dataset.map(lambda x, y: (x * y, y), ["x", "y"], ["area", "y"])
dataset = dataset.project(["y", "area"])
mapped = [[y.item(), area.item()] for y, area in dataset]
print(mapped)
# --8<-- [end:map]

# --8<-- [start:label_dtype]
logits = Tensor(np.zeros((3, 4), np.float32))
dataset = ds.NumpySlicesDataset({"y": [0, 2, 1]}, shuffle=False)
(y,) = next(iter(dataset.batch(3)))
label_dtype = str(y.dtype)
print("labels:", label_dtype)
try:
    loss_as_is = f"{nn.CrossEntropyLoss()(logits, y).item():.4f}"
except TypeError as error:
    loss_as_is = type(error).__name__
    print(error)
dataset = ds.NumpySlicesDataset({"y": [0, 2, 1]}, shuffle=False)
dataset = dataset.map(transforms.TypeCast(mindspore.int32), "y")
(y,) = next(iter(dataset.batch(3)))
cast_loss = nn.CrossEntropyLoss()(logits, y).item()
print(f"loss as they are: {loss_as_is}, as {y.dtype}: {cast_loss:.4f}")
# --8<-- [end:label_dtype]

# --8<-- [start:images]
rng = np.random.default_rng(0)
images = rng.integers(0, 256, (2, 4, 5, 3), dtype=np.uint8)  # N, H, W, C
mean, std = [0.5, 0.4, 0.3], [0.2, 0.2, 0.1]
prepare = [vision.ToTensor(), vision.Normalize(mean, std, is_hwc=False)]
dataset = ds.NumpySlicesDataset({"image": images}, shuffle=False)
dataset = dataset.map(prepare, "image").batch(2)
(prepared,) = next(iter(dataset))
print(prepared.shape, prepared.dtype)
print("first pixel:", [round(v, 4) for v in prepared[0, :, 0, 0].tolist()])
# --8<-- [end:images]

# --8<-- [start:augment]
pictures = np.random.default_rng(0).integers(0, 256, (8, 2, 2, 1), dtype=np.uint8)
flipped = []
for _run in range(2):
    mindspore.set_seed(5)
    dataset = ds.NumpySlicesDataset({"image": pictures}, shuffle=False)
    flip = vision.RandomHorizontalFlip(0.5)
    dataset = dataset.map(flip, "image", num_parallel_workers=1)
    drawn = [image.asnumpy() for (image,) in dataset]
    flipped.append([bool((a != b).any()) for a, b in zip(drawn, pictures, strict=True)])
some, repeats = 0 < sum(flipped[0]) < 8, flipped[0] == flipped[1]
print("some are flipped:", some)
print("the same ones again:", repeats)
# --8<-- [end:augment]

# --8<-- [start:lengths]
sentences = [np.array(ids, np.int32) for ids in ([5, 6], [7, 8, 9, 4], [3, 2, 1])]


class Sentences:
    def __len__(self):
        return len(sentences)

    def __getitem__(self, index):
        return sentences[index], np.int32(index)


try:
    dataset = ds.GeneratorDataset(Sentences(), ["ids", "y"], shuffle=False).batch(3)
    plain_batch = str(next(iter(dataset)))
except RuntimeError as error:
    plain_batch = type(error).__name__
    print([line for line in str(error).splitlines() if line.startswith("[ERROR]")][0])
print("plain batch:", plain_batch)
try:
    dataset = ds.GeneratorDataset(Sentences(), ["ids", "y"], shuffle=False)
    print(next(iter(dataset.padded_batch(3))))
except RuntimeError as error:
    print("padded_batch without pad_info:", type(error).__name__)
# --8<-- [end:lengths]

# --8<-- [start:padded]
dataset = ds.GeneratorDataset(Sentences(), ["ids", "y"], shuffle=False)
# Per column: the shape, None for the longest in the batch, and the filling value.
dataset = dataset.padded_batch(3, pad_info={"ids": ([None], 0)})
padded, _labels = next(iter(dataset))
print(padded)
# --8<-- [end:padded]


# --8<-- [start:mask]
def pad_with_mask(ids, batch_info):  # one list per column
    longest = max(len(row) for row in ids)
    rows = np.stack([np.pad(row, (0, longest - len(row))) for row in ids])
    return rows, (rows != 0).astype(np.float32)


dataset = ds.GeneratorDataset(Sentences(), ["ids", "y"], shuffle=False).project("ids")
dataset = dataset.batch(3, per_batch_map=pad_with_mask, output_columns=["ids", "mask"])
ids, mask = next(iter(dataset))
print(mask)
# --8<-- [end:mask]


# --8<-- [start:collate]
def collate(*arguments):
    ids, _labels = arguments  # one list per column
    longest = max(len(row) for row in ids)
    rows = np.stack([np.pad(row, (0, longest - len(row))) for row in ids])
    return rows, np.full(len(rows), len(arguments), np.int32)


groups = [[0, 2], [1]]  # sentences of about the same length together
options = {"batch_sampler": groups, "collate_fn": collate}
dataset = ds.GeneratorDataset(Sentences(), ["ids", "n"], **options)
grouped = []
for ids, n in dataset:
    print(ids.tolist(), "made from arguments:", n[0].item())
    grouped += ids.flatten().tolist()
arguments = n[0].item()
try:
    ds.GeneratorDataset(Sentences(), ["ids", "n"], collate_fn=collate)
    collate_alone = "works"
except ValueError as error:
    collate_alone = type(error).__name__
    print(error)
# --8<-- [end:collate]

# --8<-- [start:samplers]
letters = np.array([10, 11, 12, 13, 14])
own_order = [x.item() for (x,) in ds.NumpySlicesDataset(letters, sampler=[4, 0, 0])]
print("own order:", own_order)
chosen = ds.NumpySlicesDataset(letters, sampler=ds.SubsetRandomSampler([1, 3]))
subset_values = sorted(x.item() for (x,) in chosen)
print("random subset, sorted:", subset_values)
# --8<-- [end:samplers]

# --8<-- [start:weighted]
mindspore.set_seed(0)
weights = [0.0, 1.0, 3.0, 0.0]
sampler = ds.WeightedRandomSampler(weights, num_samples=200)
numbers = ds.NumpySlicesDataset(np.arange(4), sampler=sampler)
drawn_weighted = [x.item() for (x,) in numbers]
print("drawn:", len(drawn_weighted), "with weight only:", set(drawn_weighted) <= {1, 2})


class Oversample:  # draws the indices itself, as batches, anew in each epoch
    rng = np.random.default_rng(0)

    def __len__(self):
        return 50

    def __iter__(self):
        for _batch in range(50):
            yield self.rng.choice(4, 4, p=np.array(weights) / sum(weights)).tolist()


dataset = ds.GeneratorDataset(range(4), ["x"], batch_sampler=Oversample())
iterator = dataset.create_tuple_iterator(num_epochs=2)
epochs = [sum((x.tolist() for (x,) in iterator), []) for _epoch in range(2)]
oversampled, drawn_anew = len(epochs[0]), epochs[0] != epochs[1]
print("drawn in batches of 4:", oversampled, "others in the next epoch:", drawn_anew)
# --8<-- [end:weighted]

# --8<-- [start:shards]
shards = []
for rank in range(3):
    options = {"num_shards": 3, "shard_id": rank, "shuffle": False}
    part = ds.NumpySlicesDataset(np.arange(10), **options)
    shards.append([x.item() for (x,) in part])
    print("rank", rank, shards[-1])
# --8<-- [end:shards]

# --8<-- [start:split]
mindspore.set_seed(0)
train, test = ds.NumpySlicesDataset(np.arange(10), shuffle=False).split([8, 2])
kept, held = ({x.item() for (x,) in part} for part in (train, test))
print("sizes:", len(kept), len(held), "in common:", len(kept & held))
source = ds.NumpySlicesDataset(np.arange(10), shuffle=False)
train, test = source.split([8, 2], randomize=False)
last_two = [x.item() for (x,) in test]
print("in order:", last_two)
# --8<-- [end:split]

# --8<-- [start:split_shuffled]
mindspore.set_seed(0)
train, test = ds.NumpySlicesDataset(np.arange(10), shuffle=True).split([8, 2])
iterator = test.create_tuple_iterator(num_epochs=3)
held_out = [sorted(x.item() for (x,) in iterator) for _epoch in range(3)]
print("held out in each epoch:", held_out)
test = ds.NumpySlicesDataset(np.arange(10), shuffle=True).skip(8)
iterator = test.create_tuple_iterator(num_epochs=3)
print("with skip:", [sorted(x.item() for (x,) in iterator) for _epoch in range(3)])
constant = held_out[0] == held_out[1] == held_out[2]

train, test = ds.NumpySlicesDataset(np.arange(10), shuffle=False).split([8, 2])
train = train.shuffle(8)  # the training part only, afterwards
iterator = test.create_tuple_iterator(num_epochs=3)
held_out = [sorted(x.item() for (x,) in iterator) for _epoch in range(3)]
print("split first:", held_out)
constant_split_first = held_out[0] == held_out[1] == held_out[2]
iterator = train.create_tuple_iterator(num_epochs=2)
orders = [[x.item() for (x,) in iterator] for _epoch in range(2)]
same_samples, new_order = sorted(orders[0]) == sorted(orders[1]), orders[0] != orders[1]
print("training: same samples", same_samples, "in a new order", new_order)
# --8<-- [end:split_shuffled]


# --8<-- [start:combine]
def count(start, stop):
    return ds.NumpySlicesDataset({"x": np.arange(start, stop)}, shuffle=False)


combined = {
    "take": [x.item() for (x,) in count(0, 5).take(2)],
    "skip": [x.item() for (x,) in count(0, 5).skip(2)],
    "repeat": [x.item() for (x,) in count(0, 3).repeat(2)],
    "concat": [x.item() for (x,) in count(0, 2) + count(8, 10)],
}
zipped = ds.zip((count(0, 2), count(8, 10).rename("x", "y")))
combined["zip"] = [[x.item(), y.item()] for x, y in zipped]
for name, result in combined.items():
    print(f"{name}: {result}")
# --8<-- [end:combine]

# --8<-- [start:reuse]
base = ds.NumpySlicesDataset({"x": np.arange(10)}, shuffle=False)
train, test = base.take(8), base.skip(8)  # two pipelines over one data set
try:
    print("train:", [x.item() for (x,) in train])
    reuse = str([x.item() for (x,) in test])
except ValueError as error:
    reuse = type(error).__name__
    print(error)
print("test:", reuse)
# --8<-- [end:reuse]


# --8<-- [start:stream]
def lines():
    yield from (3, 1, 4, 1, 5)


stream = ds.GeneratorDataset(lines, ["x"])
passes = [[x.item() for (x,) in stream] for _epoch in range(2)]
print("two passes:", passes)
try:
    length = str(len(stream))
except TypeError as error:
    length = type(error).__name__
print("len():", length)
try:
    shuffled = ds.GeneratorDataset(lines, ["x"], shuffle=True)
    stream_shuffle = str([x.item() for (x,) in shuffled])
except ValueError as error:
    stream_shuffle = type(error).__name__
print("shuffle=True:", stream_shuffle)
buffered = sorted(x.item() for (x,) in ds.GeneratorDataset(lines, ["x"]).shuffle(3))
print("shuffled in a buffer, sorted:", buffered)
# --8<-- [end:stream]


# --8<-- [start:workers]
class Heavy:
    def __len__(self):
        return 6

    def __getitem__(self, index):  # NumPy only: no operator of MindSpore in here
        return np.sqrt(np.float32(index)), os.getpid() == main_process


main_process = os.getpid()
options = {"num_parallel_workers": 2, "python_multiprocessing": False}
dataset = ds.GeneratorDataset(Heavy(), ["root", "here"], shuffle=False, **options)
rows = [(root.item(), here.item()) for root, here in dataset]
roots, same_process = [root for root, _ in rows], all(here for _, here in rows)
print("in order:", roots == sorted(roots))
print("all in this process:", same_process)
defaults = inspect.signature(ds.GeneratorDataset).parameters
for name in options:
    print(name, "by default:", defaults[name].default)
# --8<-- [end:workers]


# --8<-- [start:errors]
class Broken:
    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index == 3:
            raise ValueError("sample 3 is damaged")
        return (np.int64(index),)


try:
    list(ds.GeneratorDataset(Broken(), ["x"], shuffle=False))
except (ValueError, RuntimeError) as error:
    error_class = type(error).__name__
    text = str(error)
print("raised:", error_class)
told = [line.strip() for line in text.splitlines() if "damaged" in line]
print(text.splitlines()[0].strip())
print("\n".join(told))
# --8<-- [end:errors]

# --8<-- [start:batch_first]
calls = {"each": 0, "batch": 0}


def double_each(x):
    calls["each"] += 1
    return 2 * x


def double_batch(x):
    calls["batch"] += 1
    return 2 * x


def source():
    return ds.NumpySlicesDataset({"x": np.arange(8)}, shuffle=False)


each = source().map(double_each, "x").batch(4)
whole = source().batch(4).map(double_batch, "x")
results = [[x.tolist() for (x,) in dataset] for dataset in (each, whole)]
print("the same batches:", results[0] == results[1])
print("Python calls:", calls)
# --8<-- [end:batch_first]

# --8<-- [start:idx]
dataset = ds.MnistDataset(mnist_folder(), "test", num_samples=4, shuffle=False)
idx_dtype = str(dataset.output_types()[1])
print("image", dataset.output_shapes()[0], "label", idx_dtype)
dataset = dataset.map(vision.ToTensor(), "image")
dataset = dataset.map(transforms.TypeCast(mindspore.int32), "label")
digits, digit_labels = next(iter(dataset.batch(4)))
print(digits.shape, digits.dtype, f"mean {digits.mean().item():.4f}")
print("labels:", digit_labels.tolist())
# --8<-- [end:idx]

# --8<-- [start:record]
writer = FileWriter("sentences.mindrecord", shard_num=1, overwrite=True)
schema = {"ids": {"type": "int32", "shape": [-1]}, "y": {"type": "int32"}}
writer.add_schema(schema, "sentences")
writer.write_raw_data([{"ids": ids, "y": y} for y, ids in enumerate(sentences)])
writer.commit()

stored = ds.MindDataset("sentences.mindrecord", columns_list=["ids", "y"], shuffle=False)
read_back = [ids.tolist() for ids, _y in stored]
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
    "split_shuffled_first": constant_split_first,
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
