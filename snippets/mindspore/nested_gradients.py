"""Gradients of gradients: where eager mode on CPU loses terms, and what is right there."""

import mindspore
from mindspore import Parameter, Tensor, nn, ops


# --8<-- [start:exp_sum]
def exp_sum(x):
    return ops.exp(x.sum())


def exp_sum_keep(x):
    return ops.exp(x.sum(0, keepdims=True)).sum()


def slope_sum(x):
    return mindspore.grad(exp_sum)(x).sum()


def slope_sum_keep(x):
    return mindspore.grad(exp_sum_keep)(x).sum()


x = Tensor([0.1, 0.2, 0.3])
exp_sum_first = mindspore.grad(exp_sum)(x)
found = mindspore.grad(slope_sum)(x)  # wrong
exp_sum_second = [round(value, 4) for value in found.tolist()]
exp_sum_kept = mindspore.grad(slope_sum_keep)(x)
exp_sum_compiled = mindspore.jit(mindspore.grad(slope_sum))(x)
print("first:    ", exp_sum_first)
print("second:   ", found)
print("keepdims: ", exp_sum_kept)
print("under jit:", exp_sum_compiled)
# --8<-- [end:exp_sum]

# --8<-- [start:physics]
values = [[0.5, -1.0, 0.3], [0.2, 0.4, -0.7]]
weight = Parameter(Tensor(values), name="weight")
dense = nn.Dense(2, 3, Tensor(values).T, has_bias=False)
readout = Tensor([[1.0], [-0.5], [0.8]])


def with_matmul(points):
    return ops.matmul(ops.tanh(ops.matmul(points, weight)), readout).sum()


def with_mm(points):
    return ops.mm(ops.tanh(ops.mm(points, weight)), readout).sum()


def with_dense(points):
    return ops.matmul(ops.tanh(dense(points)), readout).sum()


def transport_loss(solution, points):  # of the equation u_x + u_t = 0
    return (mindspore.grad(solution)(points).sum(1) ** 2).mean()


def transport_matmul(points):
    return transport_loss(with_matmul, points)


points = Tensor([[0.1, 0.3], [0.5, 0.2]])
grad_fn = mindspore.value_and_grad(transport_matmul, None, [weight])
loss, (found,) = grad_fn(points)
physics_loss, physics = loss.item(), [round(value, 4) for value in found[0].tolist()]
_loss, (physics_compiled,) = mindspore.jit(grad_fn)(points)
grad_mm = mindspore.grad(lambda p: transport_loss(with_mm, p), None, [weight])
grad_dense = mindspore.grad(lambda p: transport_loss(with_dense, p), None, [dense.weight])
(physics_mm,), (physics_dense,) = grad_mm(points), grad_dense(points)
print(f"loss {physics_loss:.4f}, gradient of the first row")
print("ops.matmul:", found[0])
print("under jit: ", physics_compiled[0])
print("ops.mm:    ", physics_mm[0])
print("nn.Dense:  ", physics_dense[:, 0])
# --8<-- [end:physics]

agree = {
    "exp_sum_first": exp_sum_first,
    "exp_sum_second": exp_sum_second,
    "exp_sum_kept": exp_sum_kept,
    "exp_sum_compiled": exp_sum_compiled,
    "physics": physics,
    "physics_loss": physics_loss,
    "physics_compiled": physics_compiled,
    "physics_mm": physics_mm,
    "physics_dense": physics_dense.T,
}
