"""Optimizers from the same start on the same loss: what agrees, what only looks alike."""

import inspect

import mindspore
from mindspore import Parameter, Tensor, mint, nn
from mindspore.experimental import optim
from mindspore.scipy import optimize

# --8<-- [start:problem]
mindspore.runtime.launch_blocking()  # before the first operator: quicker for tiny models
x = Tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
y = Tensor([1.0, 2.0, 3.0])
start = [1.0, -2.0]


def train(make_optimizer, steps=5, scale=1.0):
    """Where one weight ends after a few steps from `start`."""
    weight = Parameter(Tensor(start), name="weight")
    optimizer = make_optimizer([weight])

    def loss_fn():
        return scale * ((x @ weight - y) ** 2).mean()

    grad_fn = mindspore.value_and_grad(loss_fn, None, optimizer.parameters)
    for _step in range(steps):
        loss, grads = grad_fn()
        optimizer(grads)
    return weight.tolist()


def show(name, weight):
    print(f"{name}: {weight[0]:.4f}, {weight[1]:.4f}")


problem = train(lambda params: nn.SGD(params, learning_rate=0.1), steps=0)
show("start", problem)
# --8<-- [end:problem]

# --8<-- [start:one_step]
model = nn.Dense(2, 1)
model.weight.set_data(Tensor([start]))
model.bias.set_data(Tensor([0.5]))
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1)


def loss_fn():
    return ((model(x)[:, 0] - y) ** 2).mean()


grad_fn = mindspore.value_and_grad(loss_fn, None, optimizer.parameters)
loss, grads = grad_fn()
optimizer(grads)  # takes the gradients as its argument

for parameter in model.trainable_params():
    print(parameter.name, [round(value, 4) for value in parameter.flatten().tolist()])
one_step = [*model.weight.flatten().tolist(), model.bias.item()]
try:
    optimizer.step()
    one_step_method = "works"
except AttributeError as error:
    one_step_method = type(error).__name__
    print("step:", one_step_method, error)
print("zero_grad:", hasattr(optimizer, "zero_grad"))
# --8<-- [end:one_step]

# --8<-- [start:surfaces]
surfaces_nn = train(lambda params: nn.SGD(params, learning_rate=0.01, momentum=0.9))
surfaces = train(lambda params: optim.SGD(params, lr=0.01, momentum=0.9))
show("nn.SGD", surfaces_nn)
show("experimental.optim.SGD", surfaces)
notice = optim.SGD.__doc__.partition(".. warning::")[2].strip().splitlines()[0]
print(notice)
# --8<-- [end:surfaces]

# --8<-- [start:mint]
mint_sgd = train(lambda params: mint.optim.SGD(params, lr=0.1))
mint_adam = train(lambda params: mint.optim.Adam(params, lr=0.1), steps=1)
show("SGD", mint_sgd)
show("Adam", mint_adam)
try:
    train(lambda params: mint.optim.AdamW(params, lr=0.1))
    mint_adamw = "works"
except RuntimeError as error:
    mint_adamw = type(error).__name__
    print("AdamW:", mint_adamw, str(error).splitlines()[0])
for name in mint.optim.__all__:
    platforms = getattr(mint.optim, name).__doc__.partition("Supported Platforms:")[2]
    print(f"mint.optim.{name} is documented for", platforms.split()[0].strip("`"))
# --8<-- [end:mint]

# --8<-- [start:mint_jit]
weight = Parameter(Tensor(start), name="weight")
optimizer = mint.optim.SGD([weight], lr=0.1)


def loss_fn():
    return ((x @ weight - y) ** 2).mean()


grad_fn = mindspore.value_and_grad(loss_fn, None, optimizer.parameters)


@mindspore.jit
def step():
    loss, grads = grad_fn()
    optimizer(grads)
    return loss


for _step in range(5):
    loss = step()
mint_jit = weight.tolist()
show("SGD inside jit", mint_jit)
# --8<-- [end:mint_jit]

