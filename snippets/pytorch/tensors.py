"""Create tensors in every common way, convert them back, and see where the two frameworks part."""

import warnings

import numpy as np
import torch
from torch.nn import functional as F

# --8<-- [start:device]
device = torch.device("cpu")  # or "cuda", "mps", "npu", ...
placed = torch.zeros(2, 3, device=device)
print("default device:", torch.get_default_device())
print("made on:", placed.device)
print("from a list:", torch.tensor([1.0, 2.0], device=device).device)
print("moved to:", placed.to("cpu").device)
# --8<-- [end:device]

# --8<-- [start:device_keyword]
try:
    made = torch.zeros(2, device="cpu")
    device_keyword = "works"
except TypeError as error:
    device_keyword = type(error).__name__
print("zeros(..., device=...):", device_keyword)
# --8<-- [end:device_keyword]

# --8<-- [start:from_list]
vector = torch.tensor([1.0, 2.0, 3.0])
matrix = torch.tensor([[1, 2], [3, 4]])
scalar = torch.tensor(3.5)
print(vector)
print(matrix)
print(scalar, tuple(scalar.shape))
# --8<-- [end:from_list]

# --8<-- [start:numpy_copy]
array = np.array([1.0, 2.0, 3.0], dtype=np.float32)
copied = torch.tensor(array)
array[0] = 100.0
print(array)
print(copied)
# --8<-- [end:numpy_copy]

# --8<-- [start:numpy_shared]
memory = np.array([1.0, 2.0, 3.0], dtype=np.float32)
shared = torch.from_numpy(memory)
memory[0] = 100.0  # the array changes the tensor ...
shared[1] = -1.0  # ... and the tensor changes the array
print(shared)
print(memory)
# --8<-- [end:numpy_shared]

# --8<-- [start:filled]
zeros = torch.zeros(2, 3)
ones = torch.ones(2, dtype=torch.int32)
full = torch.full((2, 2), 7.5)
identity = torch.eye(2)
print(zeros)
print(ones)
print(full)
print(identity)
# --8<-- [end:filled]

# --8<-- [start:full_dtype]
without = torch.full((2,), 3.5)
named = torch.full((2,), 3.5, dtype=torch.float32)
print("no dtype:", without, without.dtype)
print("named:", named, named.dtype)
# --8<-- [end:full_dtype]

# --8<-- [start:shape_arguments]
print("a tuple:", tuple(torch.zeros((2, 3)).shape))
print("no elements:", tuple(torch.zeros((0, 3)).shape))
try:
    separate_numbers = str(tuple(torch.zeros(2, 3).shape))
except TypeError as error:
    separate_numbers = type(error).__name__
print("zeros(2, 3):", separate_numbers)
# --8<-- [end:shape_arguments]

# --8<-- [start:no_dimensions]
try:
    no_dimensions = str(torch.ones(()).item())
except TypeError as error:
    no_dimensions = type(error).__name__
print("ones(()):", no_dimensions)
print("from a number:", torch.tensor(1.0))
# --8<-- [end:no_dimensions]

# --8<-- [start:uninitialised]
buffer = torch.empty(2, 3)  # holds whatever lay in that memory
buffer[:] = 0.5
print(buffer)
# --8<-- [end:uninitialised]

# --8<-- [start:special]
diagonal = torch.diag(torch.tensor([1.0, 2.0]))
lower = torch.tril(torch.ones(2, 2))
upper = torch.triu(torch.ones(2, 2))
one_hot = F.one_hot(torch.tensor([0, 2]), num_classes=3)
print(diagonal)
print(lower)
print(upper)
print(one_hot)
# --8<-- [end:special]

