"""What every layer starts from by default, and how to start from something else."""

import math
import textwrap

import mindspore
import numpy as np
from mindspore import Tensor, mint, nn
from mindspore.common import initializer as init
from mindspore.common.initializer import initializer


# --8<-- [start:linear]
def describe(weight):  # large layers, so that two digits are the same at every draw
    values = weight.asnumpy()
    return [float(f"{abs(values).max():.2g}"), float(f"{values.std():.2g}")]


mindspore.runtime.launch_blocking()  # before the first operator
mindspore.set_seed(0)
layer = nn.Dense(400, 1000)
linear = [describe(layer.weight), describe(layer.bias)]
print("1 / sqrt(fan_in) =", 1 / math.sqrt(400))
print("weight: largest, std", linear[0])
print("bias:   largest, std", linear[1])
# --8<-- [end:linear]

# --8<-- [start:conv]
conv = nn.Conv2d(16, 1000, 5, has_bias=True)
transposed = nn.Conv2dTranspose(16, 64, 5)
print("1 / sqrt(16 * 5 * 5) =", 1 / math.sqrt(16 * 5 * 5))
print("Conv2d weight:", describe(conv.weight))
print("Conv2d bias:", describe(conv.bias))
print("1 / sqrt(64 * 5 * 5) =", 1 / math.sqrt(64 * 5 * 5))
print("transposed weight:", describe(transposed.weight))
# --8<-- [end:conv]

# --8<-- [start:embedding]
embedding = nn.Embedding(1000, 100, padding_idx=3)
table = embedding.embedding_table
spread = float(f"{table.asnumpy().std():.2g}")
print("std:", spread)
mint_spread = float(f"{mint.nn.Embedding(1000, 100).weight.asnumpy().std():.2g}")
wide = nn.Embedding(1000, 100, embedding_table=init.Normal(1.0)).embedding_table
given_spread = float(f"{wide.asnumpy().std():.2g}")
print("std with Normal(1.0):", given_spread)
print("std of mint.nn.Embedding:", mint_spread)  # it can be made on CPU, but not called
print("row of padding_idx:", table[3].abs().max().item())
# --8<-- [end:embedding]

# --8<-- [start:recurrent]
lstm = nn.LSTM(100, 100)
print("1 / sqrt(hidden) =", 1 / math.sqrt(100))
for name, parameter in lstm.parameters_and_names():
    print(name, describe(parameter)[0] <= 0.1)
gates = describe(lstm.weight_ih_l0)
print("largest, std of the first:", gates)
# --8<-- [end:recurrent]

# --8<-- [start:norm]
for layer in (nn.BatchNorm1d(3), nn.LayerNorm((3,)), nn.GroupNorm(1, 3)):
    print(type(layer).__name__, layer.gamma.tolist(), layer.beta.tolist())
norm = nn.BatchNorm1d(3)
print("running:", norm.moving_mean.tolist(), norm.moving_variance.tolist())
# --8<-- [end:norm]

# --8<-- [start:attention]
attention = nn.MultiheadAttention(300, 4)
for name, parameter in attention.parameters_and_names():
    print(name, parameter.shape, describe(parameter)[0])
print("sqrt(6 / (300 + 900)) =", round(math.sqrt(6 / (300 + 900)), 4))
out_bias = bool(attention.out_proj.bias.any())
print("output bias drawn at random:", out_bias)
layer = nn.TransformerEncoderLayer(100, 4, 100)
encoder = nn.TransformerEncoder(layer, 2)
in_encoder = bool(encoder.layers[1].self_attn.out_proj.bias.any())
print("and inside a transformer layer:", in_encoder)

biases = [p for name, p in encoder.parameters_and_names() if "out_proj.bias" in name]
for bias in biases:  # start as PyTorch does
    bias.set_data(initializer("zeros", bias.shape, bias.dtype))
left = [bias.name for bias in biases if bias.any()]
print("output biases that are not zero:", left)
# --8<-- [end:attention]


# --8<-- [start:own]
def draw(kind, shape=(400, 1000)):
    mindspore.set_seed(0)
    return initializer(kind, shape, mindspore.float32).init_data()


