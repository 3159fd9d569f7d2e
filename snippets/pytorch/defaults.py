"""The same call without its optional arguments, where the frameworks do different things."""

import inspect

import numpy as np
import torch
from torch import nn

# --8<-- [start:conv_shape]
x = torch.ones(1, 3, 8, 8)
conv = nn.Conv2d(3, 4, 3)
conv_shape = list(conv(x).shape)
conv_parameters = [name for name, _ in conv.named_parameters()]
print(conv_shape, conv_parameters)
# --8<-- [end:conv_shape]

# --8<-- [start:conv_ported]
rng = np.random.default_rng(0)
x_array = rng.standard_normal((1, 3, 6, 6)).astype(np.float32)
weight = rng.standard_normal((4, 3, 3, 3)).astype(np.float32)
bias = rng.standard_normal(4).astype(np.float32)

unpadded = nn.Conv2d(3, 4, 3)
padded = nn.Conv2d(3, 4, 3, padding=1)
conv_ported = []
for conv in (unpadded, padded):
    with torch.no_grad():
        conv.weight.copy_(torch.tensor(weight))
        conv.bias.copy_(torch.tensor(bias))
    y = conv(torch.tensor(x_array))
    print(tuple(y.shape), f"{y[0, 0, 0, 0].item():.4f}")
    conv_ported.append(y.mean().item())

conv_ported_alone = "works"  # padding=1 needs nothing else
print("padding=1 alone:", conv_ported_alone)
# --8<-- [end:conv_ported]

# --8<-- [start:odd_padding]
x = torch.arange(16.0).reshape(1, 1, 4, 4)
conv = nn.Conv2d(1, 1, 3, stride=2, padding=1, bias=False)
nn.init.ones_(conv.weight)  # every output is the sum over its window
with torch.no_grad():
    even, odd = conv(x), conv(x[:, :, :3, :3])

odd_padding_4x4 = even.flatten().tolist()
odd_padding_3x3 = odd.flatten().tolist()
print("4x4:", odd_padding_4x4)
print("3x3:", odd_padding_3x3)
# --8<-- [end:odd_padding]

# --8<-- [start:conv_transposed]
x = torch.ones(1, 1, 4, 4)
up = nn.ConvTranspose2d(1, 1, 3, stride=2)
conv_transposed_shape = list(up(x).shape)
print(conv_transposed_shape, [name for name, _ in up.named_parameters()])

nn.init.ones_(up.weight), nn.init.ones_(up.bias)
conv_transposed_written = up(x).flatten().tolist()
print("first row:", conv_transposed_written[:9])
# --8<-- [end:conv_transposed]

# --8<-- [start:pool_stride]
x = torch.arange(64.0).reshape(1, 1, 8, 8)
pool_stride_max = list(nn.MaxPool2d(2)(x).shape)
pool_stride_average = list(nn.AvgPool2d(2)(x).shape)
print(pool_stride_max, pool_stride_average)

layers = (nn.MaxPool2d(2, stride=2), nn.AvgPool2d(2, stride=2))
pool_stride_written = [layer(x).flatten().tolist() for layer in layers]
print("stride=2, first row:", pool_stride_written[0][:4], pool_stride_written[1][:4])
# --8<-- [end:pool_stride]

# --8<-- [start:pool_padding]
x = torch.arange(49.0).reshape(1, 1, 7, 7)
y = nn.MaxPool2d(3, stride=2, padding=1)(x)
pool_padding = "works"
print(pool_padding)

pool_padding_values = y.flatten().tolist()
print(tuple(y.shape), pool_padding_values[:4])
# --8<-- [end:pool_padding]

# --8<-- [start:average_padding]
x = torch.ones(1, 1, 4, 4)
y = nn.AvgPool2d(3, stride=2, padding=1)(x)
average_padding_same = [round(value, 4) for value in y.flatten().tolist()]
average_padding_pad = y.flatten().tolist()
print(average_padding_same)
# --8<-- [end:average_padding]

# --8<-- [start:batch_norm]
rng = np.random.default_rng(1)
x = torch.tensor(rng.normal(3, 2, size=(8, 2, 2, 2)), dtype=torch.float32)

norm = nn.BatchNorm2d(2)  # momentum 0.1: the weight of the new batch
output = norm(x)
batch_norm_default = norm.running_mean.tolist() + norm.running_var.tolist()