# --8<-- [start:like]
template = torch.tensor([[1, 2, 3]], dtype=torch.int32)
zeros_like = torch.zeros_like(template)
ones_like = torch.ones_like(template, dtype=torch.float32)
full_like = torch.full_like(template, 9)
new_zeros = template.new_zeros((2,))
print(zeros_like, zeros_like.dtype)
print(ones_like, ones_like.dtype)
print(full_like, full_like.dtype)
print(new_zeros, new_zeros.dtype)
# --8<-- [end:like]

# --8<-- [start:new_full]
try:
    new_full = torch.tensor([1.0]).new_full((2,), 3.5).tolist()
except RuntimeError as error:
    new_full = type(error).__name__
print("new_full:", new_full)
print("full with the dtype:", torch.full((2,), 3.5, dtype=torch.tensor([1.0]).dtype).tolist())
# --8<-- [end:new_full]

# --8<-- [start:ranges]
whole = torch.arange(5)
stepped = torch.arange(1, 2, 0.25)
even = torch.linspace(0, 1, 5)
decades = torch.logspace(0.0, 2.0, 3)
print(whole, whole.dtype)
print(stepped)
print(even)
print(decades)
# --8<-- [end:ranges]

# --8<-- [start:logspace]
try:
    from_whole = torch.logspace(0, 2, 3).tolist()
except TypeError as error:
    from_whole = type(error).__name__
print("whole numbers:", from_whole)
print("floats:", torch.logspace(0.0, 2.0, 3).tolist())
# --8<-- [end:logspace]

# --8<-- [start:random]
torch.manual_seed(0)
uniform = torch.rand(2, 3)
normal = torch.randn(2, 3)
integers = torch.randint(0, 10, (5,))
shuffled = torch.randperm(5)
print(uniform)
print(normal)
print(integers)
print(shuffled)
# --8<-- [end:random]

# --8<-- [start:distributions]
torch.manual_seed(0)
heights = torch.normal(10.0, 2.0, (1000,))
angles = torch.empty(1000).uniform_(-1.0, 1.0)
centred = abs(heights.mean().item() - 10.0) < 0.5
bounded = bool((angles.abs() <= 1.0).all())
print("mean near 10:", centred)
print("all between -1 and 1:", bounded)
# --8<-- [end:distributions]

# --8<-- [start:seeds]
torch.manual_seed(7)
first = torch.rand(3)
again = torch.rand(3)
torch.manual_seed(7)
second = torch.rand(3)
print(first)
print("same seed, same numbers:", bool((first == second).all()))
print("next call, same numbers:", bool((first == again).all()))
# --8<-- [end:seeds]

# --8<-- [start:manual_seed]
torch.manual_seed(7)
once = torch.rand(3)
torch.manual_seed(7)
twice = torch.rand(3)
print("manual_seed repeats:", bool((once == twice).all()))
# --8<-- [end:manual_seed]

# --8<-- [start:seed_reach]
torch.manual_seed(7)
first_draw = np.random.rand()
torch.manual_seed(7)
second_draw = np.random.rand()
print("NumPy is seeded too:", first_draw == second_draw)
# --8<-- [end:seed_reach]

# --8<-- [start:permutations]
torch.manual_seed(0)
epoch_1 = torch.randperm(6)
epoch_2 = torch.randperm(6)
print(epoch_1)
print(epoch_2)
print("the same order twice:", bool((epoch_1 == epoch_2).all()))
# --8<-- [end:permutations]

# --8<-- [start:coin_flips]
probability = torch.full((64,), 0.5)
torch.manual_seed(0)
flips, drawn = torch.bernoulli(probability), torch.rand(64) < 0.5
torch.manual_seed(0)
flips_again, drawn_again = torch.bernoulli(probability), torch.rand(64) < 0.5
print("bernoulli repeats:", bool((flips == flips_again).all()))
print("rand < p repeats:", bool((drawn == drawn_again).all()))
# --8<-- [end:coin_flips]