# as arguments, when the layer is made: an initialiser, its name, or a number
layer = nn.Dense(400, 1000, weight_init=init.XavierUniform(), bias_init="zeros")
own = describe(layer.weight)
print(own, layer.bias.any().item())
tiny = nn.Dense(2, 2, bias_init=0.5)
print("bias:", tiny.bias.tolist())
print("without a layer:", describe(draw(init.XavierUniform())))
# --8<-- [end:own]

# --8<-- [start:xavier]
xavier = [
    describe(draw(init.XavierUniform()))[0],
    describe(draw(init.XavierUniform(gain=2.0)))[0],
    describe(draw(init.XavierNormal()))[1],
]
print("sqrt(6 / (fan_in + fan_out)) =", round(math.sqrt(6 / 1400), 4))
print("uniform, gain 2, normal:", xavier)
# --8<-- [end:xavier]

# --8<-- [start:kaiming]
kaiming = {
    "default": describe(draw(init.HeUniform())),
    "relu": describe(draw(init.HeUniform(nonlinearity="relu"))),
    "fan_out": describe(draw(init.HeUniform(mode="fan_out"))),
    "slope": describe(draw(init.HeUniform(negative_slope=math.sqrt(5)))),
    "tanh": describe(draw(init.HeUniform(nonlinearity="tanh"))),
    "linear": describe(draw(init.HeUniform(nonlinearity="linear"))),
}
for name, value in kaiming.items():
    print(name, value)
print("normal, std:", describe(draw(init.HeNormal()))[1])
try:
    describe(draw(init.HeUniform(nonlinearity="selu")))
    kaiming_selu = "works"
except ValueError as error:
    kaiming_selu = type(error).__name__
    print(textwrap.fill(str(error), 76))
print("selu:", kaiming_selu)
selu = draw(init.HeNormal(nonlinearity="linear")) * 0.75  # times PyTorch's gain for selu
selu_std = describe(selu)[1]
print("normal for selu, std:", selu_std)
# --8<-- [end:kaiming]

# --8<-- [start:normal]
normal = draw(init.Normal(sigma=0.5, mean=0.0))
print("by name:", describe(normal)[1])
in_order = draw(init.Normal(0.0, 0.5))  # sigma comes first: every weight is 0.5
normal_in_order = describe(in_order)[1]
print("the same two numbers by position, std:", normal_in_order)
normal_default = describe(draw(init.Normal()))[1]
print("default std:", normal_default)
# --8<-- [end:normal]

# --8<-- [start:uniform]
uniform = draw(init.Uniform(0.5))  # from -0.5 to 0.5
print("symmetric:", describe(uniform))
uniform_default = draw(init.Uniform())
lowest = round(uniform_default.min().item(), 2)
highest = round(uniform_default.max().item(), 2)
print("default:", [lowest, highest])
interval = np.random.default_rng(0).uniform(0, 1, (2, 3)).astype(np.float32)
layer = nn.Dense(3, 2)
layer.weight.set_data(Tensor(interval))
print("another interval, from NumPy:", [round(v, 2) for v in layer.weight[0].tolist()])
# --8<-- [end:uniform]

# --8<-- [start:truncated]
cut = {"sigma": 0.02, "a": -0.04, "b": 0.04}
truncated = {
    "std 1": describe(draw(init.TruncatedNormal(sigma=1.0))),
    "std 0.02, cut at 0.04": describe(draw(init.TruncatedNormal(**cut))),
    "std 0.02": describe(draw(init.TruncatedNormal(sigma=0.02)))[1:],
    "default": describe(draw(init.TruncatedNormal()))[1:],
}
for name, value in truncated.items():
    print(name, value)
# --8<-- [end:truncated]

# --8<-- [start:variance_scaling]
asked = init.VarianceScaling(1.0, mode="fan_in", distribution="truncated_normal")
scaled = draw(asked).asnumpy()
shape_of_draw = round(float(abs(scaled).max() / scaled.std()), 1)
print("std:", f"{scaled.std():.2g}", "largest, in standard deviations:", shape_of_draw)

std = math.sqrt(1.0 / 1000) / 0.87962566  # 1 / fan_in; what the cut takes away
values = draw(init.TruncatedNormal(sigma=std, a=-2 * std, b=2 * std)).asnumpy()
largest = round(float(abs(values).max() / values.std()), 1)
by_hand = [float(f"{values.std():.2g}"), largest]
print("worked out by hand:", by_hand)
# --8<-- [end:variance_scaling]

