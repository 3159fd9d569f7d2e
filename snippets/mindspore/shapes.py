"""Shapes, indexing and dtypes on the same inputs in both frameworks."""

import textwrap

import mindspore
import numpy as np
from mindspore import Tensor, mint, nn, ops

# --8<-- [start:shape]
mindspore.runtime.launch_blocking()  # before the first operator
x = ops.arange(6).reshape(2, 3)
print("shape:", x.shape, "dimensions:", x.ndim, "elements:", x.numel())
try:
    size = str(list(x.size()))
except TypeError as error:
    size = type(error).__name__
    print(error)
print("x.size():", size)
shape_type = type(x.shape).__name__
print("type of the shape:", shape_type)
batch, features = x.shape
print("unpacked:", batch, features)
# --8<-- [end:shape]

# --8<-- [start:reshape]
tall = x.reshape(3, 2)
viewed = x.view(-1)  # -1 is worked out
print(tall)
print(viewed)
try:
    impossible = str(tuple(x.reshape(4, 2).shape))
except (RuntimeError, ValueError) as error:
    impossible = type(error).__name__
    print(impossible, str(error).splitlines()[0])
# --8<-- [end:reshape]

# --8<-- [start:flatten]
images = ops.zeros((2, 3, 4))
flat = list(ops.flatten(images).shape)
flat_method = list(images.flatten().shape)
everything = list(mint.flatten(images).shape)  # PyTorch's default
per_image = list(ops.flatten(images, start_dim=1).shape)
layer = list(nn.Flatten()(images).shape)
print("function:", flat)
print("method:", flat_method)
print("everything:", everything)
print("start_dim=1:", per_image)
print("nn.Flatten:", layer)
# --8<-- [end:flatten]

# --8<-- [start:view_transposed]
turned = x.T
try:
    of_transposed = turned.view(6).tolist()
except RuntimeError as error:
    of_transposed = type(error).__name__
    print(str(error).splitlines()[0][:88])
print("view:", of_transposed)
reshaped = turned.reshape(6)
print("reshape:", reshaped.tolist())
# --8<-- [end:view_transposed]

# --8<-- [start:transpose]
pictures = ops.arange(24).reshape(2, 3, 4)
swapped = pictures.transpose(0, 1)
as_function = mint.transpose(pictures, 0, 1)
swapped_axes = pictures.swapaxes(0, 1)
channels_last = pictures.permute(0, 2, 1)
matrices = pictures.mT  # the last two axes
print("transpose(0, 1):", swapped.shape)
print("function:", as_function.shape)
print("swapaxes(0, 1):", swapped_axes.shape)
print("permute(0, 2, 1):", channels_last.shape)
print("mT:", matrices.shape)
# --8<-- [end:transpose]

# --8<-- [start:transpose_all]
try:
    all_axes = str(list(pictures.transpose(2, 0, 1).shape))
except TypeError as error:
    all_axes = type(error).__name__
print("transpose(2, 0, 1):", all_axes)
try:
    two_axes = str(list(ops.transpose(pictures, 0, 1).shape))
except TypeError as error:
    two_axes = type(error).__name__
print("the function with two axes:", two_axes)
# --8<-- [end:transpose_all]

# --8<-- [start:squeeze]
thin = ops.zeros((1, 3, 1))
squeezed = [list(t.shape) for t in (thin.squeeze(), thin.squeeze(0), thin.squeeze(1))]
print("squeeze(), squeeze(0), squeeze(1):", squeezed)
another = list(x.expand_dims(0).shape)
unsqueezed = [list(t.shape) for t in (x.unsqueeze(0), x.unsqueeze(-1), x[:, None])]
print("unsqueeze(0), unsqueeze(-1), [:, None]:", unsqueezed)
print("another spelling of unsqueeze(0):", another)
# --8<-- [end:squeeze]

# --8<-- [start:join]
joined = mint.cat((x, x + 10), dim=1)
stacked = ops.stack((x, x + 10))
print(joined)
print("stack:", stacked.shape)
keywords = {}
for keyword in ("dim", "axis"):
    try:
        ops.cat((x, x), **{keyword: 1})
        keywords[keyword] = "works"
    except TypeError as error:
        keywords[keyword] = type(error).__name__
        print(error)
    print(f"cat(…, {keyword}=1):", keywords[keyword])
