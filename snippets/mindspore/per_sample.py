"""One gradient for each sample, and a layer called with weights that are not its own."""

import mindspore
import numpy as np
from mindspore import Tensor, grad, nn, ops, vmap

# --8<-- [start:per_sample]
mindspore.runtime.launch_blocking()  # before the first operator: quicker for small models on CPU
rng = np.random.default_rng(0)
features = Tensor(rng.standard_normal((4, 3)), mindspore.float32)
targets = Tensor(rng.standard_normal((4, 1)), mindspore.float32)
weight = Tensor(rng.standard_normal((1, 3)), mindspore.float32)
bias = ops.zeros(1)


def sample_loss(weight, bias, x, y):
    return ((x @ weight.T + bias - y) ** 2).sum()


gradients = grad(sample_loss, grad_position=(0, 1))
mapped = vmap(gradients, in_axes=(None, None, 0, 0))  # samples and targets, not weights
per_sample, per_sample_bias = mapped(weight, bias, features, targets)
print(per_sample.shape)
print("norm of each sample's gradient:", (per_sample**2).sum(axis=(1, 2)).sqrt())
# --8<-- [end:per_sample]


# --8<-- [start:layer_per_sample]
layer = nn.Dense(3, 1)
layer.weight.set_data(weight.copy())
layer.bias.set_data(bias.copy())


def layer_loss(x, y):
    return ((layer(x) - y) ** 2).sum()


parameters = layer.trainable_params()
found = vmap(grad(layer_loss, None, parameters))(features, targets)
by_name = {p.name: gradient for p, gradient in zip(parameters, found, strict=True)}
layer_per_sample = by_name["weight"]
print({name: gradient.shape for name, gradient in by_name.items()})
# --8<-- [end:layer_per_sample]


# --8<-- [start:other_weights]
saved = [p.copy() for p in parameters]
for p, value in zip(parameters, saved, strict=True):
    ops.assign(p, 2 * value)
other_weights = layer(features)
for p, value in zip(parameters, saved, strict=True):
    ops.assign(p, value)
other_weights_own = layer(features)
print("with doubled weights:", other_weights.flatten())
print("its own, unchanged:  ", other_weights_own.flatten())
# --8<-- [end:other_weights]

agree = {
    "per_sample": per_sample,
    "per_sample_bias": per_sample_bias,
    "layer_per_sample": layer_per_sample,
    "other_weights": other_weights,
    "other_weights_own": other_weights_own,
}
