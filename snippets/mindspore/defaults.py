"""The same call without its optional arguments, where the frameworks do different things."""

import inspect
import textwrap

import mindspore
import numpy as np
from mindspore import Tensor, mint, nn, ops

# --8<-- [start:conv_shape]
mindspore.runtime.launch_blocking()  # before the first operator
x = ops.ones((1, 3, 8, 8))
conv = nn.Conv2d(3, 4, 3)
conv_shape = list(conv(x).shape)
conv_parameters = [parameter.name for parameter in conv.trainable_params()]
print(conv_shape, conv_parameters)
# --8<-- [end:conv_shape]

# --8<-- [start:conv_ported]
rng = np.random.default_rng(0)
x_array = rng.standard_normal((1, 3, 6, 6)).astype(np.float32)
weight = rng.standard_normal((4, 3, 3, 3)).astype(np.float32)
bias = rng.standard_normal(4).astype(np.float32)

unpadded = nn.Conv2d(3, 4, 3, pad_mode="valid", has_bias=True)
padded = nn.Conv2d(3, 4, 3, pad_mode="pad", padding=1, has_bias=True)
conv_ported = []
for conv in (unpadded, padded):
    conv.weight.set_data(Tensor(weight))
    conv.bias.set_data(Tensor(bias))
    y = conv(Tensor(x_array))
    print(y.shape, f"{y[0, 0, 0, 0].item():.4f}")
    conv_ported.append(y.mean().item())

try:
    nn.Conv2d(3, 4, 3, padding=1)
    conv_ported_alone = "works"
except ValueError as error:
    conv_ported_alone = type(error).__name__
    print(str(error).partition(", but")[0])
print("padding=1 alone:", conv_ported_alone)
# --8<-- [end:conv_ported]

# --8<-- [start:odd_padding]
x = ops.arange(16.0).reshape(1, 1, 4, 4)
conv = nn.Conv2d(1, 1, 3, stride=2, pad_mode="same", weight_init="ones")
even, odd = conv(x), conv(x[:, :, :3, :3])

odd_padding_4x4 = even.flatten().tolist()
odd_padding_3x3 = odd.flatten().tolist()
print("4x4:", odd_padding_4x4)
print("3x3:", odd_padding_3x3)

conv = nn.Conv2d(1, 1, 3, stride=2, pad_mode="pad", padding=1, weight_init="ones")
odd_padding_written = conv(x).flatten().tolist()
print('4x4 with pad_mode="pad":', odd_padding_written)
# --8<-- [end:odd_padding]

# --8<-- [start:conv_transposed]
x = ops.ones((1, 1, 4, 4))
up = nn.Conv2dTranspose(1, 1, 3, stride=2)
conv_transposed_shape = list(up(x).shape)
print(conv_transposed_shape, [parameter.name for parameter in up.trainable_params()])

like_pytorch = {"pad_mode": "valid", "has_bias": True}
ones = {"weight_init": "ones", "bias_init": "ones"}
up = nn.Conv2dTranspose(1, 1, 3, stride=2, **like_pytorch, **ones)
conv_transposed_written = up(x).flatten().tolist()
print("first row:", conv_transposed_written[:9])
# --8<-- [end:conv_transposed]

# --8<-- [start:pool_stride]
x = ops.arange(64.0).reshape(1, 1, 8, 8)
pool_stride_max = list(nn.MaxPool2d(2)(x).shape)
pool_stride_average = list(nn.AvgPool2d(2)(x).shape)
print(pool_stride_max, pool_stride_average)

layers = (nn.MaxPool2d(2, stride=2), nn.AvgPool2d(2, stride=2))
pool_stride_written = [layer(x).flatten().tolist() for layer in layers]
print("stride=2, first row:", pool_stride_written[0][:4], pool_stride_written[1][:4])
# --8<-- [end:pool_stride]

# --8<-- [start:pool_padding]
x = ops.arange(49.0).reshape(1, 1, 7, 7)
try:
    nn.MaxPool2d(3, stride=2, padding=1)(x)
    pool_padding = "works"