# --8<-- [start:dtype_defaults]
from_floats = torch.tensor([1.0, 2.0]).dtype
from_integers = torch.tensor([1, 2]).dtype
from_booleans = torch.tensor([True, False]).dtype
from_float64 = torch.tensor(np.array([1.0, 2.0])).dtype
from_complex = torch.tensor([1 + 2j]).dtype
print("floats:", from_floats)
print("integers:", from_integers)
print("booleans:", from_booleans)
print("a NumPy float64 array:", from_float64)
print("complex numbers:", from_complex)
# --8<-- [end:dtype_defaults]

# --8<-- [start:dtype_cast]
exact = torch.tensor([1, 2], dtype=torch.float16)
floats = torch.tensor([1.7, -1.7, 0.0])
print(exact)
truncated = floats.to(torch.int32)
truth = floats.to(torch.bool)
print(truncated)
print(truth)
print(floats.half().dtype, floats.double().dtype, floats.long().dtype)
# --8<-- [end:dtype_cast]

# --8<-- [start:promotion]
i32, i64 = torch.tensor([1], dtype=torch.int32), torch.tensor([1])
f16, f32 = torch.tensor([1.0], dtype=torch.float16), torch.tensor([1.0])
promoted = [(i32 + i64).dtype, (i64 + f16).dtype, (f16 + f32).dtype, (i32 / i32).dtype, (f16 + 2.5).dtype]
for dtype in promoted:
    print(dtype)
# --8<-- [end:promotion]

# --8<-- [start:promotion_0d]
half = torch.tensor([1.0, 2.0], dtype=torch.float16)
scale = torch.tensor(3.0)  # float32, no dimensions
plus, times = (half + scale).dtype, (half * scale).dtype
number = (half + 3.0).dtype
print("plus a 0-d tensor:", plus)
print("times a 0-d tensor:", times)
print("plus a Python number:", number)
# --8<-- [end:promotion_0d]

# --8<-- [start:integers]
counts = torch.tensor([1, 2])
try:
    integer_mean = counts.mean().item()
except RuntimeError as error:
    integer_mean = type(error).__name__
print("mean of integers:", integer_mean)
print("mean as float:", counts.float().mean().item())
# --8<-- [end:integers]

# --8<-- [start:to_numpy]
owner = torch.tensor([1.0, 2.0, 3.0])
view = owner.numpy()  # the same memory
safe = owner.numpy().copy()
view[0] = 100.0
print(owner)
print(safe)
# --8<-- [end:to_numpy]

# --8<-- [start:to_python]
pairs = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
total = pairs.sum()
print(total.item(), float(total), int(total))
print(pairs.tolist())
print(len(pairs), [row.tolist() for row in pairs])
# --8<-- [end:to_python]

# --8<-- [start:format]
loss = torch.tensor(0.6931)
try:
    text = f"{loss:.2f}"
except TypeError as error:
    text = type(error).__name__
print("the tensor:", text)
print("its item:", f"{loss.item():.2f}")
# --8<-- [end:format]

# --8<-- [start:copies]
original = torch.tensor([1.0, 2.0, 3.0])
copy = original.clone()
copy[0] = 100.0
print("after writing to the copy:", original)
detached = original.detach()
detached[1] = -1.0
print("after writing to the detached one:", original)
# --8<-- [end:copies]

# --8<-- [start:clone]
try:
    clone = torch.tensor([1.0, 2.0]).clone().tolist()
except RuntimeError as error:
    clone = type(error).__name__
print("clone():", clone)
# --8<-- [end:clone]

# --8<-- [start:tensor_of_tensor]
inner = torch.tensor([1.0, 2.0, 3.0])
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PyTorch warns here and recommends clone()
    wrapped = torch.tensor(inner)
wrapped[0] = 100.0
print(inner)
# --8<-- [end:tensor_of_tensor]

# --8<-- [start:views]
grid = torch.zeros(2, 3)
row, column, flat, turned = grid[0], grid[:, 2], grid.reshape(6), grid.T
row[0] = 1.0
column[1] = 2.0
flat[4] = 3.0
turned[2, 0] = 4.0
print(grid)
# --8<-- [end:views]

