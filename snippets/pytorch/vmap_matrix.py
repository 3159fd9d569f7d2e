"""A matrix times a mapped vector, and Jacobians and Hessians of functions with one inside."""

import torch
from torch.func import hessian, jacrev, vmap

# --8<-- [start:matrix_vector]
matrix = torch.tensor([[1.0, 2.0, 3.0], [0.0, 1.0, 4.0], [5.0, 6.0, 0.0]])
vectors = torch.arange(12.0).reshape(4, 3)
expected = vectors @ matrix.T


def product(vector):
    return matrix @ vector


try:
    found = vmap(product)(vectors)
    four = "right" if torch.equal(found, expected) else "wrong numbers"
except RuntimeError as error:
    four = type(error).__name__
found = vmap(product)(vectors[:3])
three = "right" if torch.equal(found, expected[:3]) else "wrong numbers"
print("matrix @ vector, four vectors:", four)
print("matrix @ vector, three vectors:", three)
# --8<-- [end:matrix_vector]


# --8<-- [start:matrix_rewritten]
def from_the_left(vector):
    return vector @ matrix.T


def by_name(vector):
    return torch.mv(matrix, vector)


left = torch.equal(vmap(from_the_left)(vectors), expected)
named = torch.equal(vmap(by_name)(vectors), expected)
print("vector @ matrix.T:", left, "mv:", named)
# --8<-- [end:matrix_rewritten]

# --8<-- [start:matrix_jacobian]
weight = torch.tensor([[1.0, 2.0], [0.0, 3.0]])
point = torch.tensor([0.1, 0.2])


def layer(x):
    return torch.tanh(weight @ x)


def layer_left(x):
    return torch.tanh(x @ weight.T)


matrix_jacobian = jacrev(layer)(point)
matrix_jacobian_left = jacrev(layer_left)(point)
print("weight @ x:", matrix_jacobian, sep="\n")
print("x @ weight.T:", matrix_jacobian_left, sep="\n")
# --8<-- [end:matrix_jacobian]


# --8<-- [start:matrix_hessian]
def total(x):
    return layer(x).sum()


def total_left(x):
    return layer_left(x).sum()


matrix_hessian = hessian(total)(point)
matrix_hessian_left = hessian(total_left)(point)
print("weight @ x:", matrix_hessian, sep="\n")
print("x @ weight.T:", matrix_hessian_left, sep="\n")
# --8<-- [end:matrix_hessian]


def rounded(matrix):
    return [[round(value, 4) for value in row] for row in matrix.tolist()]


agree = {
    "matrix_vector_four": four,
    "matrix_vector_three": three,
    "matrix_rewritten_left": left,
    "matrix_rewritten_mv": named,
    "matrix_jacobian": rounded(matrix_jacobian),
    "matrix_jacobian_left": matrix_jacobian_left,
    "matrix_hessian": rounded(matrix_hessian),
    "matrix_hessian_left": matrix_hessian_left,
}
