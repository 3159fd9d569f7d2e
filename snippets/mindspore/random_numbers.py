"""Random numbers: what a seed reaches, distributions, dropout, weights, repeated runs."""

import random

import mindspore
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, mint, nn, ops
from mindspore.common.initializer import TruncatedNormal, initializer
from mindspore.nn.probability import distribution

# --8<-- [start:obeys]
mindspore.runtime.launch_blocking()  # before the first operator: errors at their call
draws = {
    "uniform": lambda: ops.rand(64),
    "normal": lambda: ops.randn(64),
    "integers": lambda: ops.randint(0, 1000, (64,)),
    "categories": lambda: ops.multinomial(ops.ones(50), 64),
    "Poisson": lambda: ops.random_poisson(Tensor([64]), Tensor([50.0])),
    "dropout": lambda: ops.dropout(ops.ones(64), 0.5, training=True),
    "permutation": lambda: ops.randperm(64),
    "coin flips": lambda: ops.bernoulli(ops.full((64,), 0.5, dtype=mindspore.float32)),
}
ignored, constant = [], []
for name, draw in draws.items():
    mindspore.set_seed(3)
    first, second = draw().asnumpy(), draw().asnumpy()
    mindspore.set_seed(3)
    if (draw().asnumpy() != first).any():
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
mindspore.set_seed(0)
own_numbers = ops.rand(3)
print("the framework's own:", own_numbers)
generator = np.random.default_rng(0)
numpy_numbers = Tensor(generator.random(3, dtype=np.float32))
print("from NumPy:", numpy_numbers)
# --8<-- [end:across]

# --8<-- [start:reach]
mindspore.set_seed(1)
python_first, numpy_first = random.random(), np.random.rand()
mindspore.set_seed(1)
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
        made.append(nn.Dense(3, 2).weight.asnumpy())
    return bool((made[0] == made[1]).all())


def seed_then_draw():
    mindspore.set_seed(0)
    ops.rand(3)


def seed():
    mindspore.set_seed(0)


weights_repeat = same_weights(seed, seed)
print("same seed:", weights_repeat)
weights_shift = same_weights(seed, seed_then_draw)
print("a draw in between:", weights_shift)
weights_numpy = same_weights(lambda: np.random.seed(0), lambda: np.random.seed(0))
print("only NumPy seeded:", weights_numpy)
# --8<-- [end:weights]

# --8<-- [start:dropout]
mindspore.set_seed(0)
layer = nn.Dropout(p=0.25)
layer.set_train()
ones = ops.ones((10000,))
dropped = layer(ones)
dropped_share, kept_value = (dropped == 0).float().mean().item(), dropped.max().item()
dropped_mean = dropped.mean().item()
print(f"dropped {dropped_share:.2f}, mean {dropped_mean:.2f}")
print(f"the others become {kept_value:.4f}")
layer.set_train(False)
untouched = bool((layer(ones) == ones).all())
print("inference leaves the input as it is:", untouched)
# --8<-- [end:dropout]

# --8<-- [start:dropout_seed]
ones = ops.ones((64,))
layer = nn.Dropout(p=0.5)
layer.set_train()
mindspore.set_seed(0)
mask = layer(ones)
mindspore.set_seed(0)
layer_restarts = bool((layer(ones) == mask).all())
print("layer, seeded again:", layer_restarts)
mindspore.set_seed(0)
mask = ops.dropout(ones, 0.5, training=True)
mindspore.set_seed(0)
function_restarts = bool((ops.dropout(ones, 0.5, training=True) == mask).all())
print("function, seeded again:", function_restarts)
# --8<-- [end:dropout_seed]

# --8<-- [start:state]
mindspore.set_seed(5)
state = mindspore.get_rng_state()
before = ops.rand(4)
mindspore.set_rng_state(state)
restored = bool((ops.rand(4) == before).all())
print("restored from the saved state:", restored)


def epoch_noise(epoch):
    mindspore.set_seed(1000 + epoch)  # a seed for each epoch instead
    return ops.rand(4)


whole_run = [epoch_noise(epoch) for epoch in range(3)]
resumed = bool((epoch_noise(2) == whole_run[2]).all())
print("resumed at the third epoch:", resumed)
# --8<-- [end:state]

