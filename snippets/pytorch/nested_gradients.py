"""Gradients of gradients: where eager mode on CPU loses terms, and what is right there."""

import torch
from torch import nn

# --8<-- [start:exp_sum]
x = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)
value = torch.exp(x.sum())
(first,) = torch.autograd.grad(value, x, create_graph=True)
exp_sum_first = first.detach()
(found,) = torch.autograd.grad(first.sum(), x)
exp_sum_second = [round(number, 4) for number in found.tolist()]
value = torch.exp(x.sum(0, keepdim=True)).sum()
(first,) = torch.autograd.grad(value, x, create_graph=True)
(exp_sum_kept,) = torch.autograd.grad(first.sum(), x)
print("first:    ", exp_sum_first)
print("second:   ", found)
print("keepdim:  ", exp_sum_kept)
exp_sum_compiled = found
# --8<-- [end:exp_sum]

# --8<-- [start:physics]
values = [[0.5, -1.0, 0.3], [0.2, 0.4, -0.7]]
weight = nn.Parameter(torch.tensor(values))
dense = nn.Linear(2, 3, bias=False)
dense.weight = nn.Parameter(torch.tensor(values).T)
readout = torch.tensor([[1.0], [-0.5], [0.8]])


def with_matmul(points):
    return torch.matmul(torch.tanh(torch.matmul(points, weight)), readout).sum()


def with_mm(points):
    return torch.mm(torch.tanh(torch.mm(points, weight)), readout).sum()


def with_dense(points):
    return torch.matmul(torch.tanh(dense(points)), readout).sum()


def transport_loss(solution, points):  # of the equation u_x + u_t = 0
    (slope,) = torch.autograd.grad(solution(points), points, create_graph=True)
    return (slope.sum(1) ** 2).mean()


points = torch.tensor([[0.1, 0.3], [0.5, 0.2]], requires_grad=True)
loss = transport_loss(with_matmul, points)
(physics_compiled,) = torch.autograd.grad(loss, weight)
physics_loss = loss.item()
physics = [round(value, 4) for value in physics_compiled[0].tolist()]
(physics_mm,) = torch.autograd.grad(transport_loss(with_mm, points), weight)
(physics_dense,) = torch.autograd.grad(transport_loss(with_dense, points), dense.weight)
print(f"loss {physics_loss:.4f}, gradient of the first row")
print("matmul:   ", physics_compiled[0])
print("mm:       ", physics_mm[0])
print("nn.Linear:", physics_dense[:, 0])
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