except ValueError as error:
    pool_padding = type(error).__name__
    print(textwrap.fill(str(error), 76))
print(pool_padding)

y = nn.MaxPool2d(3, stride=2, pad_mode="pad", padding=1)(x)
pool_padding_values = y.flatten().tolist()
print(y.shape, pool_padding_values[:4])
# --8<-- [end:pool_padding]

# --8<-- [start:average_padding]
x = ops.ones((1, 1, 4, 4))
y = nn.AvgPool2d(3, stride=2, pad_mode="same")(x)
average_padding_same = [round(value, 4) for value in y.flatten().tolist()]
y = nn.AvgPool2d(3, stride=2, pad_mode="pad", padding=1)(x)
average_padding_pad = y.flatten().tolist()
print(average_padding_same)
print('with pad_mode="pad":', [round(value, 4) for value in average_padding_pad])
# --8<-- [end:average_padding]

# --8<-- [start:batch_norm]
rng = np.random.default_rng(1)
x = Tensor(rng.normal(3, 2, size=(8, 2, 2, 2)), mindspore.float32)

norm = nn.BatchNorm2d(2).set_train()  # momentum 0.9: the weight of the old statistics
output = norm(x)
batch_norm_default = norm.moving_mean.tolist() + norm.moving_variance.tolist()

literal = nn.BatchNorm2d(2, momentum=0.1).set_train()
batch_norm_output = (literal(x) - output).abs().max().item()
batch_norm_literal = [round(value, 4) for value in literal.moving_mean.tolist()]
print("running mean, defaults:    ", [round(v, 4) for v in norm.moving_mean.tolist()])
print("running mean, momentum=0.1:", batch_norm_literal)
print("difference in training mode:", batch_norm_output)
apart = literal.set_train(False)(x) - norm.set_train(False)(x)
batch_norm_inference = round(apart.abs().max().item(), 3)
print("in inference mode:", batch_norm_inference)
# --8<-- [end:batch_norm]

# --8<-- [start:mode]
net = nn.SequentialCell(nn.Dropout(p=0.5), nn.BatchNorm1d(3))
x = ops.ones((1000, 3))
mode_fresh = net.training
mode_dropout = bool((net[0](x) == 0).any())
net(x)
mode_statistics = bool(net[1].moving_mean.any())
print("in training mode:", mode_fresh)
print("dropout drops:   ", mode_dropout)
print("statistics move: ", mode_statistics)
# --8<-- [end:mode]


# --8<-- [start:dropout]
def dropped(layer):
    zeros = layer.set_train()(ops.ones((100, 100))) == 0
    return round(zeros.astype(mindspore.float32).mean().item(), 1)


dropout_positional = dropped(nn.Dropout(0.1))
dropout_named = dropped(nn.Dropout(p=0.1))
print("dropped by Dropout(0.1):  ", dropout_positional)
print("dropped by Dropout(p=0.1):", dropout_named)
# --8<-- [end:dropout]

# --8<-- [start:layer_norm]
x = Tensor([[1.0, 2.0, 3.0, 4.0]])
layer = nn.LayerNorm((4,))
layer_norm_size_one = [round(value, 4) for value in layer(x)[0].tolist()]
layer_norm_default = [round(value, 4) for value in layer(x / 1000)[0].tolist()]
print("size one:", layer_norm_size_one)
print("a thousandth:", layer_norm_default)

written = nn.LayerNorm((4,), epsilon=1e-5)(x / 1000)
layer_norm_written = written[0].tolist()
print("epsilon written:", [round(value, 4) for value in layer_norm_written])
try:
    nn.LayerNorm(4)
    layer_norm_int = "works"
except TypeError as error:
    layer_norm_int = type(error).__name__
    print(textwrap.fill(str(error), 76))
print("LayerNorm(4):", layer_norm_int)
# --8<-- [end:layer_norm]