# --8<-- [start:picked]
source = torch.tensor([1.0, 2.0, 3.0])
picked = source[source > 1.0]
picked[0] = 100.0
print(picked)
print(source)
# --8<-- [end:picked]

# --8<-- [start:in_place]
added = torch.tensor([1.0, 2.0])
added.add_(1.0)
added.mul_(10.0)
print("after add_ and mul_:", added)
alias = torch.tensor([1.0, 2.0])
x = alias
x += 1.0
print("the other name after +=:", alias)
# --8<-- [end:in_place]

# --8<-- [start:write_back]
target = torch.tensor([1.0, 2.0])
x = target
x[:] = x * 10.0
print(target)
replaced = target.clone()
replaced.copy_(torch.tensor([5.0, 6.0]))
print(replaced)
# --8<-- [end:write_back]

# --8<-- [start:numpy_mix]
x, array = torch.tensor([1.0, 2.0]), np.array([1.0, 2.0], dtype=np.float32)
outcomes = {}
for name, operation in {
    "tensor + array": lambda: x + array,
    "array + tensor": lambda: array + x,
    "np.float64 * tensor": lambda: np.float64(2.0) * x,
    "tensor == array": lambda: x == array,
    "tensor[index array]": lambda: x[np.array([0, 1])],
}.items():
    try:
        outcomes[name] = type(operation()).__name__
    except (TypeError, IndexError) as error:
        outcomes[name] = type(error).__name__
    print(f"{name}: {outcomes[name]}")
# --8<-- [end:numpy_mix]

# --8<-- [start:cat]
parts = (torch.tensor([1, 2]), torch.tensor([3.5]))
try:
    joined = str(torch.cat(parts).dtype)
except RuntimeError as error:
    joined = type(error).__name__
print("as they are:", joined)
same = torch.cat((parts[0].float(), parts[1]))
print("cast first:", same)
# --8<-- [end:cat]

# --8<-- [start:spread]
x = torch.tensor([1.0, 2.0, 4.0])
std, var = x.std(), x.var()
print("std:", std.item())
print("var:", var.item())
unbiased = torch.std(x, correction=1)
print("divided by n - 1:", unbiased.item())
# --8<-- [end:spread]

# --8<-- [start:maximum]
x = torch.tensor([[1.0, 5.0], [7.0, 2.0]])
largest = torch.max(x)
largest_type = type(largest).__name__
print("max(x):", largest_type)
by_axis = x.max(axis=1)
by_axis_type = "values only" if torch.is_tensor(by_axis) else "values and indices"
print("x.max(axis=1):", by_axis_type)
values, indices = x.max(dim=1)
print("x.max(dim=1):", values, indices)
# --8<-- [end:maximum]

# --8<-- [start:empty]
x, mask = torch.tensor([1.0, 2.0]), torch.tensor([False, False])
sum_is_zero = all(x[mask].sum().item() == 0.0 for _ in range(8))
mean_is_nan = all(torch.isnan(x[mask].mean()).item() for _ in range(8))
print("sum of nothing is always 0:", sum_is_zero)
print("mean of nothing is NaN:", mean_is_nan)
masked = (x * mask).sum() / max(mask.sum().item(), 1)
print("masked mean:", masked.item())
# --8<-- [end:empty]

# --8<-- [start:mint]
working = []
for name, arguments in {
    "zeros": (3,),
    "ones": (3,),
    "eye": (3,),
    "full": ((3,), 1.0),
    "arange": (3,),
    "linspace": (0, 1, 3),
    "rand": (3,),
    "randperm": (3,),
    "zeros_like": (torch.tensor([1.0]),),
}.items():
    try:
        getattr(torch, name)(*arguments).numpy()
        working.append(name)
    except RuntimeError as error:
        print(name, "->", str(error).splitlines()[0])
