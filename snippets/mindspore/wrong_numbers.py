"""Calls that look alike and return something else: a false friend, truncation, kernels that are off on CPU."""

import mindspore
import numpy as np
from mindspore import Tensor, mint, ops

# --8<-- [start:inverse]
mindspore.runtime.launch_blocking()  # before the first operator: errors name the call that failed
matrix = Tensor([[2.0, 1.0], [1.0, 1.0]])
inverse_inv = ops.inv(matrix).tolist()
inverse = ops.inverse(matrix)
print("inv:    ", inverse_inv)
print("inverse:", inverse.tolist())
# --8<-- [end:inverse]

# --8<-- [start:integer_mean]
counts = Tensor([1, 2])
try:
    integer_mean = mint.mean(counts).item()
except RuntimeError as error:
    integer_mean = type(error).__name__
    print(str(error).partition(".")[0])
integer_mean_cast = counts.float().mean().item()
print(integer_mean, integer_mean_cast)
# --8<-- [end:integer_mean]

# --8<-- [start:tanh]
x = Tensor([0.5, 3.0, 5.0])
tanh = [round(value, 5) for value in ops.tanh(x).tolist()]
tanh_float64 = ops.tanh(x.astype(mindspore.float64))
print("float32:", tanh, "above one:", bool((ops.tanh(x) > 1).any()))
print("float64:", [round(value, 5) for value in tanh_float64.tolist()])
# --8<-- [end:tanh]

# --8<-- [start:cross]
a = ops.arange(6.0).reshape(2, 3)
b = Tensor([[1.0, 0.0, 2.0]])
expected = np.cross(a.asnumpy(), b.asnumpy())
cross_broadcast = bool(np.array_equal(mint.cross(a, b).asnumpy(), expected))
cross = mint.cross(a, b.broadcast_to((2, 3)))
print("with broadcasting as NumPy:", cross_broadcast)
print(cross.tolist())
# --8<-- [end:cross]

# --8<-- [start:empty_product]
empty = ops.zeros((3, 0))
empty_product = bool((mint.prod(empty, 1) == 1).all())
print("every product is one:", empty_product)
# --8<-- [end:empty_product]

# --8<-- [start:star_import]
namespace = {}
try:
    exec("from mindspore.mint import *", namespace)
    star_import = "works"
except AttributeError as error:
    star_import = type(error).__name__
    print(error)
print(star_import)
# --8<-- [end:star_import]

agree = {
    "inverse_inv": inverse_inv,
    "inverse": inverse,
    "integer_mean": integer_mean,
    "integer_mean_cast": integer_mean_cast,
    "tanh": tanh,
    "tanh_float64": tanh_float64,
    "cross_broadcast": cross_broadcast,
    "cross": cross,
    "empty_product": empty_product,
    "star_import": star_import,
}
