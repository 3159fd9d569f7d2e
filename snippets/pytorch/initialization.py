"""What every layer starts from by default, and how to start from something else."""

import math

import numpy as np
import torch
from torch import nn


# --8<-- [start:linear]
def describe(weight):  # large layers, so that two digits are the same at every draw
    values = weight.detach().numpy()
    return [float(f"{abs(values).max():.2g}"), float(f"{values.std():.2g}")]


torch.manual_seed(0)
layer = nn.Linear(400, 1000)
linear = [describe(layer.weight), describe(layer.bias)]
print("1 / sqrt(fan_in) =", 1 / math.sqrt(400))
print("weight: largest, std", linear[0])
print("bias:   largest, std", linear[1])
# --8<-- [end:linear]

# --8<-- [start:conv]
conv = nn.Conv2d(16, 1000, 5)
transposed = nn.ConvTranspose2d(16, 64, 5)
print("1 / sqrt(16 * 5 * 5) =", 1 / math.sqrt(16 * 5 * 5))
print("Conv2d weight:", describe(conv.weight))
print("Conv2d bias:", describe(conv.bias))
print("1 / sqrt(64 * 5 * 5) =", 1 / math.sqrt(64 * 5 * 5))
print("transposed weight:", describe(transposed.weight))
# --8<-- [end:conv]

# --8<-- [start:embedding]
embedding = nn.Embedding(1000, 100, padding_idx=3)
table = embedding.weight
spread = float(f"{table.detach().numpy().std():.2g}")
print("std:", spread)
print("row of padding_idx:", table[3].abs().max().item())
# --8<-- [end:embedding]

# --8<-- [start:recurrent]
lstm = nn.LSTM(100, 100)
print("1 / sqrt(hidden) =", 1 / math.sqrt(100))
for name, parameter in lstm.named_parameters():
    print(name, describe(parameter)[0] <= 0.1)
gates = describe(lstm.weight_ih_l0)
print("largest, std of the first:", gates)
# --8<-- [end:recurrent]

# --8<-- [start:norm]
for layer in (nn.BatchNorm1d(3), nn.LayerNorm(3), nn.GroupNorm(1, 3)):
    print(type(layer).__name__, layer.weight.tolist(), layer.bias.tolist())
norm = nn.BatchNorm1d(3)
print("running:", norm.running_mean.tolist(), norm.running_var.tolist())
# --8<-- [end:norm]

# --8<-- [start:attention]
attention = nn.MultiheadAttention(300, 4)
for name, parameter in attention.named_parameters():
    print(name, tuple(parameter.shape), describe(parameter)[0])
print("sqrt(6 / (300 + 900)) =", round(math.sqrt(6 / (300 + 900)), 4))
out_bias = bool(attention.out_proj.bias.any())
print("output bias drawn at random:", out_bias)
layer = nn.TransformerEncoderLayer(100, 4, 100)
encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
in_encoder = bool(encoder.layers[1].self_attn.out_proj.bias.any())
print("and inside a transformer layer:", in_encoder)

biases = [p for name, p in encoder.named_parameters() if "out_proj.bias" in name]
left = [bias for bias in biases if bias.any()]
print("output biases that are not zero:", left)
# --8<-- [end:attention]


# --8<-- [start:own]
def draw(init_, shape=(400, 1000), **options):
    torch.manual_seed(0)
    return init_(torch.empty(shape), **options)


layer = nn.Linear(400, 1000)
nn.init.xavier_uniform_(layer.weight)  # in place, after the layer was made
nn.init.zeros_(layer.bias)
own = describe(layer.weight)
print(own, layer.bias.any().item())
tiny = nn.Linear(2, 2)
nn.init.constant_(tiny.bias, 0.5)
print("bias:", tiny.bias.tolist())
print("without a layer:", describe(draw(nn.init.xavier_uniform_)))
# --8<-- [end:own]

# --8<-- [start:xavier]
xavier = [
    describe(draw(nn.init.xavier_uniform_))[0],
    describe(draw(nn.init.xavier_uniform_, gain=2.0))[0],
    describe(draw(nn.init.xavier_normal_))[1],
]
print("sqrt(6 / (fan_in + fan_out)) =", round(math.sqrt(6 / 1400), 4))
print("uniform, gain 2, normal:", xavier)
# --8<-- [end:xavier]