print("work:", ", ".join(working))
# --8<-- [end:mint]


def dtype_name(dtype):
    return str(dtype).rpartition(".")[2].lower()


agree = {
    "device": str(placed.device).lower(),
    "device_keyword": device_keyword,
    "from_list_vector": vector,
    "from_list_matrix": matrix,
    "from_list_scalar": scalar,
    "numpy_copy": copied,
    "numpy_shared": shared,
    "numpy_shared_array": memory,
    "filled_zeros": zeros,
    "filled_ones": ones,
    "filled_full": full,
    "filled_identity": identity,
    "full_dtype_omitted": without,
    "full_dtype_named": named,
    "shape_arguments": separate_numbers,
    "no_dimensions": no_dimensions,
    "uninitialised": buffer,
    "special_diagonal": diagonal,
    "special_lower": lower,
    "special_upper": upper,
    "special_one_hot": one_hot,
    "like_zeros": zeros_like,
    "like_ones": ones_like,
    "like_full": full_like,
    "like_dtypes": [dtype_name(t.dtype) for t in (zeros_like, ones_like, full_like, new_zeros)],
    "new_full": new_full,
    "ranges_whole": whole,
    "ranges_stepped": stepped,
    "ranges_even": even,
    "ranges_decades": decades,
    "logspace": from_whole,
    "random_shapes": [*uniform.shape, *normal.shape, *integers.shape, *shuffled.shape],
    "random_in_range": [bool((uniform >= 0).all()), bool((uniform < 1).all()), bool((integers < 10).all())],
    "random_is_permutation": sorted(shuffled.tolist()) == [0, 1, 2, 3, 4],
    "distributions": [centred, bounded],
    "seeds_repeat": bool((first == second).all()),
    "seeds_advance": bool((first != again).any()),
    "seeds_numbers": first,
    "manual_seed": bool((once == twice).all()),
    "seed_reach": first_draw == second_draw,
    "permutations_repeat": bool((epoch_1 == epoch_2).all()),
    "coin_flips_bernoulli": bool((flips == flips_again).all()),
    "coin_flips_rand": bool((drawn == drawn_again).all()),
    "dtype_defaults": [dtype_name(d) for d in (from_floats, from_integers, from_booleans, from_float64)],
    "dtype_defaults_complex": dtype_name(from_complex),
    "dtype_cast_truncated": truncated,
    "dtype_cast_truth": truth,
    "promotion": [dtype_name(dtype) for dtype in promoted],
    "promotion_0d_plus": dtype_name(plus),
    "promotion_0d_times": dtype_name(times),
    "promotion_0d_number": dtype_name(number),
    "integers": integer_mean,
    "to_numpy": owner,
    "to_numpy_copy": safe,
    "to_python": pairs.tolist(),
    "to_python_total": total.item(),
    "format": text,
    "copies": original,
    "clone": clone,
    "tensor_of_tensor": inner,
    "views": grid,
    "picked": source,
    "in_place_methods": added,
    "in_place_alias": alias,
    "write_back": target,
    "write_back_copy": replaced,
    "numpy_mix_add": outcomes["tensor + array"],
    "numpy_mix_reversed": outcomes["array + tensor"],
    "numpy_mix_scalar": outcomes["np.float64 * tensor"],
    "numpy_mix_equal": outcomes["tensor == array"],
    "numpy_mix_index": outcomes["tensor[index array]"],
    "cat": joined.removeprefix("torch."),
    "cat_cast": same,
    "spread_std": std,
    "spread_var": var,
    "spread_unbiased": unbiased,
    "maximum_type": largest_type,
    "maximum_axis": by_axis_type,
    "maximum_values": values,
    "maximum_indices": indices,
    "empty_sum_is_zero": sum_is_zero,
    "empty_mean_is_nan": mean_is_nan,
    "empty_masked": masked,
    "mint": working,
}
