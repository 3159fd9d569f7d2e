"""Shapes, indexing and dtypes on the same inputs in both frameworks."""

import warnings

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

# --8<-- [start:shape]
x = torch.arange(6).reshape(2, 3)
print("shape:", tuple(x.shape), "dimensions:", x.ndim, "elements:", x.numel())
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
images = torch.zeros(2, 3, 4)
flat = list(torch.flatten(images).shape)
flat_method = list(images.flatten().shape)
everything = list(images.reshape(-1).shape)
per_image = list(torch.flatten(images, start_dim=1).shape)
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
pictures = torch.arange(24).reshape(2, 3, 4)
swapped = pictures.transpose(0, 1)
as_function = torch.transpose(pictures, 0, 1)
swapped_axes = pictures.swapaxes(0, 1)
channels_last = pictures.permute(0, 2, 1)
matrices = pictures.mT  # the last two axes
print("transpose(0, 1):", tuple(swapped.shape))
print("function:", tuple(as_function.shape))
print("swapaxes(0, 1):", tuple(swapped_axes.shape))
print("permute(0, 2, 1):", tuple(channels_last.shape))
print("mT:", tuple(matrices.shape))
# --8<-- [end:transpose]

# --8<-- [start:transpose_all]
try:
    all_axes = str(list(pictures.transpose(2, 0, 1).shape))
except TypeError as error:
    all_axes = type(error).__name__
print("transpose(2, 0, 1):", all_axes)
try:
    two_axes = str(list(torch.transpose(pictures, 0, 1).shape))
except TypeError as error:
    two_axes = type(error).__name__
print("the function with two axes:", two_axes)
# --8<-- [end:transpose_all]

# --8<-- [start:squeeze]
thin = torch.zeros(1, 3, 1)
squeezed = [list(t.shape) for t in (thin.squeeze(), thin.squeeze(0), thin.squeeze(1))]
print("squeeze(), squeeze(0), squeeze(1):", squeezed)
another = list(x[None].shape)
unsqueezed = [list(t.shape) for t in (x.unsqueeze(0), x.unsqueeze(-1), x[:, None])]
print("unsqueeze(0), unsqueeze(-1), [:, None]:", unsqueezed)
print("another spelling of unsqueeze(0):", another)
# --8<-- [end:squeeze]

# --8<-- [start:join]
joined = torch.cat((x, x + 10), dim=1)
stacked = torch.stack((x, x + 10))
print(joined)
print("stack:", tuple(stacked.shape))
keywords = {}
for keyword in ("dim", "axis"):
    try:
        torch.cat((x, x), **{keyword: 1})
        keywords[keyword] = "works"
    except TypeError as error:
        keywords[keyword] = type(error).__name__
        print(error)
    print(f"cat(…, {keyword}=1):", keywords[keyword])
# --8<-- [end:join]

# --8<-- [start:split]
numbers = torch.arange(7)
by_size = [part.tolist() for part in torch.split(numbers, 3)]
by_sizes = [part.tolist() for part in torch.split(numbers, [1, 2, 4])]
chunks = [part.tolist() for part in torch.chunk(numbers, 3)]
at_places = [part.tolist() for part in torch.tensor_split(numbers, (2, 5))]
print("split(x, 3), parts of three:", by_size)
print("split(x, [1, 2, 4]), sizes:", by_sizes)
print("chunk(x, 3), three parts:", chunks)
print("tensor_split(x, (2, 5)), places:", at_places)
# --8<-- [end:split]

# --8<-- [start:repeat]
row = torch.arange(3)
try:
    repeated = row.repeat(2).tolist()
except RuntimeError as error:
    repeated = type(error).__name__
    print(error)
print("repeat(2):", repeated)
tiled = torch.tile(row, (2,))
each = torch.repeat_interleave(row, 2)
print("tile:", tiled.tolist())
print("repeat_interleave:", each.tolist())
# --8<-- [end:repeat]

# --8<-- [start:expand]
expanded = row.expand(2, 3)
broadcast = torch.broadcast_to(row, (2, 3))
print(expanded)
try:
    total = str(list((torch.zeros(2, 3) + torch.zeros(2)).shape))
except (RuntimeError, ValueError) as error:
    total = type(error).__name__
    print(total, str(error).splitlines()[0], sep="\n")
columns = torch.zeros(2, 3) + torch.ones(2)[:, None]
print(columns)
# --8<-- [end:expand]

# --8<-- [start:meshgrid]
rows, cols = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")
print("indexing named:", tuple(rows.shape))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PyTorch asks for the indexing to be named
    default_grid = list(torch.meshgrid(torch.arange(2), torch.arange(3))[0].shape)
