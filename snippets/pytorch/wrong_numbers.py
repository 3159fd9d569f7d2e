"""Calls that look alike and return something else: a false friend, truncation, kernels that are off on CPU."""

import numpy as np
import torch

# --8<-- [start:inverse]
matrix = torch.tensor([[2.0, 1.0], [1.0, 1.0]])
inverse_inv = torch.linalg.inv(matrix).tolist()
inverse = torch.inverse(matrix)
print("inv:    ", inverse_inv)
print("inverse:", inverse.tolist())
# --8<-- [end:inverse]

# --8<-- [start:integer_mean]
counts = torch.tensor([1, 2])
try:
    integer_mean = torch.mean(counts).item()
except RuntimeError as error:
    integer_mean = type(error).__name__
    print(str(error).partition(".")[0])
integer_mean_cast = counts.float().mean().item()
print(integer_mean, integer_mean_cast)
# --8<-- [end:integer_mean]

# --8<-- [start:tanh]
x = torch.tensor([0.5, 3.0, 5.0])
tanh = [round(value, 5) for value in torch.tanh(x).tolist()]
tanh_float64 = torch.tanh(x.double())
print("float32:", tanh, "above one:", bool((torch.tanh(x) > 1).any()))
print("float64:", [round(value, 5) for value in tanh_float64.tolist()])
# --8<-- [end:tanh]

# --8<-- [start:cross]
a = torch.arange(6.0).reshape(2, 3)
b = torch.tensor([[1.0, 0.0, 2.0]])
expected = torch.tensor(np.cross(a.numpy(), b.numpy()))
cross_broadcast = bool(torch.equal(torch.linalg.cross(a, b), expected))
cross = torch.linalg.cross(a, b.expand(2, 3))
print("with broadcasting as NumPy:", cross_broadcast)
print(cross.tolist())
# --8<-- [end:cross]

# --8<-- [start:empty_product]
empty = torch.zeros(3, 0)
empty_product = bool((torch.prod(empty, 1) == 1).all())
print("every product is one:", empty_product)
# --8<-- [end:empty_product]

# --8<-- [start:star_import]
namespace = {}
try:
    exec("from torch.nn.functional import *", namespace)
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