# --8<-- [start:generator]
generator = mindspore.Generator()
generator.manual_seed(2)
try:
    drawn = mint.rand(3, generator=generator).asnumpy()
    generator_argument = "works"
except RuntimeError as error:
    generator_argument = type(error).__name__
    print(str(error).splitlines()[0])
print("generator=:", generator_argument)
generator = np.random.default_rng(2)
from_object = Tensor(generator.standard_normal(2).astype(np.float32))
print("from a NumPy generator:", from_object)
# --8<-- [end:generator]

# --8<-- [start:seed_argument]
one, other = ops.rand(4, seed=1), ops.rand(4, seed=1)
argument_repeats = bool((one == other).all())
print("the same seed in two calls:", argument_repeats)
mindspore.set_seed(0)
one = ops.rand(4, seed=1)
mindspore.set_seed(0)
both_repeat = bool((ops.rand(4, seed=1) == one).all())
print("with the global seed set before each:", both_repeat)
# --8<-- [end:seed_argument]

# --8<-- [start:shuffle]
mindspore.set_seed(0)
epoch_1, epoch_2 = ops.shuffle(ops.arange(8)), ops.shuffle(ops.arange(8))
mindspore.set_seed(0)
again = ops.shuffle(ops.arange(8))
print(epoch_1, epoch_2)
new_order, repeated = bool((epoch_1 != epoch_2).any()), bool((epoch_1 == again).all())
print("a new order each time:", new_order)
print("repeated by the seed:", repeated)
# --8<-- [end:shuffle]

# --8<-- [start:integers]
mindspore.set_seed(0)
dice = ops.randint(1, 7, (1000,))
lowest, highest = dice.min().item(), dice.max().item()
print("from", lowest, "to", highest, dice.dtype)
try:
    ops.randint(7, (3,))
    upper_bound_only = "works"
except TypeError as error:
    upper_bound_only = type(error).__name__
    print(error)
print("upper bound alone:", upper_bound_only)
# --8<-- [end:integers]

# --8<-- [start:moments]
mindspore.set_seed(0)
samples = {
    "uniform": ops.uniform((20000,), Tensor(-1.0), Tensor(1.0)),
    "normal": ops.normal((20000,), 3.0, 0.5),
    "Laplace": ops.laplace((20000,), Tensor(0.0), Tensor(0.5)),
    "Poisson": ops.random_poisson(Tensor([20000]), Tensor(4.0)),
}
moments = {}
for name, sample in samples.items():
    sample = sample.asnumpy()
    moments[name] = [float(sample.mean()), float(sample.std())]
    print(f"{name}: mean {moments[name][0]:.2f}, std {moments[name][1]:.2f}")
# --8<-- [end:moments]

# --8<-- [start:categories]
mindspore.set_seed(0)
probabilities = Tensor([0.1, 0.2, 0.7])
tokens = ops.multinomial(probabilities, 3000, replacement=True)
shares = np.bincount(tokens.asnumpy(), minlength=3) / 3000
print("shares:", np.round(shares, 2), "dtype:", tokens.dtype)
default_draws = [set(ops.multinomial(probabilities, 3).tolist()) for _ in range(20)]
default_replacement = "without" if all(len(d) == 3 for d in default_draws) else "with"
print("by default:", default_replacement, "replacement")
# --8<-- [end:categories]

# --8<-- [start:truncated]
mindspore.set_seed(0)
default = TruncatedNormal(sigma=0.02)  # cut off at -2 and 2
weight = initializer(default, [10000]).init_data()
beyond = bool((weight.abs() > 2 * 0.02).any())
print("values beyond two standard deviations:", beyond)
bounded = TruncatedNormal(sigma=0.02, a=-2 * 0.02, b=2 * 0.02)
weight = initializer(bounded, [10000]).init_data()
beyond_bounds = bool((weight.abs() > 2 * 0.02).any())
print("with bounds of two standard deviations:", beyond_bounds)
# --8<-- [end:truncated]

# --8<-- [start:log_prob]
half, one = Tensor([0.5]), Tensor([1.0])
log_probs = {
    "Normal": distribution.Normal(1.0, 2.0).log_prob(half),
    "Uniform": distribution.Uniform(0.0, 2.0).log_prob(half),
    "Exponential": distribution.Exponential(2.0).log_prob(half),
    "Gamma": distribution.Gamma([2.0], [3.0]).log_prob(half),
    "Beta": distribution.Beta([2.0], [3.0]).log_prob(half),
    "Poisson": distribution.Poisson([2.0]).log_prob(one),
    "Bernoulli": distribution.Bernoulli(0.3).log_prob(one),
    "Categorical": distribution.Categorical([0.2, 0.3, 0.5]).log_prob(one),
}
for name, value in log_probs.items():
    print(f"{name}: {value.item():.4f}")