# --8<-- [end:join]

# --8<-- [start:split]
numbers = ops.arange(7)
by_size = [part.tolist() for part in ops.split(numbers, 3)]
by_sizes = [part.tolist() for part in ops.split(numbers, [1, 2, 4])]
chunks = [part.tolist() for part in ops.chunk(numbers, 3)]
at_places = [part.tolist() for part in ops.tensor_split(numbers, (2, 5))]
print("split(x, 3), parts of three:", by_size)
print("split(x, [1, 2, 4]), sizes:", by_sizes)
print("chunk(x, 3), three parts:", chunks)
print("tensor_split(x, (2, 5)), places:", at_places)
# --8<-- [end:split]

# --8<-- [start:repeat]
row = ops.arange(3)
try:
    repeated = row.repeat(2).tolist()
except RuntimeError as error:
    repeated = type(error).__name__
    print(error)
print("repeat(2):", repeated)
tiled = ops.tile(row, (2,))
each = ops.repeat_interleave(row, 2)
print("tile:", tiled.tolist())
print("repeat_interleave:", each.tolist())
# --8<-- [end:repeat]

# --8<-- [start:expand]
expanded = row.expand(2, 3)
broadcast = ops.broadcast_to(row, (2, 3))
print(expanded)
try:
    total = str(list((ops.zeros((2, 3)) + ops.zeros((2,))).shape))
except (RuntimeError, ValueError) as error:
    total = type(error).__name__
    print(total, textwrap.fill(str(error).splitlines()[0], 76), sep="\n")
columns = ops.zeros((2, 3)) + ops.ones((2,))[:, None]
print(columns)
# --8<-- [end:expand]

# --8<-- [start:meshgrid]
rows, cols = ops.meshgrid(ops.arange(2), ops.arange(3), indexing="ij")
print("indexing named:", rows.shape)
default_grid = list(ops.meshgrid(ops.arange(2), ops.arange(3))[0].shape)
print("default:", default_grid)
# --8<-- [end:meshgrid]

# --8<-- [start:slices]
numbers = ops.arange(6)
taken = [numbers[::2].tolist(), numbers[-2:].tolist(), numbers[2:100].tolist()]
print("[::2], [-2:], [2:100]:", taken)
cube = ops.arange(24).reshape(2, 3, 4)
print("[..., 0]:", cube[..., 0].shape, "[None]:", cube[None].shape)
mask_pick = x[x > 2]
pair_pick = x[[0, 1], [1, 2]]
print("a mask:", mask_pick.tolist())
print("two lists, pair by pair:", pair_pick.tolist())
# --8<-- [end:slices]

# --8<-- [start:backwards]
try:
    backwards = numbers[::-1].tolist()
except ValueError as error:
    backwards = type(error).__name__
    print(error)
print("[::-1]:", backwards)
try:
    flipped_number = numbers.flip(0).tolist()
except TypeError as error:
    flipped_number = type(error).__name__
print("flip(0):", flipped_number)
flipped = numbers.flip((0,))
print("flip((0,)):", flipped.tolist())
# --8<-- [end:backwards]

# --8<-- [start:roll]
try:
    rolled = ops.roll(numbers, 2).tolist()
except RuntimeError as error:
    rolled = type(error).__name__
    print(str(error).splitlines()[0])
print("roll by 2:", rolled)
rolled_numpy = mindspore.numpy.roll(numbers, 2)
print("mindspore.numpy.roll:", rolled_numpy.tolist())
rolled_by_hand = ops.cat((numbers[-2:], numbers[:-2]))
print("by hand:", rolled_by_hand.tolist())
# --8<-- [end:roll]

# --8<-- [start:out_of_range]
outside = {}
for name, index in {"number": 9, "list": [0, 9], "tensor": Tensor([0, 9])}.items():
    try:
        outside[name] = str(numbers[index].tolist())
    except (IndexError, RuntimeError) as error:
        outside[name] = type(error).__name__
    print(f"read with a {name}:", outside[name])