literal = nn.BatchNorm2d(2, momentum=0.1)
batch_norm_output = (literal(x) - output).abs().max().item()
batch_norm_literal = [round(value, 4) for value in literal.running_mean.tolist()]
print("running mean, defaults:    ", [round(v, 4) for v in norm.running_mean.tolist()])
print("running mean, momentum=0.1:", batch_norm_literal)
print("difference in training mode:", batch_norm_output)
apart = literal.eval()(x) - norm.eval()(x)
batch_norm_inference = round(apart.abs().max().item(), 3)
print("in inference mode:", batch_norm_inference)
# --8<-- [end:batch_norm]

# --8<-- [start:mode]
net = nn.Sequential(nn.Dropout(p=0.5), nn.BatchNorm1d(3))
x = torch.ones(1000, 3)
mode_fresh = net.training
mode_dropout = bool((net[0](x) == 0).any())
net(x)
mode_statistics = bool(net[1].running_mean.any())
print("in training mode:", mode_fresh)
print("dropout drops:   ", mode_dropout)
print("statistics move: ", mode_statistics)
# --8<-- [end:mode]

# --8<-- [start:dropout]
torch.manual_seed(0)


def dropped(layer):
    return round((layer(torch.ones(100, 100)) == 0).float().mean().item(), 1)


dropout_positional = dropped(nn.Dropout(0.1))
dropout_named = dropped(nn.Dropout(p=0.1))
print("dropped by Dropout(0.1):  ", dropout_positional)
print("dropped by Dropout(p=0.1):", dropout_named)
# --8<-- [end:dropout]

# --8<-- [start:layer_norm]
x = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
layer = nn.LayerNorm(4)
layer_norm_size_one = [round(value, 4) for value in layer(x)[0].tolist()]
layer_norm_default = [round(value, 4) for value in layer(x / 1000)[0].tolist()]
print("size one:", layer_norm_size_one)
print("a thousandth:", layer_norm_default)

written = nn.LayerNorm(4, eps=1e-5)(x / 1000)
layer_norm_written = written[0].tolist()
print("epsilon written:", [round(value, 4) for value in layer_norm_written])
layer_norm_int = "works"
print("LayerNorm(4):", layer_norm_int)
# --8<-- [end:layer_norm]

# --8<-- [start:activations]
x = torch.tensor([-2.0, -1.0, 1.0])
activations_leaky_relu = [round(value, 2) for value in nn.LeakyReLU()(x).tolist()]
activations_gelu = [round(value, 5) for value in nn.GELU()(x).tolist()]
print(activations_leaky_relu, activations_gelu)

written = (nn.LeakyReLU(0.01), nn.GELU(), nn.GELU(approximate="tanh"))
activations_written = [layer(x).tolist() for layer in written]
for values in activations_written:
    print("written out:", [round(value, 5) for value in values])
alike = (nn.ELU(), nn.SiLU(), nn.Sigmoid(), nn.Tanh())
activations_same = [layer(x).tolist() for layer in alike]
# --8<-- [end:activations]

# --8<-- [start:rrelu]
torch.manual_seed(0)
layer = nn.RReLU(0.1, 0.3).eval()
x = torch.full((3,), -1.0)
rrelu_deterministic = len(set(layer(x).tolist())) == 1
print("one slope in inference mode:", rrelu_deterministic)
rrelu_replacement = layer(x).tolist()
print([round(value, 2) for value in rrelu_replacement])
# --8<-- [end:rrelu]

# --8<-- [start:instance_norm]
rng = np.random.default_rng(2)
x = torch.tensor(rng.standard_normal((2, 3, 4, 4)), dtype=torch.float32)
y = nn.InstanceNorm2d(3, affine=True)(x)
instance_norm = "works"
print(instance_norm)

groups = nn.GroupNorm(num_groups=3, num_channels=3)(x)
instance_norm_by_groups = (groups - y).abs().max().item() < 1e-5
instance_norm_values = y[0, 0, 0].tolist()
print("GroupNorm with one channel a group is the same:", instance_norm_by_groups)
# --8<-- [end:instance_norm]


# --8<-- [start:signatures]
def default(layer, argument):
    return inspect.signature(layer.__init__).parameters[argument].default