print("default:", default_grid)
# --8<-- [end:meshgrid]

# --8<-- [start:slices]
numbers = torch.arange(6)
taken = [numbers[::2].tolist(), numbers[-2:].tolist(), numbers[2:100].tolist()]
print("[::2], [-2:], [2:100]:", taken)
cube = torch.arange(24).reshape(2, 3, 4)
print("[..., 0]:", tuple(cube[..., 0].shape), "[None]:", tuple(cube[None].shape))
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
    rolled = torch.roll(numbers, 2).tolist()
except RuntimeError as error:
    rolled = type(error).__name__
    print(str(error).splitlines()[0])
print("roll by 2:", rolled)
rolled_by_hand = torch.cat((numbers[-2:], numbers[:-2]))
print("by hand:", rolled_by_hand.tolist())
# --8<-- [end:roll]

# --8<-- [start:out_of_range]
outside = {}
for name, index in {"number": 9, "list": [0, 9], "tensor": torch.tensor([0, 9])}.items():
    try:
        outside[name] = str(numbers[index].tolist())
    except (IndexError, RuntimeError) as error:
        outside[name] = type(error).__name__
    print(f"read with a {name}:", outside[name])
written = torch.zeros(3)
try:
    written[torch.tensor([9])] = 1.0
    outside["write"] = "works"
except (IndexError, ValueError) as error:
    outside["write"] = type(error).__name__
print("write with a tensor:", outside["write"])
# --8<-- [end:out_of_range]

# --8<-- [start:assign]
canvas = torch.zeros(2, 3)
canvas[0] = torch.tensor([1.0, 2.0, 3.0])
canvas[:, 1] = 9.0
canvas[canvas == 0] = -1.0
canvas[torch.tensor([1]), torch.tensor([2])] = 7.0
print(canvas)
counts = torch.zeros(3)
counts[[0, 0, 1]] += 1.0  # index 0 stands twice and counts once
print(counts)
# --8<-- [end:assign]

# --8<-- [start:accumulate]
places, values = torch.tensor([0, 0, 1]), torch.tensor([1.0, 2.0, 3.0])
try:
    added = torch.zeros(3).scatter_add(0, places, values).tolist()
except RuntimeError as error:
    added = type(error).__name__
    print(str(error).splitlines()[0])
print("scatter_add:", added)
try:
    index_added = torch.zeros(3).index_add(0, places, values).tolist()
except TypeError as error:
    index_added = type(error).__name__
print("index_add, int64 index:", index_added)
accumulated = torch.zeros(3).index_add(0, places.int(), values)
print("index_add, int32 index:", accumulated.tolist())
table, columns = torch.zeros(2, 2), torch.tensor([[0, 0], [1, 0]])
elements = torch.scatter_add(table, 1, columns, torch.ones(2, 2))
print("element by element:", elements.tolist())
# --8<-- [end:accumulate]

# --8<-- [start:gather]
index = torch.tensor([[0, 2], [1, 0]])
literal = "works"
gathered = list(torch.gather(x, 1, index).shape)
print("gather:", gathered)
per_row = torch.take_along_dim(x, index, dim=1)
print("one index per element:", per_row.tolist())
as_method = x.gather(1, index)
print("as a method:", as_method.tolist())
picked_columns = torch.index_select(x, 1, torch.tensor([2, 0]))
print("whole columns:", picked_columns.tolist())
# --8<-- [end:gather]

# --8<-- [start:scatter]
updates = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
scattered = torch.zeros(2, 3).scatter(1, index, updates)
print(scattered)
one_hot = torch.zeros(2, 3).scatter(1, torch.tensor([[2], [0]]), torch.ones(2, 1))
print(one_hot)
# --8<-- [end:scatter]

# --8<-- [start:where]
chosen = torch.where(x > 2, x, 0)
filled = x.masked_fill(x > 2, -1)
found = torch.nonzero(x > 3)
print("where:", chosen.tolist())
print("masked_fill:", filled.tolist())
print("nonzero:", found.tolist())
try:
    found_tuple = [part.tolist() for part in torch.where(x > 3)]
except TypeError as error:
    found_tuple = type(error).__name__
print("where(condition):", found_tuple)
by_column = [part.tolist() for part in torch.nonzero(x > 3).T]
print("nonzero, by column:", by_column)
# --8<-- [end:where]