written = ops.zeros((3,))
try:
    written[Tensor([9])] = 1.0
    outside["write"] = "works"
except (IndexError, ValueError) as error:
    outside["write"] = type(error).__name__
print("write with a tensor:", outside["write"])
# --8<-- [end:out_of_range]

# --8<-- [start:assign]
canvas = ops.zeros((2, 3))
canvas[0] = Tensor([1.0, 2.0, 3.0])
canvas[:, 1] = 9.0
canvas[canvas == 0] = -1.0
canvas[Tensor([1]), Tensor([2])] = 7.0
print(canvas)
counts = ops.zeros((3,))
counts[[0, 0, 1]] += 1.0  # index 0 stands twice and counts once
print(counts)
# --8<-- [end:assign]

# --8<-- [start:accumulate]
places, values = Tensor([0, 0, 1]), Tensor([1.0, 2.0, 3.0])
try:
    added = ops.zeros((3,)).scatter_add(0, places, values).tolist()
except RuntimeError as error:
    added = type(error).__name__
    print(str(error).splitlines()[0])
print("scatter_add:", added)
try:
    index_added = ops.zeros((3,)).index_add(0, places, values).tolist()
except TypeError as error:
    index_added = type(error).__name__
print("index_add, int64 index:", index_added)
accumulated = ops.zeros((3,)).index_add(0, places.int(), values)
print("index_add, int32 index:", accumulated.tolist())
table, columns = ops.zeros((2, 2)), Tensor([[0, 0], [1, 0]])
elements = ops.tensor_scatter_elements(table, columns, ops.ones((2, 2)), 1, "add")
print("element by element:", elements.tolist())
# --8<-- [end:accumulate]

# --8<-- [start:gather]
index = Tensor([[0, 2], [1, 0]])
try:
    ops.gather(x, 1, index)  # PyTorch's order
    literal = "works"
except TypeError as error:
    literal = type(error).__name__
    print(textwrap.fill(str(error).splitlines()[0], 76))
gathered = list(ops.gather(x, index, 1).shape)  # picks whole columns
print("gather:", gathered)
per_row = ops.gather_elements(x, 1, index)
print("one index per element:", per_row.tolist())
as_method = x.gather(1, index)
print("as a method:", as_method.tolist())
picked_columns = ops.index_select(x, 1, Tensor([2, 0]))
print("whole columns:", picked_columns.tolist())
# --8<-- [end:gather]

# --8<-- [start:scatter]
updates = Tensor([[1.0, 2.0], [3.0, 4.0]])
scattered = ops.zeros((2, 3)).scatter(1, index, updates)
print(scattered)
one_hot = ops.zeros((2, 3)).scatter(1, Tensor([[2], [0]]), ops.ones((2, 1)))
print(one_hot)
# --8<-- [end:scatter]

# --8<-- [start:where]
chosen = ops.where(x > 2, x, 0)
filled = x.masked_fill(x > 2, -1)
found = ops.nonzero(x > 3)
print("where:", chosen.tolist())
print("masked_fill:", filled.tolist())
print("nonzero:", found.tolist())
try:
    found_tuple = [part.tolist() for part in ops.where(x > 3)]
except TypeError as error:
    found_tuple = type(error).__name__
print("where(condition):", found_tuple)
by_column = [part.tolist() for part in ops.nonzero(x > 3).T]
print("nonzero, by column:", by_column)
# --8<-- [end:where]

# --8<-- [start:sort]
scores = Tensor([3.0, 1.0, 2.0])
ordered, order = ops.sort(scores)
top, top_index = ops.topk(scores, 2)
print(ordered.tolist(), order.tolist(), top.tolist(), top_index.tolist())
print("dtype of the indices:", order.dtype, top_index.dtype)
best = ops.argmax(Tensor([[1.0, 3.0], [4.0, 2.0]]), dim=1)
print("argmax:", best.tolist(), best.dtype)
# --8<-- [end:sort]

