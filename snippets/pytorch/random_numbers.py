"""Random numbers: what a seed reaches, distributions, dropout, weights, repeated runs."""

import random

import numpy as np
import torch
import torch.nn.functional as F
from torch import distributions as distribution
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

# --8<-- [start:obeys]
draws = {
    "uniform": lambda: torch.rand(64),
    "normal": lambda: torch.randn(64),
    "integers": lambda: torch.randint(0, 1000, (64,)),
    "categories": lambda: torch.multinomial(torch.ones(50), 64, replacement=True),
    "Poisson": lambda: torch.poisson(torch.full((64,), 50.0)),
    "dropout": lambda: F.dropout(torch.ones(64), 0.5, training=True),
    "permutation": lambda: torch.randperm(64),
    "coin flips": lambda: torch.bernoulli(torch.full((64,), 0.5)),
}
ignored, constant = [], []
for name, draw in draws.items():
    torch.manual_seed(3)
    first, second = draw(), draw()
    torch.manual_seed(3)
    if (draw() != first).any():
        ignored.append(name)
    if (second == first).all():
        constant.append(name)
both = [name for name in draws if name not in ignored + constant]
print("repeated by the seed, new at the next call:")
print(" ", ", ".join(both))
print("not repeated by the seed:", ", ".join(ignored) or "none")
print("the same at every call:", ", ".join(constant) or "none")
# --8<-- [end:obeys]

# --8<-- [start:across]
torch.manual_seed(0)
own_numbers = torch.rand(3)
print("the framework's own:", own_numbers)
generator = np.random.default_rng(0)
numpy_numbers = torch.from_numpy(generator.random(3, dtype=np.float32))
print("from NumPy:", numpy_numbers)
# --8<-- [end:across]

# --8<-- [start:reach]
torch.manual_seed(1)
python_first, numpy_first = random.random(), np.random.rand()
torch.manual_seed(1)
python_seeded = random.random() == python_first
numpy_seeded = np.random.rand() == numpy_first
print("Python's random too:", python_seeded)
print("NumPy's random too:", numpy_seeded)
# --8<-- [end:reach]


# --8<-- [start:weights]
def same_weights(prepare_one, prepare_other):
    made = []
    for prepare in (prepare_one, prepare_other):
        prepare()
        made.append(nn.Linear(3, 2).weight)
    return bool((made[0] == made[1]).all())


def seed_then_draw():
    torch.manual_seed(0)
    torch.rand(3)


def seed():
    torch.manual_seed(0)


weights_repeat = same_weights(seed, seed)
print("same seed:", weights_repeat)
weights_shift = same_weights(seed, seed_then_draw)
print("a draw in between:", weights_shift)
weights_numpy = same_weights(lambda: np.random.seed(0), lambda: np.random.seed(0))
print("only NumPy seeded:", weights_numpy)
# --8<-- [end:weights]

# --8<-- [start:dropout]
torch.manual_seed(0)
layer = nn.Dropout(p=0.25)
layer.train()
ones = torch.ones(10000)
dropped = layer(ones)
dropped_share, kept_value = (dropped == 0).float().mean().item(), dropped.max().item()
dropped_mean = dropped.mean().item()
print(f"dropped {dropped_share:.2f}, mean {dropped_mean:.2f}")
print(f"the others become {kept_value:.4f}")
layer.eval()
untouched = bool((layer(ones) == ones).all())
print("inference leaves the input as it is:", untouched)
# --8<-- [end:dropout]

# --8<-- [start:dropout_seed]
ones = torch.ones(64)
layer = nn.Dropout(p=0.5)
layer.train()
torch.manual_seed(0)
mask = layer(ones)
torch.manual_seed(0)
layer_restarts = bool((layer(ones) == mask).all())
print("layer, seeded again:", layer_restarts)
torch.manual_seed(0)
mask = F.dropout(ones, 0.5, training=True)
torch.manual_seed(0)
function_restarts = bool((F.dropout(ones, 0.5, training=True) == mask).all())
print("function, seeded again:", function_restarts)
# --8<-- [end:dropout_seed]

# --8<-- [start:state]
torch.manual_seed(5)
state = torch.get_rng_state()
before = torch.rand(4)
torch.set_rng_state(state)
restored = bool((torch.rand(4) == before).all())
print("restored from the saved state:", restored)


def epoch_noise(epoch):
    torch.manual_seed(1000 + epoch)  # a seed for each epoch instead
    return torch.rand(4)


whole_run = [epoch_noise(epoch) for epoch in range(3)]
resumed = bool((epoch_noise(2) == whole_run[2]).all())
print("resumed at the third epoch:", resumed)
# --8<-- [end:state]

# --8<-- [start:generator]
generator = torch.Generator()
generator.manual_seed(2)
try:
    drawn = torch.rand(3, generator=generator)
    generator_argument = "works"
    print("drawn:", drawn)
except RuntimeError as error:
    generator_argument = type(error).__name__
print("generator=:", generator_argument)
generator = np.random.default_rng(2)
from_object = torch.from_numpy(generator.standard_normal(2).astype(np.float32))
print("from a NumPy generator:", from_object)
# --8<-- [end:generator]