# --8<-- [end:log_prob]

# --8<-- [start:sampling]
mindspore.set_seed(0)
normal = distribution.Normal(1.0, 2.0).sample((20000,)).asnumpy()
print(f"Normal: mean {normal.mean():.1f}, std {normal.std():.1f}")
try:
    distribution.Gamma([2.0], [1.0]).sample((4,)).asnumpy()
    gamma_sample = "works"
except RuntimeError as error:
    gamma_sample = type(error).__name__
    print([line for line in str(error).splitlines() if "Gamma" in line][0].split(",")[0])
print("Gamma.sample:", gamma_sample)
gamma = ops.random_gamma(Tensor([20000]), Tensor([2.0])).asnumpy()
print(f"ops.random_gamma: mean {gamma.mean():.1f}")
from_numpy = Tensor(np.random.default_rng(0).gamma(2.0, size=3).astype(np.float32))
print("from NumPy:", from_numpy)
# --8<-- [end:sampling]


# --8<-- [start:compiled]
@mindspore.jit
def framework_noise(x):
    return x + ops.rand(4)


@mindspore.jit
def numpy_noise(x):
    return x + Tensor(np.random.rand(4).astype(np.float32))


zeros = ops.zeros((4,))
mindspore.set_seed(0)
first, second = framework_noise(zeros), framework_noise(zeros)
mindspore.set_seed(0)
third = framework_noise(zeros)
compiled_fresh = bool((first != second).any())
compiled_restarts = bool((first == third).all())
print("the framework's numbers change from call to call:", compiled_fresh)
print("the seed restarts them:", compiled_restarts)
numpy_fresh = bool((numpy_noise(zeros) != numpy_noise(zeros)).any())
print("NumPy's numbers change from call to call:", numpy_fresh)
# --8<-- [end:compiled]

# --8<-- [start:deterministic]
mindspore.set_deterministic(True)
print("deterministic algorithms asked for")
try:
    mindspore.set_deterministic(True)
    asked_twice = "works"
except RuntimeError as error:
    asked_twice = type(error).__name__
    print(error)
print("asked for a second time:", asked_twice)
# --8<-- [end:deterministic]


# --8<-- [start:training]
def train(seed):
    mindspore.set_seed(seed)  # weights, dropout, data order, NumPy and Python's random
    x = np.linspace(-1, 1, 8, dtype=np.float32).reshape(8, 1)
    loader = ds.NumpySlicesDataset({"x": x, "y": 2 * x}, shuffle=True).batch(4)
    model = nn.SequentialCell(nn.Dense(1, 8), nn.Dropout(p=0.5), nn.Dense(8, 1))
    model.set_train()
    optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1)
    loss_fn = nn.MSELoss()

    def forward(x, y):
        return loss_fn(model(x), y)

    grad_fn = mindspore.value_and_grad(forward, None, optimizer.parameters)
    losses = []
    iterator = loader.create_tuple_iterator(num_epochs=2)  # one, for all epochs
    for _epoch in range(2):
        for x, y in iterator:
            loss, grads = grad_fn(x, y)
            optimizer(grads)
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
model = nn.Dense(2, 1)
model.weight.set_data(Tensor(weight))
model.bias.set_data(Tensor(np.zeros(1, np.float32)))
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1)


def forward(x, noise):  # the noise is an argument, no draw inside
    x = ops.dropout(x, 0.0, training=True)  # p = 0 while comparing
    return ((model(x + noise) - x.sum(1, keepdims=True)) ** 2).mean()


grad_fn = mindspore.value_and_grad(forward, None, optimizer.parameters)
losses = []
for _epoch in range(2):
    for rows in shared.permutation(8).reshape(2, 4):  # the order, from NumPy too
        noise = shared.normal(0, 0.1, (4, 2)).astype(np.float32)
        loss, grads = grad_fn(Tensor(x_array[rows]), Tensor(noise))
        optimizer(grads)
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