# --8<-- [start:exact]
print(draw(init.Constant(0.5), (2, 2)))
print(draw(init.Identity(), (2, 3)))
kernel = draw(init.Dirac(), (2, 2, 3))
print(kernel)
square = draw(init.Orthogonal(gain=2.0), (3, 5)).asnumpy()
gram = (square @ square.T).round(decimals=4) + 0.0
print("orthogonal, w @ w.T:", gram)
zeros = (draw(init.Sparse(sparsity=0.25), (10, 4)).asnumpy() == 0).sum(0)
print("zeros in each column:", zeros)
# --8<-- [end:exact]

# --8<-- [start:one_dimension]
try:
    nn.Dense(3, 3, bias_init=init.XavierUniform())
except ValueError as error:
    one_dimension = type(error).__name__
    print(one_dimension, textwrap.fill(str(error), 76), sep="\n")
# --8<-- [end:one_dimension]


# --8<-- [start:all_layers]
def fresh(kind, parameter):
    parameter.set_data(initializer(kind, parameter.shape, parameter.dtype))


def initialise(cell):
    if isinstance(cell, (nn.Dense, nn.Conv2d)):
        fresh(init.HeNormal(mode="fan_out", nonlinearity="relu"), cell.weight)
        fresh(0.1, cell.bias)
    elif isinstance(cell, nn.Embedding):
        fresh(init.Normal(sigma=0.02), cell.embedding_table)


mindspore.set_seed(0)
model = nn.CellDict({"embed": nn.Embedding(1000, 100), "head": nn.Dense(100, 2000)})
model.apply(initialise)
summary = {}
for name, parameter in model.parameters_and_names():
    values = parameter.asnumpy()
    summary[name] = [abs(round(float(values.mean()), 2)), round(float(values.std()), 3)]
    print(name, "mean, std:", summary[name])
# --8<-- [end:all_layers]

# --8<-- [start:set_data]
layer = nn.Dense(3, 2)
try:
    layer.weight.set_data(initializer("ones", (4, 4)))
    wrong_shape = "works"
except (RuntimeError, ValueError) as error:
    wrong_shape = type(error).__name__
    print(str(error).splitlines()[0])
print("weights of another shape:", wrong_shape, layer.weight.shape)

layer = nn.Dense(3, 2)
given = Tensor(np.ones((2, 3), np.float32))
layer.weight.set_data(given)
given[:] = 5.0  # the tensor it came from changes
kept = layer.weight[0, 0].item()
print("weight afterwards:", kept)
# --8<-- [end:set_data]

# --8<-- [start:lazy]
weight = initializer("normal", (2, 3))  # a recipe, no values yet
layer = nn.Dense(3, 2)
try:
    layer.weight.copy_(weight).asnumpy()
    lazy_use = "works"
except RuntimeError as error:
    lazy_use = type(error).__name__
    message = str(error).partition(") ")[2].partition(" For more")[0]
    print(textwrap.fill(message, 76))
print("used at once:", lazy_use)
values = initializer("normal", (2, 3)).init_data()  # draws the numbers
layer.weight.copy_(values)
small = bool((layer.weight.abs() < 0.1).all())
print("all below 0.1:", small)
# --8<-- [end:lazy]

# --8<-- [start:seeds]
mindspore.set_seed(1)
first, second = nn.Dense(3, 2), nn.Dense(3, 2)
mindspore.set_seed(1)
again = nn.Dense(3, 2)


def equal(one, other):
    return np.array_equal(one.weight.asnumpy(), other.weight.asnumpy())


print("same seed, same weights:", equal(first, again))
print("next layer, same weights:", equal(first, second))

np.random.seed(1)
from_numpy_seed = nn.Dense(3, 2)
np.random.seed(1)
numpy_rules = equal(from_numpy_seed, nn.Dense(3, 2))
print("NumPy's seed decides:", numpy_rules)

np.random.seed(1)
expected = np.random.rand()
np.random.seed(1)
nn.Dense(3, 2)
disturbed = np.random.rand() != expected
print("making a layer uses up NumPy's random numbers:", disturbed)
# --8<-- [end:seeds]