# --8<-- [start:sgd]
sgd = {
    "plain": train(lambda params: nn.SGD(params, 0.1)),
    "momentum": train(lambda params: nn.SGD(params, 0.1, momentum=0.9)),
    "Nesterov": train(lambda params: nn.SGD(params, 0.1, momentum=0.9, nesterov=True)),
    "dampening": train(lambda params: nn.SGD(params, 0.1, momentum=0.9, dampening=0.5)),
}
for name, weight in sgd.items():
    show(name, weight)
# --8<-- [end:sgd]

# --8<-- [start:momentum]
momentum = train(lambda params: nn.Momentum(params, 0.1, momentum=0.9))
nesterov = train(lambda params: nn.Momentum(params, 0.1, momentum=0.9, use_nesterov=True))
show("momentum", momentum)
show("Nesterov", nesterov)
notice = nn.Momentum.__doc__.partition(".. warning::")[2].strip().splitlines()[0]
print("nn.Momentum:", notice)
# --8<-- [end:momentum]


# --8<-- [start:defaults]
def defaults(optimizer, *names):
    return [optimizer.init_learning_rate, *(optimizer.init_args[name] for name in names)]


params = [Parameter(Tensor(start), name="weight")]
default_sgd = defaults(nn.SGD(params))
default_adam = defaults(nn.Adam(params), "eps")
default_rmsprop = defaults(nn.RMSProp(params), "decay", "epsilon")
default_adagrad = defaults(nn.Adagrad(params), "accum")
signature = inspect.signature(optim.AdamW).parameters
default_adamw = [signature[name].default for name in ("lr", "eps", "weight_decay")]
print("SGD", default_sgd)
print("Adam", default_adam)
print("experimental.optim.AdamW", default_adamw)
print("RMSProp", default_rmsprop)
print("Adagrad", default_adagrad)
# --8<-- [end:defaults]


# --8<-- [start:available]
def optimizers_of(namespace, base):
    classes = [thing for thing in vars(namespace).values() if inspect.isclass(thing)]
    return sorted({c.__name__ for c in classes if issubclass(c, base) and c is not base})


names = optimizers_of(nn, nn.Optimizer)
print(len(names), "in nn:")
print(*names[:10])
print(*names[10:])
names_experimental = optimizers_of(optim, optim.Optimizer)
print(len(names_experimental), "in experimental.optim:")
print(*names_experimental)
names_mint = sorted(mint.optim.__all__)
print(len(names_mint), "in mint.optim:", *names_mint)
everywhere = {name.lower() for name in (*names, *names_experimental, *names_mint)}
lbfgs = "lbfgs" in everywhere
print("L-BFGS among them:", lbfgs)
print("scipy.optimize.minimize offers it:", "LBFGS" in optimize.minimize.__doc__)
try:
    train(lambda params: nn.Lamb(params, learning_rate=0.1), steps=1)
    lamb = "works"
except RuntimeError as error:
    lamb = type(error).__name__
    told = [line for line in str(error).splitlines() if "Lamb" in line]
    print(told[0].partition(",")[0])
# --8<-- [end:available]

agree = {
    "problem": problem,
    "one_step": one_step,
    "one_step_method": one_step_method,
    "surfaces_nn": surfaces_nn,
    "surfaces_experimental": surfaces,
    "mint_sgd": mint_sgd,
    "mint_adam": mint_adam,
    "mint_adamw": mint_adamw,
    "mint_jit": mint_jit,
    "sgd": list(sgd.values()),
    "momentum": momentum,
    "momentum_nesterov": nesterov,
    "defaults_sgd": default_sgd,
    "defaults_adam": default_adam,
    "defaults_adamw": default_adamw,
    "defaults_rmsprop": default_rmsprop,
    "defaults_adagrad": default_adagrad,
    "available_count": len(everywhere),
    "available_lbfgs": lbfgs,
    "available_lamb": lamb,
}
