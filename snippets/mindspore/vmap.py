"""A function written for one sample, mapped over a batch, over other axes, and over several models."""

import mindspore
import numpy as np
from mindspore import Tensor, ops, vmap

# --8<-- [start:map_over_batch]
mindspore.runtime.launch_blocking()  # before the first operator: quicker for small models on CPU


def dot(a, b):
    return (a * b).sum()


batch = ops.arange(6.0).reshape(2, 3)
map_over_batch = vmap(dot, in_axes=(0, None))(batch, ops.ones(3))
print(map_over_batch)
# --8<-- [end:map_over_batch]


# --8<-- [start:axes]
def double(row):
    return 2 * row


axes_columns = vmap(double, in_axes=1, out_axes=0)(batch)
axes_back = vmap(double, in_axes=1, out_axes=1)(batch)
print(axes_columns.shape, axes_back.shape)
# --8<-- [end:axes]


# --8<-- [start:nested]
def multiply(a, b):
    return a * b


a = Tensor([1.0, 2.0])
b = Tensor([3.0, 4.0])
outer_product = vmap(vmap(multiply, in_axes=(None, 0)), in_axes=(0, None))
nested = outer_product(a, b)
print(nested)
# --8<-- [end:nested]


# --8<-- [start:ensemble]
rng = np.random.default_rng(1)
features = Tensor(rng.standard_normal((4, 3)), mindspore.float32)
weights = Tensor(rng.standard_normal((3, 1, 3)), mindspore.float32)  # three models


def predict(weight, x):
    return x @ weight.T


ensemble = vmap(predict, in_axes=(0, None))(weights, features)
print(ensemble.shape, ensemble[:, 0, 0])
# --8<-- [end:ensemble]

agree = {
    "map_over_batch": map_over_batch,
    "axes_columns": axes_columns,
    "axes_back": axes_back,
    "nested": nested,
    "ensemble": ensemble,
}