# --8<-- [start:kaiming]
kaiming = {
    "default": describe(draw(nn.init.kaiming_uniform_)),
    "relu": describe(draw(nn.init.kaiming_uniform_, nonlinearity="relu")),
    "fan_out": describe(draw(nn.init.kaiming_uniform_, mode="fan_out")),
    "slope": describe(draw(nn.init.kaiming_uniform_, a=math.sqrt(5))),
    "tanh": describe(draw(nn.init.kaiming_uniform_, nonlinearity="tanh")),
    "linear": describe(draw(nn.init.kaiming_uniform_, nonlinearity="linear")),
}
for name, value in kaiming.items():
    print(name, value)
print("normal, std:", describe(draw(nn.init.kaiming_normal_))[1])
try:
    describe(draw(nn.init.kaiming_uniform_, nonlinearity="selu"))
    kaiming_selu = "works"
except ValueError as error:
    kaiming_selu = type(error).__name__
print("selu:", kaiming_selu)
selu_std = describe(draw(nn.init.kaiming_normal_, nonlinearity="selu"))[1]
print("normal for selu, std:", selu_std)
# --8<-- [end:kaiming]

# --8<-- [start:normal]
normal = draw(nn.init.normal_, mean=0.0, std=0.5)
print("by name:", describe(normal)[1])
in_order = draw(lambda tensor: nn.init.normal_(tensor, 0.0, 0.5))
normal_in_order = describe(in_order)[1]
print("the same two numbers by position, std:", normal_in_order)
normal_default = describe(draw(nn.init.normal_))[1]
print("default std:", normal_default)
# --8<-- [end:normal]

# --8<-- [start:uniform]
uniform = draw(nn.init.uniform_, a=-0.5, b=0.5)
print("symmetric:", describe(uniform))
uniform_default = draw(nn.init.uniform_)
lowest = round(uniform_default.min().item(), 2)
highest = round(uniform_default.max().item(), 2)
print("default:", [lowest, highest])
interval = np.random.default_rng(0).uniform(0, 1, (2, 3)).astype(np.float32)
layer = nn.Linear(3, 2)
with torch.no_grad():
    layer.weight.copy_(torch.from_numpy(interval))
print("another interval, from NumPy:", [round(v, 2) for v in layer.weight[0].tolist()])
# --8<-- [end:uniform]

# --8<-- [start:truncated]
cut = {"std": 0.02, "a": -0.04, "b": 0.04}
truncated = {
    "std 1": describe(draw(nn.init.trunc_normal_, std=1.0)),
    "std 0.02, cut at 0.04": describe(draw(nn.init.trunc_normal_, **cut)),
    "std 0.02": describe(draw(nn.init.trunc_normal_, std=0.02))[1:],
    "default": describe(draw(nn.init.trunc_normal_))[1:],
}
for name, value in truncated.items():
    print(name, value)
# --8<-- [end:truncated]

# --8<-- [start:variance_scaling]
# torch.nn.init has no variance scaling: a truncated normal, its deviation worked out
std = math.sqrt(1.0 / 1000) / 0.87962566  # 1 / fan_in; what the cut takes away
scaled = draw(nn.init.trunc_normal_, std=std, a=-2 * std, b=2 * std).numpy()
shape_of_draw = round(float(abs(scaled).max() / scaled.std()), 1)
print("std:", f"{scaled.std():.2g}", "largest, in standard deviations:", shape_of_draw)
by_hand = [float(f"{scaled.std():.2g}"), shape_of_draw]
# --8<-- [end:variance_scaling]

# --8<-- [start:exact]
print(nn.init.constant_(torch.empty(2, 2), 0.5))
print(nn.init.eye_(torch.empty(2, 3)))
kernel = nn.init.dirac_(torch.empty(2, 2, 3))
print(kernel)
square = nn.init.orthogonal_(torch.empty(3, 5), gain=2.0)
gram = (square @ square.T).round(decimals=4) + 0.0
print("orthogonal, w @ w.T:", gram)
zeros = (nn.init.sparse_(torch.empty(10, 4), sparsity=0.25) == 0).sum(0)
print("zeros in each column:", zeros)
# --8<-- [end:exact]

# --8<-- [start:one_dimension]
try:
    nn.init.xavier_uniform_(nn.Linear(3, 3).bias)
except ValueError as error:
    one_dimension = type(error).__name__
    print(one_dimension, error, sep="\n")