# --8<-- [start:unique]
repeating = Tensor([3, 1, 2, 1])
unique = ops.unique(repeating)[0]
print("unique:", unique.tolist())
distinct, places = ops.unique(repeating)  # always both
print("with places:", distinct.tolist(), places.tolist())
sorted_unique = ops.sort(ops.unique(repeating)[0])[0]
print("in order:", sorted_unique.tolist())
# --8<-- [end:unique]

# --8<-- [start:norm]
matrix = Tensor([[1.0, 2.0], [3.0, 4.0]])
norm_2 = ops.norm(matrix, 2)
print("norm(matrix, 2):", f"{norm_2.item():.4f}")
plain = ops.norm(matrix)
print("norm(matrix):", f"{plain.item():.4f}")
flattened = ops.norm(matrix.flatten(), 2)
print("flattened first:", f"{flattened.item():.4f}")
row_norms = ops.norm(matrix, 2, dim=1)
print("rows:", [f"{v:.4f}" for v in row_norms.tolist()])
# --8<-- [end:norm]

# --8<-- [start:keepdim]
floats = x.float()
kept = {}
for name, call in {
    "sum(dim, keepdim)": lambda: floats.sum(dim=1, keepdim=True),
    "sum(axis, keepdims)": lambda: floats.sum(axis=1, keepdims=True),
    "mean(dim, keepdim)": lambda: floats.mean(dim=1, keepdim=True),
    "softmax(dim)": lambda: floats.softmax(dim=1),
    "softmax(axis)": lambda: floats.softmax(axis=1),
    "functional softmax(dim)": lambda: mint.nn.functional.softmax(floats, dim=1),
}.items():
    try:
        kept[name] = str(list(call().shape))
    except TypeError as error:
        kept[name] = type(error).__name__
    print(f"{name}: {kept[name]}")
# --8<-- [end:keepdim]

# --8<-- [start:sums]
small = Tensor([100, 100], dtype=mindspore.int8)
flags = Tensor([True, True, False])
int8_sum, bool_sum = small.sum(), flags.sum()
print("sum of int8:", int8_sum.item(), int8_sum.dtype)
print("sum of bool:", bool_sum.item(), bool_sum.dtype)
share = flags.float().mean()
print("share of True:", f"{share.item():.4f}")
running = ops.cumsum(Tensor([1, 2], dtype=mindspore.int32), 0)
print("cumsum of int32:", running.tolist(), running.dtype)
histogram = ops.bincount(Tensor([0, 1, 1]))
print("bincount:", histogram.tolist(), histogram.dtype)
# --8<-- [end:sums]

# --8<-- [start:bool_arithmetic]
yes, no = Tensor([True, True]), Tensor([True, False])
plus, times = yes + no, yes * no
print("+", plus.tolist(), "*", times.tolist())
try:
    minus = str((yes - no).tolist())
except RuntimeError as error:
    minus = type(error).__name__
    print(str(error).splitlines()[0][:60])
print("-", minus)
logic = [(yes & no).tolist(), (yes | no).tolist(), (~no).tolist()]
print("&, |, ~:", logic)
# --8<-- [end:bool_arithmetic]

# --8<-- [start:casts]
cut = Tensor([1.7, -1.7]).to(mindspore.int32)
wrapped = Tensor([200, -1]).to(mindspore.int8)
unsigned = Tensor([300, -1]).to(mindspore.uint8)
nan_as_bool = Tensor([float("nan"), 0.5, 0.0]).to(mindspore.bool_)
nan_as_int = Tensor([float("nan")]).to(mindspore.int32)
print("towards zero:", cut.tolist())
print("int64 to int8:", wrapped.tolist())
print("int64 to uint8:", unsigned.tolist())
print("to bool:", nan_as_bool.tolist())
print("NaN to int32, on this CPU:", nan_as_int.item())
# --8<-- [end:casts]

# --8<-- [start:overflow]
byte = Tensor([250], dtype=mindspore.uint8) + Tensor([10], dtype=mindspore.uint8)
signed = Tensor([127], dtype=mindspore.int8) + Tensor([1], dtype=mindspore.int8)
print("uint8 250 + 10:", byte.item(), "int8 127 + 1:", signed.item())
mixed = Tensor([1], dtype=mindspore.uint8) + Tensor([1], dtype=mindspore.int8)
print("uint8 + int8:", mixed.dtype)
try:
    too_large = (Tensor([1], dtype=mindspore.uint8) + 300).item()
