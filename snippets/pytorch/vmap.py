"""A function written for one sample, mapped over a batch, over other axes, and over several models."""

import numpy as np
import torch
from torch.func import vmap


# --8<-- [start:map_over_batch]
def dot(a, b):
    return (a * b).sum()


batch = torch.arange(6.0).reshape(2, 3)
map_over_batch = vmap(dot, in_dims=(0, None))(batch, torch.ones(3))
print(map_over_batch)
# --8<-- [end:map_over_batch]


# --8<-- [start:axes]
def double(row):
    return 2 * row


axes_columns = vmap(double, in_dims=1, out_dims=0)(batch)
axes_back = vmap(double, in_dims=1, out_dims=1)(batch)
print(tuple(axes_columns.shape), tuple(axes_back.shape))
# --8<-- [end:axes]


# --8<-- [start:nested]
def multiply(a, b):
    return a * b


a = torch.tensor([1.0, 2.0])
b = torch.tensor([3.0, 4.0])
outer_product = vmap(vmap(multiply, in_dims=(None, 0)), in_dims=(0, None))
nested = outer_product(a, b)
print(nested)
# --8<-- [end:nested]


# --8<-- [start:ensemble]
rng = np.random.default_rng(1)
features = torch.tensor(rng.standard_normal((4, 3)), dtype=torch.float32)
weights = torch.tensor(rng.standard_normal((3, 1, 3)), dtype=torch.float32)  # three models


def predict(weight, x):
    return x @ weight.T


ensemble = vmap(predict, in_dims=(0, None))(weights, features)
print(tuple(ensemble.shape), ensemble[:, 0, 0])
# --8<-- [end:ensemble]

agree = {
    "map_over_batch": map_over_batch,
    "axes_columns": axes_columns,
    "axes_back": axes_back,
    "nested": nested,
    "ensemble": ensemble,
}