# --8<-- [start:activations]
x = Tensor([-2.0, -1.0, 1.0])
activations_leaky_relu = [round(value, 2) for value in nn.LeakyReLU()(x).tolist()]
activations_gelu = [round(value, 5) for value in nn.GELU()(x).tolist()]
print(activations_leaky_relu, activations_gelu)

written = (nn.LeakyReLU(0.01), nn.GELU(approximate=False), nn.GELU(approximate=True))
activations_written = [layer(x).tolist() for layer in written]
for values in activations_written:
    print("written out:", [round(value, 5) for value in values])
alike = (nn.ELU(), nn.SiLU(), nn.Sigmoid(), nn.Tanh())
activations_same = [layer(x).tolist() for layer in alike]
# --8<-- [end:activations]

# --8<-- [start:rrelu]
mindspore.set_seed(0)
layer = nn.RReLU(0.1, 0.3).set_train(False)
x = Tensor([-1.0, -1.0, -1.0])
rrelu_deterministic = len(set(layer(x).tolist())) == 1
print("one slope in inference mode:", rrelu_deterministic)
rrelu_replacement = nn.LeakyReLU((0.1 + 0.3) / 2)(x).tolist()
print([round(value, 2) for value in rrelu_replacement])
# --8<-- [end:rrelu]

# --8<-- [start:instance_norm]
rng = np.random.default_rng(2)
x = Tensor(rng.standard_normal((2, 3, 4, 4)), mindspore.float32)
try:
    nn.InstanceNorm2d(3)(x).asnumpy()
    instance_norm = "works"
except RuntimeError as error:
    instance_norm = type(error).__name__
    message = next(line for line in str(error).splitlines() if "Unsupported" in line)
    print(message.partition(",")[0])
    platforms = nn.InstanceNorm2d.__doc__.partition("Supported Platforms:")[2]
    print("documented for", platforms.split("\n")[1].strip(" `"))

groups = nn.GroupNorm(num_groups=3, num_channels=3)(x)
one_channel = x[0, 0]
y = (one_channel - one_channel.mean()) / (one_channel.var() + 1e-5).sqrt()
instance_norm_by_groups = (groups[0, 0] - y).abs().max().item() < 1e-5
instance_norm_values = groups[0, 0, 0].tolist()
print("GroupNorm with one channel a group is the same:", instance_norm_by_groups)
# --8<-- [end:instance_norm]


# --8<-- [start:signatures]
def default(layer, argument):
    return inspect.signature(layer.__init__).parameters[argument].default


signatures_batch_norm_momentum = default(nn.BatchNorm2d, "momentum")
signatures_layer_norm_eps = default(nn.LayerNorm, "epsilon")
signatures_leaky_relu_slope = default(nn.LeakyReLU, "alpha")
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
x, tokens = ops.ones((2, 3, 4, 4)), Tensor([1])
layers = {
    "Linear(4, 2)": mint.nn.Linear(4, 2),
    "GroupNorm(3, 3)": mint.nn.GroupNorm(3, 3),
    "ReLU()": mint.nn.ReLU(),
    "Dropout(0.1)": mint.nn.Dropout(0.1),
    "GELU()": mint.nn.GELU(),
    "MaxPool2d(2)": mint.nn.MaxPool2d(2),
    "Conv2d(3, 4, 3)": mint.nn.Conv2d(3, 4, 3),
    "BatchNorm2d(3)": mint.nn.BatchNorm2d(3),
    "LayerNorm(4)": mint.nn.LayerNorm(4),
    "Embedding(5, 2)": mint.nn.Embedding(5, 2),
}
run, documented = [], set()
for name, layer in layers.items():
    try:
        layer.set_train()(tokens if "Embedding" in name else x).asnumpy()
        run.append(name)
    except RuntimeError as error:
        print(f"{name}: {str(error).splitlines()[0]}")
        platforms = type(layer).__doc__.partition("Supported Platforms:")[2]
        documented.add(platforms.split("\n")[1].strip(" `"))
print("those are documented for", *documented)
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
    "odd_padding_written": odd_padding_written,
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