# --8<-- [start:sort]
scores = torch.tensor([3.0, 1.0, 2.0])
ordered, order = torch.sort(scores)
top, top_index = torch.topk(scores, 2)
print(ordered.tolist(), order.tolist(), top.tolist(), top_index.tolist())
print("dtype of the indices:", order.dtype, top_index.dtype)
best = torch.argmax(torch.tensor([[1.0, 3.0], [4.0, 2.0]]), dim=1)
print("argmax:", best.tolist(), best.dtype)
# --8<-- [end:sort]

# --8<-- [start:unique]
repeating = torch.tensor([3, 1, 2, 1])
unique = torch.unique(repeating)
print("unique:", unique.tolist())
distinct, places = torch.unique(repeating, return_inverse=True)
print("with places:", distinct.tolist(), places.tolist())
sorted_unique = torch.unique(repeating)
print("in order:", sorted_unique.tolist())
# --8<-- [end:unique]

# --8<-- [start:norm]
matrix = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
norm_2 = torch.norm(matrix, 2)
print("norm(matrix, 2):", f"{norm_2.item():.4f}")
plain = torch.norm(matrix)
print("norm(matrix):", f"{plain.item():.4f}")
flattened = torch.norm(matrix.flatten(), 2)
print("flattened first:", f"{flattened.item():.4f}")
row_norms = torch.norm(matrix, 2, dim=1)
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
    "functional softmax(dim)": lambda: F.softmax(floats, dim=1),
}.items():
    try:
        kept[name] = str(list(call().shape))
    except TypeError as error:
        kept[name] = type(error).__name__
    print(f"{name}: {kept[name]}")
# --8<-- [end:keepdim]

# --8<-- [start:sums]
small = torch.tensor([100, 100], dtype=torch.int8)
flags = torch.tensor([True, True, False])
int8_sum, bool_sum = small.sum(), flags.sum()
print("sum of int8:", int8_sum.item(), int8_sum.dtype)
print("sum of bool:", bool_sum.item(), bool_sum.dtype)
share = flags.float().mean()
print("share of True:", f"{share.item():.4f}")
running = torch.cumsum(torch.tensor([1, 2], dtype=torch.int32), 0)
print("cumsum of int32:", running.tolist(), running.dtype)
histogram = torch.bincount(torch.tensor([0, 1, 1]))
print("bincount:", histogram.tolist(), histogram.dtype)
# --8<-- [end:sums]

# --8<-- [start:bool_arithmetic]
yes, no = torch.tensor([True, True]), torch.tensor([True, False])
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
cut = torch.tensor([1.7, -1.7]).to(torch.int32)
wrapped = torch.tensor([200, -1]).to(torch.int8)
unsigned = torch.tensor([300, -1]).to(torch.uint8)
nan_as_bool = torch.tensor([float("nan"), 0.5, 0.0]).to(torch.bool)
nan_as_int = torch.tensor([float("nan")]).to(torch.int32)
print("towards zero:", cut.tolist())
print("int64 to int8:", wrapped.tolist())
print("int64 to uint8:", unsigned.tolist())
print("to bool:", nan_as_bool.tolist())
print("NaN to int32, on this CPU:", nan_as_int.item())
# --8<-- [end:casts]

# --8<-- [start:overflow]
byte = torch.tensor([250], dtype=torch.uint8) + torch.tensor([10], dtype=torch.uint8)
signed = torch.tensor([127], dtype=torch.int8) + torch.tensor([1], dtype=torch.int8)
print("uint8 250 + 10:", byte.item(), "int8 127 + 1:", signed.item())
mixed = torch.tensor([1], dtype=torch.uint8) + torch.tensor([1], dtype=torch.int8)
print("uint8 + int8:", mixed.dtype)
try:
    too_large = (torch.tensor([1], dtype=torch.uint8) + 300).item()
except RuntimeError as error:
    too_large = type(error).__name__
    print(str(error).splitlines()[0])
print("uint8 + 300:", too_large)
# --8<-- [end:overflow]

# --8<-- [start:division]
signed_pair = torch.tensor([-7, 7])
floor, remainder = signed_pair // 2, signed_pair % 3
true_division = signed_pair / 2
truncated = torch.div(signed_pair, 2, rounding_mode="trunc")
c_remainder = torch.fmod(signed_pair, 3)
print("//", floor.tolist(), "%", remainder.tolist(), "/", true_division.tolist())
print("towards zero:", truncated.tolist(), "fmod:", c_remainder.tolist())
one, two = torch.tensor([1]), torch.tensor([2])
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
    exponential = f"{torch.exp(torch.tensor([1])).item():.4f}"
except TypeError as error:
    exponential = type(error).__name__
    print(str(error).splitlines()[0])