# --8<-- [start:seed_argument]
def rand(*shape, seed):  # no seed argument in PyTorch: a generator does that
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed))


one, other = rand(4, seed=1), rand(4, seed=1)
argument_repeats = bool((one == other).all())
print("the same seed in two calls:", argument_repeats)
torch.manual_seed(0)
one = rand(4, seed=1)
torch.manual_seed(0)
both_repeat = bool((rand(4, seed=1) == one).all())
print("with the global seed set before each:", both_repeat)
# --8<-- [end:seed_argument]

# --8<-- [start:shuffle]
torch.manual_seed(0)
epoch_1, epoch_2 = torch.randperm(8), torch.randperm(8)
torch.manual_seed(0)
again = torch.randperm(8)
print(epoch_1.tolist(), epoch_2.tolist())
new_order, repeated = bool((epoch_1 != epoch_2).any()), bool((epoch_1 == again).all())
print("a new order each time:", new_order)
print("repeated by the seed:", repeated)
# --8<-- [end:shuffle]

# --8<-- [start:integers]
torch.manual_seed(0)
dice = torch.randint(1, 7, (1000,))
lowest, highest = dice.min().item(), dice.max().item()
print("from", lowest, "to", highest, dice.dtype)
try:
    torch.randint(7, (3,))
    upper_bound_only = "works"
except TypeError as error:
    upper_bound_only = type(error).__name__
print("upper bound alone:", upper_bound_only)
# --8<-- [end:integers]

# --8<-- [start:moments]
torch.manual_seed(0)
samples = {
    "uniform": torch.empty(20000).uniform_(-1.0, 1.0),
    "normal": torch.normal(3.0, 0.5, (20000,)),
    "Laplace": distribution.Laplace(0.0, 0.5).sample((20000,)),
    "Poisson": torch.poisson(torch.full((20000,), 4.0)),
}
moments = {}
for name, sample in samples.items():
    sample = sample.numpy()
    moments[name] = [float(sample.mean()), float(sample.std())]
    print(f"{name}: mean {moments[name][0]:.2f}, std {moments[name][1]:.2f}")
# --8<-- [end:moments]

# --8<-- [start:categories]
torch.manual_seed(0)
probabilities = torch.tensor([0.1, 0.2, 0.7])
tokens = torch.multinomial(probabilities, 3000, replacement=True)
shares = np.bincount(tokens.numpy(), minlength=3) / 3000
print("shares:", np.round(shares, 2), "dtype:", tokens.dtype)
default_draws = [set(torch.multinomial(probabilities, 3).tolist()) for _ in range(20)]
default_replacement = "without" if all(len(d) == 3 for d in default_draws) else "with"
print("by default:", default_replacement, "replacement")
# --8<-- [end:categories]

# --8<-- [start:truncated]
torch.manual_seed(0)
weight = nn.init.trunc_normal_(torch.empty(10000), std=0.02)  # cut off at -2 and 2
beyond = bool((weight.abs() > 2 * 0.02).any())
print("values beyond two standard deviations:", beyond)
weight = nn.init.trunc_normal_(torch.empty(10000), std=0.02, a=-2 * 0.02, b=2 * 0.02)
beyond_bounds = bool((weight.abs() > 2 * 0.02).any())
print("with bounds of two standard deviations:", beyond_bounds)
# --8<-- [end:truncated]

# --8<-- [start:log_prob]
half, one = torch.tensor(0.5), torch.tensor(1.0)
log_probs = {
    "Normal": distribution.Normal(1.0, 2.0).log_prob(half),
    "Uniform": distribution.Uniform(0.0, 2.0).log_prob(half),
    "Exponential": distribution.Exponential(2.0).log_prob(half),
    "Gamma": distribution.Gamma(2.0, 3.0).log_prob(half),
    "Beta": distribution.Beta(2.0, 3.0).log_prob(half),
    "Poisson": distribution.Poisson(2.0).log_prob(one),
    "Bernoulli": distribution.Bernoulli(0.3).log_prob(one),
    "Categorical": distribution.Categorical(torch.tensor([0.2, 0.3, 0.5])).log_prob(one),
}
for name, value in log_probs.items():
    print(f"{name}: {value.item():.4f}")
# --8<-- [end:log_prob]

# --8<-- [start:sampling]
torch.manual_seed(0)
normal = distribution.Normal(1.0, 2.0).sample((20000,)).numpy()
print(f"Normal: mean {normal.mean():.1f}, std {normal.std():.1f}")
gamma = distribution.Gamma(2.0, 1.0).sample((20000,)).numpy()
gamma_sample = "works"
print(f"Gamma.sample: {gamma_sample}, mean {gamma.mean():.1f}")
from_numpy = torch.from_numpy(np.random.default_rng(0).gamma(2.0, size=3)).float()
print("from NumPy:", from_numpy)
# --8<-- [end:sampling]


# --8<-- [start:compiled]
@torch.compile(backend="eager")  # captures the graph, generates no code
def framework_noise(x):
    return x + torch.rand(4)


@torch.compile(backend="eager")
def numpy_noise(x):
    return x + torch.from_numpy(np.random.rand(4).astype(np.float32))


