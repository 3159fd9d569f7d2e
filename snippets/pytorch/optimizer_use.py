"""Optimizers in use: groups, decay, clipping, several networks, rates, loading, state."""

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

# --8<-- [start:loaded]
x = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
y = torch.tensor([1.0, 2.0, 3.0])
checkpoint = {"weight": torch.tensor([[1.0, -2.0]])}


def after_loading(make_optimizer, load):
    """The first weight: as loaded after one step, and after each of two more steps."""
    model = nn.Linear(2, 1, bias=False)
    nn.init.zeros_(model.weight)
    optimizer = make_optimizer(model.parameters())

    def step():
        optimizer.zero_grad()
        ((model(x)[:, 0] - y) ** 2).mean().backward()
        optimizer.step()

    step()
    load(model)
    seen = [model.weight[0, 0].item()]
    for _step in range(2):
        step()
        seen.append(model.weight[0, 0].item())
    return seen


def load(model):
    model.load_state_dict(checkpoint)


def write_in_place(model):
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(checkpoint[name])


def adam(params):
    return torch.optim.Adam(params, lr=0.1)


loaded_sgd = after_loading(lambda params: torch.optim.SGD(params, lr=0.1), load)
loaded_adam = after_loading(adam, load)
loaded_adam_in_place = after_loading(adam, write_in_place)
print("SGD:", [round(value, 4) for value in loaded_sgd])
print("Adam:", [round(value, 4) for value in loaded_adam])
print("Adam, in place:", [round(value, 4) for value in loaded_adam_in_place])
# --8<-- [end:loaded]

# --8<-- [start:memory]
weight = nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=0.1)
weight.grad = torch.ones(1)
optimizer.step()

address = weight.data_ptr()
with torch.no_grad():
    weight.copy_(torch.tensor([5.0]))
memory_in_place = weight.data_ptr() == address
print("copy_ keeps the memory:", memory_in_place)
nn.ParameterDict({"weight": weight}).load_state_dict({"weight": torch.tensor([5.0])})
memory_loaded = weight.data_ptr() == address
print("load_state_dict keeps the memory:", memory_loaded)

optimizer = torch.optim.SGD([weight], lr=0.1)
optimizer.step()  # the gradient is still there
memory_new_optimizer = weight.item()
print(f"a step of a new optimizer: {memory_new_optimizer:.4f}")
# --8<-- [end:memory]

# --8<-- [start:decay_names]
names = ("weight", "gamma", "beta_layer")


def decayed(group):
    ones = [nn.Parameter(torch.ones(1)) for _name in names]
    for parameter in ones:
        parameter.grad = torch.zeros(1)  # only the decay acts
    torch.optim.SGD(group(ones), lr=0.1, weight_decay=0.5).step()
    return [parameter.item() for parameter in ones]


decay_names = decayed(lambda params: params)
decay_grouped = decayed(lambda params: [{"params": params}])
print(*names)
print("a flat list:", [round(value, 4) for value in decay_names])
print("one group:  ", [round(value, 4) for value in decay_grouped])
# --8<-- [end:decay_names]

# --8<-- [start:groups]
x = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
y = torch.tensor([1.0, 2.0, 3.0])
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
groups = sum((parameter.flatten().tolist() for parameter in model.parameters()), [])
print("rates:", [group["lr"] for group in optimizer.param_groups])
print("first layer:", [round(value, 4) for value in groups[:6]])
print("second layer:", [round(value, 4) for value in groups[6:]])
# --8<-- [end:groups]

# --8<-- [start:no_decay]
model = nn.Linear(2, 1)  # the same selection serves whole networks
params = list(model.parameters())
for parameter in params:
    nn.init.ones_(parameter)
optimizer = torch.optim.SGD(
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
own_groups = [{"params": [second], "lr": 1.0}, {"params": [first], "lr": 0.1}]
optimizer = torch.optim.SGD(own_groups)
(1 * first + 10 * second).backward()  # the gradients are 1 and 10
optimizer.step()
group_order = [first.item(), second.item()]
print("first and second:", [round(value, 4) for value in group_order])
# --8<-- [end:group_order]

# --8<-- [start:freeze]
model = nn.Linear(2, 1)
nn.init.constant_(model.bias, 1.0)
model.bias.requires_grad_(False)  # before the optimizer is made
trainable = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.SGD(trainable, lr=0.1, weight_decay=0.5)
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

norm = nn.utils.clip_grad_norm_(weights, max_norm=1.0)  # in place; returns the norm
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
options = {"lr": 0.01, "betas": (0.5, 0.999)}
generator_optimizer = torch.optim.Adam(generator.parameters(), **options)
critic_optimizer = torch.optim.Adam(critic.parameters(), **options)

for _step in range(3):
    critic_optimizer.zero_grad()
    fake = generator(noise).detach()
    critic_loss = ((critic(real) - 1) ** 2).mean() + (critic(fake) ** 2).mean()
    critic_loss.backward()
    critic_optimizer.step()

    generator_optimizer.zero_grad()
    generator_loss = ((critic(generator(noise)) - 1) ** 2).mean()
    generator_loss.backward()  # leaves gradients in the critic, too
    generator_optimizer.step()

losses = [critic_loss.item(), generator_loss.item()]
gan = [generator.weight.item(), critic.weight.item(), *losses]
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

# --8<-- [start:state]
weight = nn.Parameter(torch.tensor([1.0, -2.0]))
optimizer = torch.optim.Adam([weight], lr=0.1)
((x @ weight - y) ** 2).mean().backward()
optimizer.step()

state = optimizer.state_dict()["state"][0]
print("state:", sorted(state))
moments = [*state["exp_avg"].tolist(), *state["exp_avg_sq"].tolist()]
print("moments:", [round(value, 3) for value in moments])
state_rate = "lr" in optimizer.state_dict()["param_groups"][0]
print("learning rate among it:", state_rate)

other = torch.optim.AdamW([weight], lr=0.1).state_dict()
state_rate_experimental = "lr" in other["param_groups"][0]
print("AdamW, learning rate among it:", state_rate_experimental)
# --8<-- [end:state]

# --8<-- [start:ema]
model = nn.Linear(2, 1)
start = {"weight": torch.tensor([[1.0, -2.0]]), "bias": torch.tensor([0.5])}
model.load_state_dict(start)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
averaged = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
averaged.update_parameters(model)  # the first call copies

for _step in range(3):
    optimizer.zero_grad()
    ((model(x)[:, 0] - y) ** 2).mean().backward()
    optimizer.step()
    averaged.update_parameters(model)

ema = [*averaged.module.weight.flatten().tolist(), model.weight[0, 0].item()]
print(f"average {ema[0]:.4f}, {ema[1]:.4f}; last weight {ema[2]:.4f}")
# --8<-- [end:ema]

agree = {
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
    "state": moments,
    "state_rate": state_rate,
    "state_rate_experimental": state_rate_experimental,
    "ema": ema,
    "loaded_sgd": loaded_sgd,
    "loaded_adam": loaded_adam,
    "loaded_adam_in_place": loaded_adam_in_place,
    "loaded_experimental_sgd": loaded_sgd,
    "memory_in_place": memory_in_place,
    "memory_loaded": memory_loaded,
    "memory_new_optimizer": memory_new_optimizer,
}
