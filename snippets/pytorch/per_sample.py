"""One gradient for each sample, and a layer called with weights that are not its own."""

import numpy as np
import torch
from torch import nn
from torch.func import functional_call, grad, vmap

# --8<-- [start:per_sample]
rng = np.random.default_rng(0)
features = torch.tensor(rng.standard_normal((4, 3)), dtype=torch.float32)
targets = torch.tensor(rng.standard_normal((4, 1)), dtype=torch.float32)
weight = torch.tensor(rng.standard_normal((1, 3)), dtype=torch.float32)
bias = torch.zeros(1)


def sample_loss(weight, bias, x, y):
    return ((x @ weight.T + bias - y) ** 2).sum()


gradients = grad(sample_loss, argnums=(0, 1))
mapped = vmap(gradients, in_dims=(None, None, 0, 0))  # samples and targets, not weights
per_sample, per_sample_bias = mapped(weight, bias, features, targets)
print(tuple(per_sample.shape))
print("norm of each sample's gradient:", per_sample.norm(dim=(1, 2)))
# --8<-- [end:per_sample]


# --8<-- [start:layer_per_sample]
layer = nn.Linear(3, 1)
with torch.no_grad():
    layer.weight.copy_(weight)
    layer.bias.copy_(bias)
parameters = {name: p.detach() for name, p in layer.named_parameters()}


def layer_loss(parameters, x, y):
    return ((functional_call(layer, parameters, (x,)) - y) ** 2).sum()


by_name = vmap(grad(layer_loss), in_dims=(None, 0, 0))(parameters, features, targets)
layer_per_sample = by_name["weight"]
print({name: tuple(gradient.shape) for name, gradient in by_name.items()})
# --8<-- [end:layer_per_sample]


# --8<-- [start:other_weights]
doubled = {name: 2 * p for name, p in parameters.items()}
other_weights = functional_call(layer, doubled, (features,))
other_weights_own = layer(features).detach()
print("with doubled weights:", other_weights.detach().flatten())
print("its own, unchanged:  ", other_weights_own.flatten())
# --8<-- [end:other_weights]

agree = {
    "per_sample": per_sample,
    "per_sample_bias": per_sample_bias,
    "layer_per_sample": layer_per_sample,
    "other_weights": other_weights,
    "other_weights_own": other_weights_own,
}