zeros = torch.zeros(4)
torch.manual_seed(0)
first, second = framework_noise(zeros), framework_noise(zeros)
torch.manual_seed(0)
third = framework_noise(zeros)
compiled_fresh = bool((first != second).any())
compiled_restarts = bool((first == third).all())
print("the framework's numbers change from call to call:", compiled_fresh)
print("the seed restarts them:", compiled_restarts)
numpy_fresh = bool((numpy_noise(zeros) != numpy_noise(zeros)).any())
print("NumPy's numbers change from call to call:", numpy_fresh)
# --8<-- [end:compiled]

# --8<-- [start:deterministic]
torch.use_deterministic_algorithms(True)
print("deterministic algorithms asked for:", torch.are_deterministic_algorithms_enabled())
torch.use_deterministic_algorithms(True)
asked_twice = "works"
print("asked for a second time:", asked_twice)
try:  # what has no deterministic algorithm says so
    torch.zeros(3).put_(torch.tensor([0]), torch.tensor([1.0]))
except RuntimeError as error:
    print(str(error).partition(",")[0])
torch.use_deterministic_algorithms(False)
# --8<-- [end:deterministic]


# --8<-- [start:training]
def train(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)  # weights, dropout and the data order
    x = torch.linspace(-1, 1, 8).reshape(8, 1)
    loader = DataLoader(TensorDataset(x, 2 * x), batch_size=4, shuffle=True)
    model = nn.Sequential(nn.Linear(1, 8), nn.Dropout(p=0.5), nn.Linear(8, 1))
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss_fn = nn.MSELoss()
    losses = []
    for _epoch in range(2):
        for x, y in loader:
            optimizer.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


run_repeats, run_differs = train(0) == train(0), train(0) != train(1)
print("same seed, same losses:", run_repeats)
print("other seed, other losses:", run_differs)
# --8<-- [end:training]

# --8<-- [start:compare]
shared = np.random.default_rng(42)
x_array = shared.standard_normal((8, 2)).astype(np.float32)
weight = shared.standard_normal((1, 2)).astype(np.float32)
model = nn.Linear(2, 1)
with torch.no_grad():
    model.weight.copy_(torch.from_numpy(weight))
    model.bias.zero_()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def forward(x, noise):  # the noise is an argument, no draw inside
    x = F.dropout(x, 0.0, training=True)  # p = 0 while comparing
    return ((model(x + noise) - x.sum(1, keepdim=True)) ** 2).mean()


losses = []
for _epoch in range(2):
    for rows in shared.permutation(8).reshape(2, 4):  # the order, from NumPy too
        noise = shared.normal(0, 0.1, (4, 2)).astype(np.float32)
        loss = forward(torch.from_numpy(x_array[rows]), torch.from_numpy(noise))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
print("losses:", [round(value, 4) for value in losses])
# --8<-- [end:compare]

agree = {
    "obeys": both[:6],
    "obeys_except": ", ".join(ignored) or "none",
    "obeys_constant": ", ".join(constant) or "none",
    "across_own": own_numbers,
    "across_numpy": numpy_numbers,
    "reach_python": python_seeded,
    "reach_numpy": numpy_seeded,
    "weights_same_seed": weights_repeat,
    "weights_draw_between": "same weights" if weights_shift else "other weights",
    "weights_numpy_seed": "same weights" if weights_numpy else "other weights",
    "dropout_share": dropped_share,
    "dropout_kept_value": kept_value,
    "dropout_mean": dropped_mean,
    "dropout_untouched": untouched,
    "dropout_seed_layer": "same mask" if layer_restarts else "other mask",
    "dropout_seed_function": "same mask" if function_restarts else "other mask",
    "state_restored": restored,
    "state_resumed": resumed,
    "generator_argument": generator_argument,
    "generator_object": from_object,
    "seed_argument": "same numbers" if argument_repeats else "other numbers",
    "seed_argument_with_global": both_repeat,
    "shuffle_new": new_order,
    "shuffle_repeats": repeated,
    "integers_range": [lowest, highest],
    "integers_upper_bound_only": upper_bound_only,
    "moments_uniform": moments["uniform"],
    "moments_normal": moments["normal"],
    "moments_laplace": moments["Laplace"],
    "moments_poisson": moments["Poisson"],
    "categories_shares": shares,
    "categories_dtype": str(tokens.dtype).rpartition(".")[2].lower(),
    "categories_replacement": default_replacement,
    "truncated_beyond": beyond,
    "truncated_bounds": beyond_bounds,
    "log_prob": [value.item() for value in log_probs.values()],
    "sampling_normal": [float(normal.mean()), float(normal.std())],
    "sampling_gamma": gamma_sample,
    "sampling_gamma_mean": float(gamma.mean()),
    "sampling_gamma_numpy": from_numpy,
    "compiled_fresh": compiled_fresh,
    "compiled_restarts": compiled_restarts,
    "compiled_numpy_fresh": numpy_fresh,
    "deterministic_twice": asked_twice,
    "training_repeats": run_repeats,
    "training_differs": run_differs,
    "compare": losses,
}