except RuntimeError as error:
    too_large = type(error).__name__
    print(str(error).splitlines()[0])
print("uint8 + 300:", too_large)
# --8<-- [end:overflow]

# --8<-- [start:division]
signed_pair = Tensor([-7, 7])
floor, remainder = signed_pair // 2, signed_pair % 3
true_division = signed_pair / 2
truncated = ops.div(signed_pair, 2, rounding_mode="trunc")
c_remainder = ops.fmod(signed_pair, 3)
print("//", floor.tolist(), "%", remainder.tolist(), "/", true_division.tolist())
print("towards zero:", truncated.tolist(), "fmod:", c_remainder.tolist())
one, two = Tensor([1]), Tensor([2])
calls = {"1 // 0": lambda: one // 0, "2 ** -1": lambda: two**-1}
outcomes = {}
for name, call in calls.items():
    try:
        outcomes[name] = str(call().item())
    except (RuntimeError, ZeroDivisionError) as error:
        outcomes[name] = type(error).__name__
    print(f"{name}: {outcomes[name]}")
# --8<-- [end:division]

# --8<-- [start:integer_math]
try:
    exponential = f"{ops.exp(Tensor([1])).item():.4f}"
except TypeError as error:
    exponential = type(error).__name__
    print(str(error).splitlines()[0])
print("exp of an integer:", exponential)
as_float = ops.exp(Tensor([1]).float())
print("exp of a float:", f"{as_float.item():.4f}")
# --8<-- [end:integer_math]

# --8<-- [start:compare]
left, right = Tensor([1, 2]), Tensor([1.0, 2.5])
print("==:", (left == right).tolist(), "<:", (left < right).tolist())
whole = ops.equal(left, left)
whole_type = type(whole).__name__
print("equal() returns a", whole_type)
same = bool((left == left).all())
close = mint.allclose(right, right + 1e-9)
print("all equal:", same, "all close:", close)
try:
    truth = str(bool(left > 0))
except (RuntimeError, ValueError) as error:
    truth = type(error).__name__
    print(str(error).splitlines()[0])
# --8<-- [end:compare]

# --8<-- [start:numpy_functions]
mixed_in = Tensor([1.0, 2.0])
numpy_calls = {}
for name in ("exp", "sum", "mean", "concatenate"):
    try:
        argument = (mixed_in, mixed_in) if name == "concatenate" else mixed_in
        numpy_calls[name] = type(getattr(np, name)(argument)).__name__
    except TypeError as error:
        numpy_calls[name] = type(error).__name__
    print(f"np.{name}: {numpy_calls[name]}")
grad_fn = mindspore.grad(lambda leaf: Tensor(np.exp(leaf)).sum())
through_numpy = str(grad_fn(mixed_in).tolist())
print("gradient through np.exp:", through_numpy)
safe = np.mean(mixed_in.asnumpy())
print("converted first:", safe)
# --8<-- [end:numpy_functions]

# --8<-- [start:dtype_facts]
kinds = [Tensor([1.0]).is_floating_point(), Tensor([1]).is_floating_point()]
print("floating point:", kinds)
largest = float(np.finfo(Tensor([1.0], mindspore.float16).asnumpy().dtype).max)
smallest_int = np.iinfo(np.int8).min
print("float16 up to:", largest, "int8 from:", smallest_int)
name = str(Tensor([1.0]).dtype)
print("str(dtype):", name)
print("numpy dtype:", Tensor([1.0]).asnumpy().dtype)
# --8<-- [end:dtype_facts]

# --8<-- [start:pad]
block = ops.ones((1, 2))
padded = ops.pad(block, (1, 0, 0, 2), value=5.0)  # left, right, top, bottom
print(padded)
mirrored = ops.pad(Tensor([[[1.0, 2.0, 3.0]]]), (1, 1), mode="reflect")
print(mirrored)
# --8<-- [end:pad]

# --8<-- [start:interpolate]
picture = Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
nearest = ops.interpolate(picture, size=(3, 3))
bilinear = ops.interpolate(picture, size=(3, 3), mode="bilinear")
aligned = ops.interpolate(picture, size=(4, 4), mode="bilinear", align_corners=True)
print("bilinear, first row:", bilinear[0, 0, 0].tolist())
print("align_corners, first row:", [f"{v:.4f}" for v in aligned[0, 0, 0].tolist()])
try:
    doubled = str(list(ops.interpolate(picture, scale_factor=2.0, mode="bilinear").shape))
except ValueError as error:
    doubled = type(error).__name__
    print(textwrap.fill(str(error), 76))
print("scale_factor:", doubled)
options = {"scale_factor": 2.0, "recompute_scale_factor": True}
by_factor = ops.interpolate(picture, mode="bilinear", **options)
print("recomputed:", by_factor.shape)
# --8<-- [end:interpolate]

# --8<-- [start:bicubic]
cubic = ops.interpolate(picture, size=(4, 4), mode="bicubic")
first_row = [f"{v:.4f}" for v in cubic[0, 0, 0].tolist()]
print("bicubic, first row:", first_row)
cubic_aligned = ops.interpolate(picture, size=(4, 4), mode="bicubic", align_corners=True)
first_row_aligned = [f"{v:.4f}" for v in cubic_aligned[0, 0, 0].tolist()]
print("align_corners:", first_row_aligned)
# --8<-- [end:bicubic]

# --8<-- [start:einsum]
a = ops.arange(6.0).reshape(2, 3)
for einsum in (mint.einsum, ops.einsum):
    try:
        product = einsum("ij,kj->ik", a, a).tolist()
    except (NotImplementedError, RuntimeError) as error:
        product = type(error).__name__
        print(str(error)[max(0, str(error).find("Unsupported")) :].partition(",")[0])
print("einsum:", product)
by_matmul = a @ a.T
print("matmul:", by_matmul.tolist())
batched = ops.bmm(a.reshape(2, 1, 3), a.reshape(2, 3, 1)).reshape(2)  # "ij,ij->i"
print("batched:", batched.tolist())
# --8<-- [end:einsum]


def dtype_name(dtype):
    return str(dtype).rpartition(".")[2].lower()


agree = {
    "shape": list(x.shape),
    "shape_size": size,
    "shape_type": shape_type,
    "reshape": tall,
    "reshape_view": viewed,
    "reshape_impossible": impossible,
    "flatten_function": str(flat),
    "flatten_method": flat_method,
    "flatten_all": everything,
    "flatten_start_dim": per_image,
    "flatten_layer": layer,
    "view_transposed": str(of_transposed),
    "view_transposed_reshape": reshaped,
    "transpose": swapped,
    "transpose_function": as_function,
    "transpose_swapaxes": swapped_axes,
    "transpose_permute": channels_last,
    "transpose_mt": matrices,
    "transpose_all_axes": all_axes,
    "transpose_all_function": two_axes,
    "squeeze": str(squeezed),
    "squeeze_unsqueeze": str(unsqueezed),
    "squeeze_another": another,
    "join_cat": joined,
    "join_stack": stacked,
    "join_dim": keywords["dim"],
    "join_axis": keywords["axis"],
    "split_size": str(by_size),
    "split_sizes": str(by_sizes),
    "split_chunk": str(chunks),
    "split_places": str(at_places),
    "repeat": str(repeated),
    "repeat_tile": tiled,
    "repeat_interleave": each,
    "expand": expanded,
    "expand_broadcast": broadcast,
    "expand_refused": total,
    "expand_columns": columns,
    "meshgrid_named": rows,
    "meshgrid_default": str(default_grid),
    "slices": str(taken),
    "slices_mask": mask_pick,
    "slices_pairs": pair_pick,
    "backwards": str(backwards),
    "backwards_flip_number": str(flipped_number),
    "backwards_flip": flipped,
    "roll": str(rolled),
    "roll_numpy": rolled_numpy,
    "roll_by_hand": rolled_by_hand,
    "out_of_range_number": outside["number"],
    "out_of_range_list": outside["list"],
    "out_of_range_tensor": outside["tensor"],
    "out_of_range_write": outside["write"],
    "assign": canvas,
    "assign_twice": counts,
    "accumulate_scatter_add": str(added),
    "accumulate_int64": str(index_added),
    "accumulate": accumulated,
    "accumulate_elements": elements,
    "gather_literal": literal,
    "gather_shape": str(gathered),
    "gather": per_row,
    "gather_method": as_method,
    "gather_columns": picked_columns,
    "scatter": scattered,
    "scatter_one_hot": one_hot,
    "where": chosen,
    "where_filled": filled,
    "where_nonzero": found,
    "where_condition": str(found_tuple),
    "where_by_column": by_column,
    "sort": ordered,
    "sort_order": order,
    "sort_topk": top,
    "sort_index_dtype": dtype_name(order.dtype),
    "sort_topk_dtype": dtype_name(top_index.dtype),
    "sort_argmax_dtype": dtype_name(best.dtype),
    "sort_argmax": best,
    "unique": str(unique.tolist()),
    "unique_in_order": sorted_unique,
    "norm_2": norm_2,
    "norm_plain": plain,
    "norm_flattened": flattened,
    "norm_rows": row_norms,
    "keepdim_sum": kept["sum(dim, keepdim)"],
    "keepdim_numpy": kept["sum(axis, keepdims)"],
    "keepdim_mean": kept["mean(dim, keepdim)"],
    "keepdim_softmax_dim": kept["softmax(dim)"],
    "keepdim_softmax_axis": kept["softmax(axis)"],
    "keepdim_softmax_function": kept["functional softmax(dim)"],
    "sums_int8": int8_sum,
    "sums_bool": bool_sum,
    "sums_share": share,
    "sums_dtypes": [dtype_name(int8_sum.dtype), dtype_name(bool_sum.dtype)],
    "sums_cumsum": running,
    "sums_cumsum_dtype": dtype_name(running.dtype),
    "sums_bincount_dtype": dtype_name(histogram.dtype),
    "bool_arithmetic": [plus.tolist(), times.tolist()],
    "bool_arithmetic_minus": minus,
    "bool_arithmetic_logic": logic,
    "casts": cut,
    "casts_int8": wrapped,
    "casts_uint8": unsigned,
    "casts_bool": nan_as_bool,
    "casts_nan": nan_as_int,
    "overflow": [byte.item(), signed.item()],
    "overflow_mixed": dtype_name(mixed.dtype),
    "overflow_number": str(too_large),
    "division_floor": floor,
    "division_remainder": remainder,
    "division_true": true_division,
    "division_truncated": truncated,
    "division_fmod": c_remainder,
    "division_by_zero": outcomes["1 // 0"],
    "division_negative_power": outcomes["2 ** -1"],
    "integer_math": exponential,
    "integer_math_float": as_float,
    "compare": (left == right).tolist(),
    "compare_equal": whole_type,
    "compare_all": [same, bool(close)],
    "compare_truth": truth,
    "numpy_functions_exp": numpy_calls["exp"],
    "numpy_functions_gradient": through_numpy,
    "numpy_functions_sum": numpy_calls["sum"],
    "numpy_functions_mean": numpy_calls["mean"],
    "numpy_functions_concatenate": numpy_calls["concatenate"],
    "numpy_functions_safe": safe,
    "dtype_facts": kinds,
    "dtype_facts_range": [largest, smallest_int],
    "dtype_facts_name": name,
    "pad": padded,
    "pad_reflect": mirrored,
    "interpolate_nearest": nearest,
    "interpolate_bilinear": bilinear,
    "interpolate_aligned": aligned,
    "interpolate_scale_factor": doubled,
    "interpolate_recomputed": by_factor,
    "bicubic": ", ".join(first_row),
    "bicubic_aligned": ", ".join(first_row_aligned),
    "einsum": str(product),
    "einsum_matmul": by_matmul,
    "einsum_batched": batched,
}