signatures_batch_norm_momentum = default(nn.BatchNorm2d, "momentum")
signatures_layer_norm_eps = default(nn.LayerNorm, "eps")
signatures_leaky_relu_slope = default(nn.LeakyReLU, "negative_slope")
signatures_smooth_l1_reduction = default(nn.SmoothL1Loss, "reduction")
signatures_same = [
    default(nn.BatchNorm2d, "eps"),
    default(nn.GroupNorm, "eps"),
    default(nn.ELU, "alpha"),
]
print("BatchNorm2d momentum ", signatures_batch_norm_momentum)
print("LayerNorm eps        ", signatures_layer_norm_eps)
print("LeakyReLU slope      ", signatures_leaky_relu_slope)
print("SmoothL1Loss reduces ", signatures_smooth_l1_reduction)
print("BatchNorm2d eps, GroupNorm eps, ELU alpha:", signatures_same)
# --8<-- [end:signatures]

# --8<-- [start:mint]
x, tokens = torch.ones(2, 3, 4, 4), torch.tensor([1])
layers = {
    "Linear(4, 2)": nn.Linear(4, 2),
    "GroupNorm(3, 3)": nn.GroupNorm(3, 3),
    "ReLU()": nn.ReLU(),
    "Dropout(0.1)": nn.Dropout(0.1),
    "GELU()": nn.GELU(),
    "MaxPool2d(2)": nn.MaxPool2d(2),
    "Conv2d(3, 4, 3)": nn.Conv2d(3, 4, 3),
    "BatchNorm2d(3)": nn.BatchNorm2d(3),
    "LayerNorm(4)": nn.LayerNorm(4),
    "Embedding(5, 2)": nn.Embedding(5, 2),
}
run = []
for name, layer in layers.items():
    layer(tokens if "Embedding" in name else x)
    run.append(name)
mint_layers = f"{len(run)} of {len(layers)}"
print("run:", mint_layers)
# --8<-- [end:mint]

agree = {
    "conv_shape": conv_shape,
    "conv_shape_parameters": conv_parameters,
    "conv_ported": conv_ported,
    "conv_ported_alone": conv_ported_alone,
    "odd_padding_4x4": odd_padding_4x4,
    "odd_padding_3x3": odd_padding_3x3,
    "odd_padding_written": odd_padding_4x4,
    "conv_transposed_shape": conv_transposed_shape,
    "conv_transposed_written": conv_transposed_written,
    "pool_stride_max": pool_stride_max,
    "pool_stride_average": pool_stride_average,
    "pool_stride_written": pool_stride_written,
    "pool_padding": pool_padding,
    "pool_padding_values": pool_padding_values,
    "average_padding_same": average_padding_same,
    "average_padding_pad": average_padding_pad,
    "batch_norm_output": batch_norm_output,
    "batch_norm_default": batch_norm_default,
    "batch_norm_literal": batch_norm_literal,
    "batch_norm_first_output": output,
    "batch_norm_inference": batch_norm_inference,
    "mode_fresh": mode_fresh,
    "mode_dropout": mode_dropout,
    "mode_statistics": mode_statistics,
    "dropout_positional": dropout_positional,
    "dropout_named": dropout_named,
    "layer_norm_size_one": layer_norm_size_one,
    "layer_norm_default": layer_norm_default,
    "layer_norm_written": layer_norm_written,
    "layer_norm_int": layer_norm_int,
    "activations_leaky_relu": activations_leaky_relu,
    "activations_gelu": activations_gelu,
    "activations_written": activations_written,
    "activations_same": activations_same,
    "rrelu_deterministic": rrelu_deterministic,
    "rrelu_replacement": rrelu_replacement,
    "instance_norm": instance_norm,
    "instance_norm_by_groups": instance_norm_by_groups,
    "instance_norm_values": instance_norm_values,
    "signatures_batch_norm_momentum": signatures_batch_norm_momentum,
    "signatures_layer_norm_eps": signatures_layer_norm_eps,
    "signatures_leaky_relu_slope": signatures_leaky_relu_slope,
    "signatures_smooth_l1_reduction": signatures_smooth_l1_reduction,
    "signatures_same": signatures_same,
    "mint_layers": mint_layers,
}
