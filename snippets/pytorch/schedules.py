"""Learning-rate schedules, number by number: the same rates, and where they part."""

import warnings

import torch
from torch import nn
from torch.optim import lr_scheduler


# --8<-- [start:helpers]
def make_optimizer(lr=0.1):
    return torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=lr)


def rates(make_scheduler, steps=6, lr=0.1):
    """The rate that each training step uses."""
    optimizer = make_optimizer(lr)
    scheduler = make_scheduler(optimizer)
    used = []
    for _step in range(steps):
        used.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return used


def show(name, values):
    print(f"{name}:", *(f"{value:.5f}" for value in values))


constant = rates(lambda o: lr_scheduler.LambdaLR(o, lambda step: 1.0), steps=3)
show("constant", constant)
# --8<-- [end:helpers]

# --8<-- [start:three_ways]
weight = nn.Parameter(torch.zeros(1))
optimizer = torch.optim.SGD([weight], lr=0.1)
scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
used = []
for _step in range(4):
    used.append(optimizer.param_groups[0]["lr"])
    weight.grad = torch.ones(1)
    optimizer.step()
    scheduler.step()
show("rates", used)
three_ways = weight.item()
print(f"the weight at the end: {three_ways:.6f}")
# --8<-- [end:three_ways]

# --8<-- [start:counts]
schedulers = sorted(set(lr_scheduler.__all__) - {"LRScheduler"})
print(len(schedulers), "in torch.optim.lr_scheduler:")
print(*schedulers[:6])
print(*schedulers[6:11])
print(*schedulers[11:])
# --8<-- [end:counts]

# --8<-- [start:deprecated]
documented = {name: getattr(lr_scheduler, name).__doc__ for name in schedulers}
deprecated = [name for name, text in documented.items() if "deprecated" in text]
print("marked as deprecated:", len(deprecated))
# --8<-- [end:deprecated]

# --8<-- [start:all_shared]
shared = {
    "StepLR": lambda o: lr_scheduler.StepLR(o, step_size=2),
    "MultiStepLR": lambda o: lr_scheduler.MultiStepLR(o, milestones=[2, 3], gamma=0.5),
    "ExponentialLR": lambda o: lr_scheduler.ExponentialLR(o, gamma=0.9),
    "ConstantLR": lambda o: lr_scheduler.ConstantLR(o, factor=0.5, total_iters=2),
    "LinearLR": lambda o: lr_scheduler.LinearLR(o, start_factor=0.25, total_iters=4),
    "PolynomialLR": lambda o: lr_scheduler.PolynomialLR(o, total_iters=4, power=2.0),
    "CosineAnnealingLR": lambda o: lr_scheduler.CosineAnnealingLR(o, T_max=4),
    "WarmRestarts": lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 2, T_mult=2),
    "CyclicLR": lambda o: lr_scheduler.CyclicLR(o, 0.01, 0.1, 2, cycle_momentum=False),
    "LambdaLR": lambda o: lr_scheduler.LambdaLR(o, lambda step: 0.9**step),
    "MultiplicativeLR": lambda o: lr_scheduler.MultiplicativeLR(o, lambda step: 0.8),
}
all_shared = {name: rates(make) for name, make in shared.items()}
for name, values in all_shared.items():
    show(f"{name:17}", values)
# --8<-- [end:all_shared]

# --8<-- [start:staircase]
staircase = rates(lambda o: lr_scheduler.StepLR(o, step_size=2, gamma=0.1))
show("StepLR", staircase)
piecewise = rates(lambda o: lr_scheduler.MultiStepLR(o, milestones=[2, 5], gamma=0.1))
show("MultiStepLR", piecewise)
# --8<-- [end:staircase]

# --8<-- [start:exponential]
exponential = rates(lambda o: lr_scheduler.ExponentialLR(o, gamma=0.9))
show("ExponentialLR", exponential)
per_epoch = rates(lambda o: lr_scheduler.ExponentialLR(o, gamma=0.9), steps=2)
exponential_epochs = [rate for rate in per_epoch for _step in range(3)]
show("per epoch of three steps", exponential_epochs)
# --8<-- [end:exponential]

# --8<-- [start:cosine_end]
cosine_end = rates(lambda o: lr_scheduler.CosineAnnealingLR(o, T_max=3), steps=7)
show("CosineAnnealingLR", cosine_end)
# --8<-- [end:cosine_end]