print("exp of an integer:", exponential)
as_float = torch.exp(torch.tensor([1]).float())
print("exp of a float:", f"{as_float.item():.4f}")
# --8<-- [end:integer_math]

# --8<-- [start:compare]
left, right = torch.tensor([1, 2]), torch.tensor([1.0, 2.5])
print("==:", (left == right).tolist(), "<:", (left < right).tolist())
whole = torch.equal(left, left)
whole_type = type(whole).__name__
print("equal() returns a", whole_type)
same = bool((left == left).all())
close = torch.allclose(right, right + 1e-9)
print("all equal:", same, "all close:", close)
try:
    truth = str(bool(left > 0))
except (RuntimeError, ValueError) as error:
    truth = type(error).__name__
    print(str(error).splitlines()[0])
# --8<-- [end:compare]

# --8<-- [start:numpy_functions]
mixed_in = torch.tensor([1.0, 2.0])
numpy_calls = {}
for name in ("exp", "sum", "mean", "concatenate"):
    try:
        argument = (mixed_in, mixed_in) if name == "concatenate" else mixed_in
        numpy_calls[name] = type(getattr(np, name)(argument)).__name__
    except TypeError as error:
        numpy_calls[name] = type(error).__name__
    print(f"np.{name}: {numpy_calls[name]}")
leaf = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    np.exp(leaf).sum().backward()
    through_numpy = str(leaf.grad.tolist())
except RuntimeError as error:
    through_numpy = type(error).__name__
    print(str(error).partition(". ")[0])
print("gradient through np.exp:", through_numpy)
safe = np.mean(mixed_in.numpy())
print("converted first:", safe)
# --8<-- [end:numpy_functions]

# --8<-- [start:dtype_facts]
kinds = [torch.tensor([1.0]).is_floating_point(), torch.tensor([1]).is_floating_point()]
print("floating point:", kinds)
largest = torch.finfo(torch.float16).max
smallest_int = torch.iinfo(torch.int8).min
print("float16 up to:", largest, "int8 from:", smallest_int)
name = str(torch.tensor([1.0]).dtype)
print("str(dtype):", name)
print("numpy dtype:", torch.tensor([1.0]).numpy().dtype)
# --8<-- [end:dtype_facts]

# --8<-- [start:pad]
block = torch.ones(1, 2)
padded = F.pad(block, (1, 0, 0, 2), value=5.0)  # left, right, top, bottom
print(padded)
mirrored = F.pad(torch.tensor([[[1.0, 2.0, 3.0]]]), (1, 1), mode="reflect")
print(mirrored)
# --8<-- [end:pad]

# --8<-- [start:interpolate]
picture = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
nearest = F.interpolate(picture, size=(3, 3))
bilinear = F.interpolate(picture, size=(3, 3), mode="bilinear")
aligned = F.interpolate(picture, size=(4, 4), mode="bilinear", align_corners=True)
print("bilinear, first row:", bilinear[0, 0, 0].tolist())
print("align_corners, first row:", [f"{v:.4f}" for v in aligned[0, 0, 0].tolist()])
try:
    doubled = str(list(F.interpolate(picture, scale_factor=2.0, mode="bilinear").shape))
except ValueError as error:
    doubled = type(error).__name__
    print(error)
print("scale_factor:", doubled)
options = {"scale_factor": 2.0, "recompute_scale_factor": True}
by_factor = F.interpolate(picture, mode="bilinear", **options)
print("recomputed:", tuple(by_factor.shape))
# --8<-- [end:interpolate]

# --8<-- [start:bicubic]
cubic = F.interpolate(picture, size=(4, 4), mode="bicubic")
first_row = [f"{v:.4f}" for v in cubic[0, 0, 0].tolist()]
print("bicubic, first row:", first_row)
cubic_aligned = F.interpolate(picture, size=(4, 4), mode="bicubic", align_corners=True)
first_row_aligned = [f"{v:.4f}" for v in cubic_aligned[0, 0, 0].tolist()]
print("align_corners:", first_row_aligned)
# --8<-- [end:bicubic]

# --8<-- [start:einsum]
a = torch.arange(6.0).reshape(2, 3)
try:
    product = torch.einsum("ij,kj->ik", a, a).tolist()
except RuntimeError as error:
    product = type(error).__name__
    print(str(error)[str(error).find("Unsupported") :].partition(",")[0])
print("einsum:", product)
by_matmul = a @ a.T
print("matmul:", by_matmul.tolist())
batched = torch.bmm(a.reshape(2, 1, 3), a.reshape(2, 3, 1)).reshape(2)  # "ij,ij->i"
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
    "roll_numpy": torch.roll(numbers, 2),
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
