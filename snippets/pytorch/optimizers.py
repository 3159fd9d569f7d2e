"""Optimizers from the same start on the same loss: what agrees, what only looks alike."""

import inspect

import torch
from torch import nn

# --8<-- [start:problem]
x = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
y = torch.tensor([1.0, 2.0, 3.0])
start = [1.0, -2.0]


def train(make_optimizer, steps=5, scale=1.0):
    """Where one weight ends after a few steps from `start`."""
    weight = nn.Parameter(torch.tensor(start))
    optimizer = make_optimizer([weight])
    for _step in range(steps):
        optimizer.zero_grad()
        loss = scale * ((x @ weight - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return weight.tolist()


def show(name, weight):
    print(f"{name}: {weight[0]:.4f}, {weight[1]:.4f}")


problem = train(lambda params: torch.optim.SGD(params, lr=0.1), steps=0)
show("start", problem)
# --8<-- [end:problem]

# --8<-- [start:one_step]
model = nn.Linear(2, 1)
model.load_state_dict({"weight": torch.tensor([start]), "bias": torch.tensor([0.5])})
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

loss = ((model(x)[:, 0] - y) ** 2).mean()
loss.backward()
optimizer.step()  # reads each parameter's .grad

for name, parameter in model.named_parameters():
    print(name, [round(value, 4) for value in parameter.flatten().tolist()])
one_step = [*model.weight.flatten().tolist(), model.bias.item()]
one_step_method = "works"
print("step:", one_step_method)
print("zero_grad:", hasattr(optimizer, "zero_grad"))
# --8<-- [end:one_step]

# --8<-- [start:surfaces]
surfaces = train(lambda params: torch.optim.SGD(params, lr=0.01, momentum=0.9))
show("torch.optim.SGD", surfaces)
# --8<-- [end:surfaces]

# --8<-- [start:mint]
mint_sgd = train(lambda params: torch.optim.SGD(params, lr=0.1))
mint_adam = train(lambda params: torch.optim.Adam(params, lr=0.1), steps=1)
show("SGD", mint_sgd)
show("Adam", mint_adam)
train(lambda params: torch.optim.AdamW(params, lr=0.1))
mint_adamw = "works"
print("AdamW:", mint_adamw)
# --8<-- [end:mint]

# --8<-- [start:mint_jit]
weight = nn.Parameter(torch.tensor(start))
optimizer = torch.optim.SGD([weight], lr=0.1)
for _step in range(5):
    optimizer.zero_grad()
    loss = ((x @ weight - y) ** 2).mean()
    loss.backward()
    optimizer.step()
mint_jit = weight.tolist()
show("SGD", mint_jit)
# --8<-- [end:mint_jit]

# --8<-- [start:sgd]
SGD = torch.optim.SGD
sgd = {
    "plain": train(lambda params: SGD(params, lr=0.1)),
    "momentum": train(lambda params: SGD(params, lr=0.1, momentum=0.9)),
    "Nesterov": train(lambda params: SGD(params, lr=0.1, momentum=0.9, nesterov=True)),
    "dampening": train(lambda params: SGD(params, lr=0.1, momentum=0.9, dampening=0.5)),
}
for name, weight in sgd.items():
    show(name, weight)
# --8<-- [end:sgd]

# --8<-- [start:momentum]
options = {"lr": 0.1, "momentum": 0.9}
momentum = train(lambda params: torch.optim.SGD(params, **options))
nesterov = train(lambda params: torch.optim.SGD(params, **options, nesterov=True))
show("momentum", momentum)
show("Nesterov", nesterov)
# --8<-- [end:momentum]


# --8<-- [start:defaults]
def defaults(optimizer_class, *names):
    parameters = inspect.signature(optimizer_class).parameters
    return [parameters[name].default for name in names]


default_sgd = defaults(torch.optim.SGD, "lr")
default_adam = defaults(torch.optim.Adam, "lr", "eps")
default_adamw = defaults(torch.optim.AdamW, "lr", "eps", "weight_decay")
default_rmsprop = defaults(torch.optim.RMSprop, "lr", "alpha", "eps")
default_adagrad = defaults(torch.optim.Adagrad, "lr", "initial_accumulator_value")
print("SGD", default_sgd)
print("Adam", default_adam)
print("AdamW", default_adamw)
print("RMSprop", default_rmsprop)
print("Adagrad", default_adagrad)
# --8<-- [end:defaults]


# --8<-- [start:available]
def optimizers_of(namespace, base):
    classes = [thing for thing in vars(namespace).values() if inspect.isclass(thing)]
    return sorted({c.__name__ for c in classes if issubclass(c, base) and c is not base})


names = optimizers_of(torch.optim, torch.optim.Optimizer)
print(len(names), "in torch.optim:")
print(*names[:8])
print(*names[8:])
lbfgs = "LBFGS" in names
print("L-BFGS among them:", lbfgs)
lamb = "works" if "Lamb" in names else "not there"
print("Lamb:", lamb)
# --8<-- [end:available]

agree = {
    "problem": problem,
    "one_step": one_step,
    "one_step_method": one_step_method,
    "surfaces_nn": surfaces,
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
    "available_count": len(names),
    "available_lbfgs": lbfgs,
    "available_lamb": lamb,
}