# --8<-- [start:same_weights]
rng = np.random.default_rng(0)
bound = 1 / math.sqrt(3)
numbers = {
    "weight": rng.uniform(-bound, bound, (2, 3)).astype(np.float32),
    "bias": rng.uniform(-bound, bound, 2).astype(np.float32),
}
layer = nn.Dense(3, 2)
layer.load_state_dict({name: Tensor(value) for name, value in numbers.items()})
same_output = layer(Tensor([[1.0, 2.0, 3.0]]))
print(same_output)
# --8<-- [end:same_weights]

# --8<-- [start:reset]
layer = nn.Dense(400, 1000, weight_init="zeros")
fresh(init.HeUniform(math.sqrt(5)), layer.weight)  # what Dense draws by default
fresh(init.Uniform(1 / math.sqrt(400)), layer.bias)
reset = describe(layer.weight)
print("largest, std:", reset)
has_reset = hasattr(layer, "reset_parameters")
print("has reset_parameters:", has_reset)
# --8<-- [end:reset]

# --8<-- [start:in_place]
layer = nn.Dense(400, 1000)
in_place = {}
for name, change in {
    "normal_": lambda weight: weight.normal_(0, 0.5),
    "uniform_": lambda weight: weight.uniform_(-0.5, 0.5),
    "zero_": lambda weight: weight.zero_(),
    "fill_": lambda weight: weight.fill_(0.5),
}.items():
    try:
        change(layer.weight).asnumpy()
        in_place[name] = "works"
        print(f"{name}: {in_place[name]}")
    except RuntimeError as error:
        in_place[name] = type(error).__name__
        print(f"{name}: {str(error).splitlines()[0]}")
# --8<-- [end:in_place]

agree = {
    "linear": linear,
    "conv": [describe(conv.weight), describe(conv.bias), describe(transposed.weight)],
    "embedding_std": spread,
    "embedding_std_given": given_spread,
    "embedding_std_mint": mint_spread,
    "embedding_padding_row": table[3].abs().max().item(),
    "recurrent": gates,
    "norm": [*norm.gamma.tolist(), *norm.beta.tolist(), *norm.moving_variance.tolist()],
    "attention": [
        describe(attention.in_proj_weight)[0],
        describe(attention.in_proj_bias)[0],
        describe(attention.out_proj.weight)[0],
    ],
    "attention_output_bias_random": out_bias,
    "attention_transformer_bias_random": in_encoder,
    "attention_bias_left": len(left),
    "own": own,
    "own_number": tiny.bias.tolist(),
    "xavier": xavier,
    "kaiming": list(kaiming.values()),
    "kaiming_selu": kaiming_selu,
    "kaiming_selu_by_hand": selu_std,
    "normal": describe(normal)[1],
    "normal_in_order": normal_in_order,
    "normal_default": normal_default,
    "uniform": describe(uniform),
    "uniform_default_lowest": lowest,
    "uniform_default_highest": highest,
    "uniform_from_numpy": interval,
    "truncated": truncated["std 1"] + truncated["std 0.02, cut at 0.04"] + truncated["std 0.02"],
    "truncated_default": truncated["default"][0],
    "variance_scaling_std": float(f"{scaled.std():.2g}"),
    "variance_scaling_by_hand": by_hand,
    "variance_scaling_largest": shape_of_draw,
    "exact_dirac": kernel,
    "exact_orthogonal": gram,
    "exact_sparse": zeros,
    "one_dimension": one_dimension,
    "all_layers": list(summary.values()),
    "set_data_wrong_shape": wrong_shape,
    "set_data_shares_memory": kept == 5.0,
    "lazy_use": lazy_use,
    "lazy_small": small,
    "seeds_repeat": equal(first, again),
    "seeds_numpy_decides": numpy_rules,
    "seeds_numpy_disturbed": disturbed,
    "same_weights": same_output,
    "reset_method": has_reset,
    "reset": reset,
    "in_place_normal": in_place["normal_"],
    "in_place_uniform": in_place["uniform_"],
    "in_place_zero": in_place["zero_"],
    "in_place_fill": in_place["fill_"],
}
