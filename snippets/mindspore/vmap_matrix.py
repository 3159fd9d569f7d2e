"""A matrix times a mapped vector, and Jacobians and Hessians of functions with one inside."""

import mindspore
import numpy as np
from mindspore import Tensor, grad, jacfwd, jacrev, ops, vmap

# --8<-- [start:matrix_vector]
mindspore.runtime.launch_blocking()  # before the first operator: quicker for small models on CPU
matrix = Tensor([[1.0, 2.0, 3.0], [0.0, 1.0, 4.0], [5.0, 6.0, 0.0]])
vectors = ops.arange(12.0).reshape(4, 3)
expected = (vectors @ matrix.T).asnumpy()


def product(vector):
    return matrix @ vector


try:
    found = vmap(product)(vectors).asnumpy()
    four = "right" if np.array_equal(found, expected) else "wrong numbers"
except RuntimeError as error:
    four = type(error).__name__
    print(str(error).splitlines()[0])
found = vmap(product)(vectors[:3])
three = "right" if np.array_equal(found.asnumpy(), expected[:3]) else "wrong numbers"
print("matrix @ vector, four vectors:", four)
print("matrix @ vector, three vectors:", three)
as_matrix = np.array_equal(found.asnumpy(), (matrix @ vectors[:3]).asnumpy())
print("the three were taken for a matrix:", as_matrix)
# --8<-- [end:matrix_vector]


# --8<-- [start:matrix_rewritten]
def from_the_left(vector):
    return vector @ matrix.T


def by_name(vector):
    return ops.mv(matrix, vector)


left = np.array_equal(vmap(from_the_left)(vectors).asnumpy(), expected)
named = np.array_equal(vmap(by_name)(vectors).asnumpy(), expected)
print("vector @ matrix.T:", left, "mv:", named)
# --8<-- [end:matrix_rewritten]

# --8<-- [start:matrix_jacobian]
weight = Tensor([[1.0, 2.0], [0.0, 3.0]])
point = Tensor([0.1, 0.2])


def layer(x):
    return ops.tanh(weight @ x)


def layer_left(x):
    return ops.tanh(x @ weight.T)


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


matrix_hessian = jacfwd(grad(total))(point)
matrix_hessian_left = jacfwd(grad(total_left))(point)
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
