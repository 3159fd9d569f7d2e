"""Optimizers from the same start on the same loss: what agrees, and what only looks alike."""

import inspect

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

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
sgd = {
    "plain": train(lambda params: torch.optim.SGD(params, lr=0.1)),
    "momentum": train(lambda params: torch.optim.SGD(params, lr=0.1, momentum=0.9)),
    "Nesterov": train(lambda params: torch.optim.SGD(params, lr=0.1, momentum=0.9, nesterov=True)),
    "dampening": train(lambda params: torch.optim.SGD(params, lr=0.1, momentum=0.9, dampening=0.5)),
}
for name, weight in sgd.items():
    show(name, weight)
# --8<-- [end:sgd]

# --8<-- [start:momentum]
momentum = train(lambda params: torch.optim.SGD(params, lr=0.1, momentum=0.9))
nesterov = train(lambda params: torch.optim.SGD(params, lr=0.1, momentum=0.9, nesterov=True))
show("momentum", momentum)
show("Nesterov", nesterov)
# --8<-- [end:momentum]

# --8<-- [start:adam]
adam = train(lambda params: torch.optim.Adam(params, lr=0.01, betas=(0.8, 0.99)))
adam_l2 = train(lambda params: torch.optim.Adam(params, lr=0.01, weight_decay=0.1))
show("Adam", adam)
show("Adam, weight_decay=0.1", adam_l2)
adam_betas = "works"
print("betas=:", adam_betas)
# --8<-- [end:adam]

# --8<-- [start:adamw]
adamw = train(lambda params: torch.optim.AdamW(params, lr=0.01, weight_decay=0.1))
show("AdamW", adamw)
# --8<-- [end:adamw]

# --8<-- [start:tiny_gradients]
scale = 1e-9  # of the loss, and so of every gradient
tiny_adam = train(lambda params: torch.optim.Adam(params, lr=0.01), scale=scale)
tiny_adamw = train(lambda params: torch.optim.AdamW(params, lr=0.01, weight_decay=0), scale=scale)
show("Adam", tiny_adam)
show("AdamW, no decay", tiny_adamw)
# --8<-- [end:tiny_gradients]

# --8<-- [start:amsgrad]
options = {"lr": 0.1, "betas": (0.9, 0.5)}
amsgrad_off = train(lambda params: torch.optim.Adam(params, **options))
amsgrad_adam = train(lambda params: torch.optim.Adam(params, **options, amsgrad=True))
show("off", amsgrad_off)
show("on", amsgrad_adam)
# --8<-- [end:amsgrad]

# --8<-- [start:rmsprop]
rmsprop = train(lambda params: torch.optim.RMSprop(params, lr=0.01, alpha=0.9, eps=1e-8))
show("RMSprop", rmsprop)
# --8<-- [end:rmsprop]

# --8<-- [start:adagrad]
adagrad_plain = train(lambda params: torch.optim.Adagrad(params, lr=0.1))
adagrad_same = train(lambda params: torch.optim.Adagrad(params, lr=0.1, initial_accumulator_value=0.1))
adagrad_zero = train(lambda params: torch.optim.Adagrad(params, lr=0.1, initial_accumulator_value=0))
show("as it comes", adagrad_plain)
show("accumulator from 0.1", adagrad_same)
show("accumulator from 0", adagrad_zero)
# --8<-- [end:adagrad]


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

# --8<-- [start:decay_names]
ones = {name: nn.Parameter(torch.ones(1)) for name in ("weight", "gamma", "beta_layer")}
optimizer = torch.optim.SGD(ones.values(), lr=0.1, weight_decay=0.5)
for parameter in ones.values():
    parameter.grad = torch.zeros(1)  # only the decay acts
optimizer.step()
decay_names = [parameter.item() for parameter in ones.values()]
print("a flat list:", {name: round(parameter.item(), 4) for name, parameter in ones.items()})
decay_grouped = decay_names  # a list with one group is the same list
print("one group:  ", [round(value, 4) for value in decay_grouped])
# --8<-- [end:decay_names]

# --8<-- [start:groups]
model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
for parameter in model.parameters():
    nn.init.constant_(parameter, 0.5)
optimizer = torch.optim.SGD(
    [
        {"params": model[0].parameters(), "lr": 0.01},
        {"params": model[1].parameters(), "weight_decay": 0.1},
    ],
    lr=0.1,
)
loss = ((model(x)[:, 0] - y) ** 2).mean()
loss.backward()
optimizer.step()
groups = [value for parameter in model.parameters() for value in parameter.flatten().tolist()]
print("rates:", [group["lr"] for group in optimizer.param_groups])
print("first layer:", [round(value, 4) for value in groups[:6]])
print("second layer:", [round(value, 4) for value in groups[6:]])
# --8<-- [end:groups]