# --8<-- [start:warmup_cosine]
x, y = torch.tensor([[1.0, 2.0], [3.0, -1.0]]), torch.tensor([1.0, 2.0])
weight = nn.Parameter(torch.tensor([0.5, -0.5]))
optimizer = torch.optim.AdamW([weight], lr=0.1, weight_decay=0.01)
scheduler = lr_scheduler.SequentialLR(
    optimizer,
    [
        lr_scheduler.LinearLR(optimizer, start_factor=0.25, total_iters=3),
        lr_scheduler.CosineAnnealingLR(optimizer, T_max=5),
    ],
    milestones=[3],
)
used = []
for _step in range(8):
    optimizer.zero_grad()
    loss = ((x @ weight - y) ** 2).mean()
    loss.backward()
    used.append(optimizer.param_groups[0]["lr"])
    optimizer.step()
    scheduler.step()
show("rates", used)
warmup_loss, warmup_rates = loss.item(), used
print(f"last loss {warmup_loss:.6f}")
# --8<-- [end:warmup_cosine]

# --8<-- [start:warmup_zero]
try:
    warmup = rates(lambda o: lr_scheduler.LinearLR(o, start_factor=0.0, total_iters=4))
    warmup_zero = "works"
except ValueError as error:
    warmup_zero = type(error).__name__
    print("LinearLR from 0:", warmup_zero)
    print(error)
warmup = rates(lambda o: lr_scheduler.LambdaLR(o, lambda step: min(step / 4, 1.0)))
show("LambdaLR from 0", warmup)
# --8<-- [end:warmup_zero]

# --8<-- [start:polynomial]
polynomial = rates(lambda o: lr_scheduler.PolynomialLR(o, total_iters=4, power=2.0))
show("to zero", polynomial)


def to_a_fifth(step):
    return 0.2 + 0.8 * (1 - min(step, 4) / 4) ** 2


scaled = rates(lambda o: lr_scheduler.LambdaLR(o, to_a_fifth))
show("to 0.02", scaled)
# --8<-- [end:polynomial]

# --8<-- [start:plateau]
optimizer = make_optimizer()
scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
plateau = []
for validation_loss in (1.0, 0.8, 0.8, 0.8, 0.8, 0.8):
    optimizer.step()
    scheduler.step(validation_loss)
    plateau.append(optimizer.param_groups[0]["lr"])
show("after each epoch", plateau)
# --8<-- [end:plateau]

# --8<-- [start:one_cycle]
options = {"max_lr": 0.1, "total_steps": 8, "cycle_momentum": False}
one_cycle = rates(lambda o: lr_scheduler.OneCycleLR(o, **options), steps=8)
show("OneCycleLR", one_cycle)
# --8<-- [end:one_cycle]

# --8<-- [start:chained]
optimizer = make_optimizer()
halving = lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
decay = lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
chained = []
for _step in range(6):
    chained.append(optimizer.param_groups[0]["lr"])
    optimizer.step()
    halving.step()  # each multiplies the rate that the other left
    decay.step()
show("both", chained)
chained_class = hasattr(lr_scheduler, "ChainedScheduler")
print("ChainedScheduler:", chained_class)
# --8<-- [end:chained]

# --8<-- [start:epoch_or_step]
per_epoch = make_optimizer()
scheduler = lr_scheduler.StepLR(per_epoch, step_size=1, gamma=0.5)
used = []
for _epoch in range(2):
    for _step in range(3):
        used.append(per_epoch.param_groups[0]["lr"])
        per_epoch.step()
    scheduler.step()  # once per epoch
show("per epoch", used)
epoch_rates = used
step_rates = rates(lambda o: lr_scheduler.StepLR(o, step_size=1, gamma=0.5))
show("per step", step_rates)
# --8<-- [end:epoch_or_step]

# --8<-- [start:forgotten]
optimizer = make_optimizer()
scheduler = lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.1)
forgotten = []
for _step in range(3):
    forgotten.append(optimizer.param_groups[0]["lr"])
    optimizer.step()  # and no scheduler.step()
show("never stepped", forgotten)
# --8<-- [end:forgotten]

# --8<-- [start:order]
optimizer = make_optimizer()
scheduler = lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
order = []
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _step in range(3):
        scheduler.step()  # the wrong way round
        order.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
show("scheduler first", order)
order_warning = caught[0].category.__name__ if caught else "none"
print("warning:", order_warning)
print(str(caught[0].message).partition(". ")[0])
# --8<-- [end:order]

# --8<-- [start:read_rate]
optimizer = make_optimizer()
scheduler = lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
optimizer.step()
scheduler.step()
read_rate = [optimizer.param_groups[0]["lr"], scheduler.get_last_lr()[0]]
show("optimizer and scheduler", read_rate)
# --8<-- [end:read_rate]

# --8<-- [start:by_hand]
optimizer = make_optimizer()
scheduler = lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
optimizer.param_groups[0]["lr"] = 0.8
optimizer.step()
scheduler.step()
by_hand = optimizer.param_groups[0]["lr"]
print(f"a number in param_groups, then a step: {by_hand:.4f}")
# --8<-- [end:by_hand]