# --8<-- [end:one_dimension]


# --8<-- [start:all_layers]
def initialise(module):
    if isinstance(module, (nn.Linear, nn.Conv2d)):
        nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        nn.init.constant_(module.bias, 0.1)
    elif isinstance(module, nn.Embedding):
        nn.init.normal_(module.weight, mean=0.0, std=0.02)


torch.manual_seed(0)
model = nn.ModuleDict({"embed": nn.Embedding(1000, 100), "head": nn.Linear(100, 2000)})
model.apply(initialise)
summary = {}
for name, parameter in model.named_parameters():
    values = parameter.detach().numpy()
    summary[name] = [abs(round(float(values.mean()), 2)), round(float(values.std()), 3)]
    print(name, "mean, std:", summary[name])
# --8<-- [end:all_layers]

# --8<-- [start:set_data]
layer = nn.Linear(3, 2)
try:
    with torch.no_grad():
        layer.weight.copy_(torch.ones(4, 4))
    wrong_shape = "works"
except RuntimeError as error:
    wrong_shape = type(error).__name__
    print(str(error).splitlines()[0])
print("weights of another shape:", wrong_shape, tuple(layer.weight.shape))

given = torch.ones(2, 3)
with torch.no_grad():
    layer.weight.copy_(given)
given[:] = 5.0  # the tensor it came from changes
kept = layer.weight[0, 0].item()
print("weight afterwards:", kept)
# --8<-- [end:set_data]

# --8<-- [start:lazy]
weight = torch.empty(2, 3)  # memory, no values yet
nn.init.normal_(weight, std=0.01)
lazy_use = "works"
layer = nn.Linear(3, 2)
with torch.no_grad():
    layer.weight.copy_(weight)
print("used at once:", lazy_use)
small = bool((layer.weight.abs() < 0.1).all())
print("all below 0.1:", small)
# --8<-- [end:lazy]

# --8<-- [start:seeds]
torch.manual_seed(1)
first, second = nn.Linear(3, 2), nn.Linear(3, 2)
torch.manual_seed(1)
again = nn.Linear(3, 2)
print("same seed, same weights:", torch.equal(first.weight, again.weight))
print("next layer, same weights:", torch.equal(first.weight, second.weight))

np.random.seed(1)
from_numpy_seed = nn.Linear(3, 2)
np.random.seed(1)
numpy_rules = torch.equal(from_numpy_seed.weight, nn.Linear(3, 2).weight)
print("NumPy's seed decides:", numpy_rules)

np.random.seed(1)
expected = np.random.rand()
np.random.seed(1)
nn.Linear(3, 2)
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
layer = nn.Linear(3, 2)
layer.load_state_dict({name: torch.from_numpy(value) for name, value in numbers.items()})
same_output = layer(torch.tensor([[1.0, 2.0, 3.0]])).detach()
print(same_output)
# --8<-- [end:same_weights]

# --8<-- [start:reset]
layer = nn.Linear(400, 1000)
nn.init.zeros_(layer.weight)
layer.reset_parameters()  # the default again, weight and bias
reset = describe(layer.weight)
print("largest, std:", reset)
has_reset = hasattr(layer, "reset_parameters")
print("has reset_parameters:", has_reset)
# --8<-- [end:reset]

# --8<-- [start:in_place]
layer = nn.Linear(400, 1000)
in_place = {}
for name, change in {
    "normal_": lambda weight: weight.normal_(0, 0.5),
    "uniform_": lambda weight: weight.uniform_(-0.5, 0.5),
    "zero_": lambda weight: weight.zero_(),
    "fill_": lambda weight: weight.fill_(0.5),
}.items():
    with torch.no_grad():
        change(layer.weight)
    in_place[name] = "works"
    print(f"{name}: {in_place[name]}")
# --8<-- [end:in_place]

agree = {
    "linear": linear,
    "conv": [describe(conv.weight), describe(conv.bias), describe(transposed.weight)],
    "embedding_std": spread,
    "embedding_std_given": spread,
    "embedding_std_mint": spread,
    "embedding_padding_row": table[3].abs().max().item(),
    "recurrent": gates,
    "norm": [*norm.weight.tolist(), *norm.bias.tolist(), *norm.running_var.tolist()],
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
    "seeds_repeat": torch.equal(first.weight, again.weight),
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