# --8<-- [start:no_decay]
model = nn.Linear(2, 1)  # the same selection serves whole networks
params = list(model.parameters())
for parameter in params:
    nn.init.ones_(parameter)
optimizer = torch.optim.AdamW(
    [
        {"params": [p for p in params if p.ndim >= 2], "weight_decay": 0.5},
        {"params": [p for p in params if p.ndim < 2], "weight_decay": 0.0},
    ],
    lr=0.1,
)
(0 * model(x)).sum().backward()  # gradients of zero: only the decay acts
optimizer.step()
no_decay = [parameter.flatten()[0].item() for parameter in params]
print("shapes:", [tuple(parameter.shape) for parameter in params])
print("after one step:", [round(value, 4) for value in no_decay])
# --8<-- [end:no_decay]

# --8<-- [start:group_order]
first, second = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
optimizer = torch.optim.SGD([{"params": [second], "lr": 1.0}, {"params": [first], "lr": 0.1}])
(1 * first + 10 * second).backward()  # the gradients are 1 and 10
optimizer.step()
group_order = [first.item(), second.item()]
print("first and second:", [round(value, 4) for value in group_order])
# --8<-- [end:group_order]

# --8<-- [start:freeze]
model = nn.Linear(2, 1)
nn.init.constant_(model.bias, 1.0)
model.bias.requires_grad_(False)  # before the optimizer is made
optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1, weight_decay=0.5)
model(x).sum().backward()
optimizer.step()
freeze_before = model.bias.item()

model = nn.Linear(2, 1)
nn.init.constant_(model.bias, 1.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=0.5)
model.bias.requires_grad_(False)  # after it
model(x).sum().backward()
optimizer.step()
freeze_after = model.bias.item()
print(f"bias frozen before: {freeze_before:.4f}, after: {freeze_after:.4f}")
# --8<-- [end:freeze]

# --8<-- [start:clip_norm]
weights = [nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(1))]
(weights[0] @ torch.tensor([3.0, 4.0]) + 12 * weights[1]).sum().backward()

norm = nn.utils.clip_grad_norm_(weights, max_norm=1.0)  # in place; returns the norm before
clipped = [value for weight in weights for value in weight.grad.tolist()]
print(f"norm before: {norm.item():.1f}")
print("clipped together:", [round(value, 4) for value in clipped])

for weight, gradient in zip(weights, ([3.0, 4.0], [12.0]), strict=True):
    weight.grad = torch.tensor(gradient)
    nn.utils.clip_grad_norm_(weight, max_norm=1.0)  # each by itself: another algorithm
each = [value for weight in weights for value in weight.grad.tolist()]
print("each by itself:", [round(value, 4) for value in each])
# --8<-- [end:clip_norm]

# --8<-- [start:clip_value]
weight = nn.Parameter(torch.zeros(3))
(weight @ torch.tensor([3.0, -4.0, 0.5])).backward()
nn.utils.clip_grad_value_([weight], clip_value=1.0)
clip_value = weight.grad.tolist()
print(clip_value)
# --8<-- [end:clip_value]

# --8<-- [start:two_networks]
encoder, decoder = nn.Linear(2, 2), nn.Linear(2, 1)
try:
    torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
    two_networks = "works"
except ValueError as error:
    two_networks = type(error).__name__
print("two networks, one optimizer:", two_networks)

both = nn.ModuleDict({"enc": encoder, "dec": decoder})
optimizer = torch.optim.SGD(both.parameters(), lr=0.1)
renamed = [name for name, _parameter in both.named_parameters()]
print("with names:", renamed)
# --8<-- [end:two_networks]

# --8<-- [start:gan]
generator, critic = nn.Linear(1, 1), nn.Linear(1, 1)
for network in (generator, critic):
    nn.init.constant_(network.weight, 0.5)
    nn.init.constant_(network.bias, 0.1)
noise, real = torch.tensor([[1.0], [-0.5]]), torch.tensor([[2.0], [1.5]])
generator_optimizer = torch.optim.Adam(generator.parameters(), lr=0.01, betas=(0.5, 0.999))
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=0.01, betas=(0.5, 0.999))

for _step in range(3):
    critic_optimizer.zero_grad()
    fake = generator(noise).detach()
    critic_loss = ((critic(real) - 1) ** 2).mean() + (critic(fake) ** 2).mean()
    critic_loss.backward()
    critic_optimizer.step()

    generator_optimizer.zero_grad()  # the line above left gradients here, too
    generator_loss = ((critic(generator(noise)) - 1) ** 2).mean()
    generator_loss.backward()
    generator_optimizer.step()

gan = [generator.weight.item(), critic.weight.item(), critic_loss.item(), generator_loss.item()]
print(f"weights {gan[0]:.4f}, {gan[1]:.4f}; losses {gan[2]:.4f}, {gan[3]:.4f}")
# --8<-- [end:gan]