# --8<-- [start:short_list]
short = [0.1, 0.05]
optimizer = make_optimizer(lr=1.0)
scheduler = lr_scheduler.LambdaLR(optimizer, lambda step: short[step])
optimizer.step()
scheduler.step()
optimizer.step()  # the second and last rate
try:
    scheduler.step()
    short_list = "works"
except IndexError as error:
    short_list = type(error).__name__
    print("a third rate:", short_list)
    print(error)
# --8<-- [end:short_list]

# --8<-- [start:integers]
integers = rates(lambda o: lr_scheduler.CosineAnnealingLR(o, 3, eta_min=0), steps=3, lr=1)
show("CosineAnnealingLR, integers", integers)
integers_list = "works"
# --8<-- [end:integers]

# --8<-- [start:groups]
backbone, head = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
own_groups = [{"params": [backbone], "lr": 0.01}, {"params": [head]}]
optimizer = torch.optim.SGD(own_groups, lr=0.1)
scheduler = lr_scheduler.LambdaLR(optimizer, [lambda step: 0.5**step, lambda step: 1.0])
first_rates = scheduler.get_last_lr()
optimizer.step()
scheduler.step()
groups = scheduler.get_last_lr()
show("backbone and head, first step", first_rates)
show("backbone and head, second step", groups)
# --8<-- [end:groups]

# --8<-- [start:other_optimizer]
optimizer = torch.optim.Adam([nn.Parameter(torch.zeros(1))])
scheduler = lr_scheduler.StepLR(optimizer, step_size=2)
other_optimizer = "works"
print("a scheduler for Adam:", other_optimizer)
# --8<-- [end:other_optimizer]

# --8<-- [start:resume]
optimizer = make_optimizer()
scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=8)
for _step in range(4):
    optimizer.step()
    scheduler.step()
saved = {"optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()}

optimizer = make_optimizer()  # in a new process
scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=8)
optimizer.load_state_dict(saved["optimizer"])
scheduler.load_state_dict(saved["scheduler"])
resumed = []
for _step in range(3):
    resumed.append(optimizer.param_groups[0]["lr"])
    optimizer.step()
    scheduler.step()
show("steps five to seven", resumed)
resume_list = resumed[0]
resume_state = hasattr(scheduler, "state_dict")
print("state_dict:", resume_state)
# --8<-- [end:resume]

# --8<-- [start:last_epoch]
weight = nn.Parameter(torch.zeros(1))
restored = [{"params": [weight], "lr": 0.05, "initial_lr": 0.1}]  # the rate of step five
optimizer = torch.optim.SGD(restored, lr=0.1)
scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=8, last_epoch=3)
last_epoch = optimizer.param_groups[0]["lr"]
print(f"the rate of step five: {last_epoch:.5f}")
# --8<-- [end:last_epoch]

# --8<-- [start:compiled]
weight = nn.Parameter(torch.zeros(1))
optimizer = torch.optim.SGD([weight], lr=0.1)
scheduler = lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
compiled = []
for _step in range(3):
    optimizer.zero_grad()
    weight.sum().backward()
    optimizer.step()
    scheduler.step()
    compiled.append(weight.item())
show("the weight", compiled)
# --8<-- [end:compiled]

agree = {
    "helpers": constant,
    "three_ways_list": three_ways,
    "three_ways_cell": three_ways,
    "three_ways_scheduler": three_ways,
    "counts_scheduler_classes": len(schedulers),
    "counts_all": len(schedulers),
    "deprecated": len(deprecated),
    "all_shared": list(all_shared.values()),
    "staircase": [*staircase, *piecewise],
    "exponential": exponential,
    "exponential_epochs": exponential_epochs,
    "cosine_end_scheduler": cosine_end,
    "cosine_end_cell": cosine_end[3:],
    "warmup_cosine_rates": warmup_rates,
    "warmup_cosine_loss": warmup_loss,
    "warmup_zero": warmup,
    "warmup_zero_linear": warmup_zero,
    "polynomial": polynomial,
    "polynomial_end": scaled,
    "plateau": plateau,
    "one_cycle": one_cycle,
    "one_cycle_class": hasattr(lr_scheduler, "OneCycleLR"),
    "chained": chained,
    "chained_class": chained_class,
    "epoch_or_step": [*epoch_rates, *step_rates],
    "forgotten": forgotten,
    "order": order,
    "order_warning": order_warning,
    "read_rate": read_rate,
    "by_hand": by_hand,
    "by_hand_assign": by_hand,
    "short_list": short_list,
    "integers": integers,
    "integers_list": integers_list,
    "groups": groups,
    "groups_list": [first_rates, groups],
    "other_optimizer": other_optimizer,
    "resume": resumed,
    "resume_list": resume_list,
    "resume_state": resume_state,
    "last_epoch": last_epoch,
    "compiled": compiled,
}