# --8<-- [start:learning_rate]
weight = nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=0.1)
rates = [optimizer.param_groups[0]["lr"]]
optimizer.param_groups[0]["lr"] = 0.5
rates.append(optimizer.param_groups[0]["lr"])

(2 * weight).sum().backward()
optimizer.step()
learning_rate_step = weight.item()
print("rates:", rates)
print("after a step with the new rate:", learning_rate_step)

optimizer.param_groups[0]["lr"] = 0.1
optimizer.step()
learning_rate_set_data = weight.item()
print("after setting 0.1 and a step:", round(learning_rate_set_data, 4))
optimizer.learning_rate = 0.25  # a new attribute, which nothing reads
learning_rate_attribute = "no error"
print("setting an attribute:", learning_rate_attribute)
# --8<-- [end:learning_rate]

# --8<-- [start:loaded]
model = nn.Linear(2, 1, bias=False)
model.load_state_dict({"weight": torch.tensor([start])})
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def step():
    optimizer.zero_grad()
    loss = ((model(x)[:, 0] - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    return model.weight[0, 0].item()


print(f"one step: {step():.4f}")
model.load_state_dict({"weight": torch.tensor([start])})  # back to the start
loaded_steps = [step(), step()]
print("after loading:", [round(value, 4) for value in loaded_steps])
with torch.no_grad():
    model.weight.copy_(torch.tensor([start]))
loaded_assign = [step(), step()]
print("after copying:", [round(value, 4) for value in loaded_assign])
# --8<-- [end:loaded]

# --8<-- [start:state]
weight = nn.Parameter(torch.tensor(start))
optimizer = torch.optim.Adam([weight], lr=0.1)
((x @ weight - y) ** 2).mean().backward()
optimizer.step()

state = optimizer.state_dict()["state"][0]
print("state:", sorted(state))
moments = [*state["exp_avg"].tolist(), *state["exp_avg_sq"].tolist()]
print("moments:", [round(value, 4) for value in moments])
state_rate = "lr" in optimizer.state_dict()["param_groups"][0]
print("learning rate among it:", state_rate)

other = torch.optim.AdamW([weight], lr=0.1).state_dict()
state_rate_experimental = "lr" in other["param_groups"][0]
print("AdamW, learning rate among it:", state_rate_experimental)
# --8<-- [end:state]

# --8<-- [start:ema]
model = nn.Linear(2, 1)
model.load_state_dict({"weight": torch.tensor([start]), "bias": torch.tensor([0.5])})
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
averaged = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
averaged.update_parameters(model)  # the first call copies

for _step in range(3):
    optimizer.zero_grad()
    ((model(x)[:, 0] - y) ** 2).mean().backward()
    optimizer.step()
    averaged.update_parameters(model)

ema = [averaged.module.weight[0, 0].item(), averaged.module.weight[0, 1].item(), model.weight[0, 0].item()]
print(f"average {ema[0]:.4f}, {ema[1]:.4f}; last weight {ema[2]:.4f}")
# --8<-- [end:ema]


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
    "adam": adam,
    "adam_l2": adam_l2,
    "adam_betas": adam_betas,
    "adamw": adamw,
    "adamw_lookalike": adamw,
    "tiny_gradients_adam": tiny_adam,
    "tiny_gradients_adamw": tiny_adamw,
    "amsgrad_off": amsgrad_off,
    "amsgrad_nn": amsgrad_adam,
    "amsgrad_experimental_adam": amsgrad_adam,
    "rmsprop": rmsprop,
    "rmsprop_nn": rmsprop,
    "adagrad_nn": adagrad_plain,
    "adagrad_accumulator": adagrad_same,
    "adagrad_zero": adagrad_zero,
    "defaults_sgd": default_sgd,
    "defaults_adam": default_adam,
    "defaults_adamw": default_adamw,
    "defaults_rmsprop": default_rmsprop,
    "defaults_adagrad": default_adagrad,
    "decay_names": decay_names,
    "decay_names_grouped": decay_grouped,
    "groups": groups,
    "no_decay": no_decay,
    "group_order": group_order,
    "group_order_mixed": group_order,
    "freeze_before": freeze_before,
    "freeze_after": freeze_after,
    "clip_norm": norm,
    "clip_norm_together": clipped,
    "clip_norm_each": each,
    "clip_value": clip_value,
    "two_networks": two_networks,
    "two_networks_renamed": renamed,
    "gan": gan,
    "learning_rate": rates,
    "learning_rate_step": learning_rate_step,
    "learning_rate_set_data": learning_rate_set_data,
    "learning_rate_attribute": learning_rate_attribute,
    "loaded_steps": loaded_steps,
    "loaded_assign": loaded_assign,
    "state": moments,
    "state_rate": state_rate,
    "state_rate_experimental": state_rate_experimental,
    "ema": ema,
    "available_count": len(names),
    "available_lbfgs": lbfgs,
}
