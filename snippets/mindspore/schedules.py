"""Learning-rate schedules, number by number: the same rates, and where they part."""

import inspect
import math
import warnings

import mindspore
from mindspore import Parameter, Tensor, nn, ops
from mindspore.experimental import optim
from mindspore.experimental.optim import lr_scheduler

# --8<-- [start:helpers]
mindspore.runtime.launch_blocking()  # before the first operator: quicker for tiny models


def make_optimizer(lr=0.1):
    return optim.SGD([Parameter(Tensor([0.0]), name="weight")], lr=lr)


def rates(make_scheduler, steps=6, lr=0.1):
    """The rate that each training step uses."""
    optimizer = make_optimizer(lr)
    scheduler = make_scheduler(optimizer)
    used = []
    for _step in range(steps):
        used.append(optimizer.param_groups[0]["lr"].item())
        scheduler.step()
    return used


def show(name, values):
    print(f"{name}:", *(f"{value:.5f}" for value in values))


constant = rates(lambda o: lr_scheduler.LambdaLR(o, lambda step: 1.0), steps=3)
show("constant", constant)
# --8<-- [end:helpers]

# --8<-- [start:three_ways]
gradient = (Tensor([1.0]),)


def train(learning_rate):
    weight = Parameter(Tensor([0.0]), name="weight")
    optimizer = nn.SGD([weight], learning_rate)
    for _step in range(4):
        optimizer(gradient)
    return weight.item()


listed = nn.cosine_decay_lr(0.0, 0.1, total_step=4, step_per_epoch=1, decay_epoch=4)
show("a list of rates", listed)
three_ways_list = train(listed)
three_ways_cell = train(nn.CosineDecayLR(0.0, 0.1, decay_steps=4))

weight = Parameter(Tensor([0.0]), name="weight")
optimizer = optim.SGD([weight], lr=0.1)
scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
for _step in range(4):
    optimizer(gradient)
    scheduler.step()
three_ways_scheduler = weight.item()
print(f"a list: {three_ways_list:.6f}")
print(f"a cell: {three_ways_cell:.6f}")
print(f"a scheduler: {three_ways_scheduler:.6f}")
# --8<-- [end:three_ways]

# --8<-- [start:counts]
schedulers = sorted(set(lr_scheduler.__all__) - {"LRScheduler"})
base = nn.learning_rate_schedule.LearningRateSchedule
classes = {name: thing for name, thing in vars(nn).items() if inspect.isclass(thing)}
cells = sorted(name for name, thing in classes.items() if issubclass(thing, base))
lists = sorted(nn.dynamic_lr.__all__)
print(len(schedulers), "in experimental.optim.lr_scheduler:")
print(*schedulers[:6])
print(*schedulers[6:])
print(len(cells), "cells in nn:")
print(*cells)
print(len(lists), "lists in nn:")
print(*lists[:4])
print(*lists[4:])
# --8<-- [end:counts]


# --8<-- [start:deprecated]
def marked(names, namespace):
    return [name for name in names if "deprecated" in getattr(namespace, name).__doc__]


deprecated = [*marked(schedulers, lr_scheduler), *marked(cells, nn), *marked(lists, nn)]
print("marked as deprecated:", len(deprecated))
print("cells and lists not marked:", *sorted({*cells, *lists} - {*deprecated}))
notice = nn.cosine_decay_lr.__doc__.partition(".. warning::")[2].strip().splitlines()[0]
print("nn.cosine_decay_lr:", notice)
notice = lr_scheduler.StepLR.__doc__.partition(".. warning::")[2].strip().splitlines()[0]
print("lr_scheduler.StepLR:", notice)
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
    "CyclicLR": lambda o: lr_scheduler.CyclicLR(o, 0.01, 0.1, step_size_up=2),
    "LambdaLR": lambda o: lr_scheduler.LambdaLR(o, lambda step: 0.9**step),
    "MultiplicativeLR": lambda o: lr_scheduler.MultiplicativeLR(o, lambda step: 0.8),
}
all_shared = {name: rates(make) for name, make in shared.items()}
for name, values in all_shared.items():
    show(f"{name:17}", values)
# --8<-- [end:all_shared]

# --8<-- [start:staircase]
options = {"total_step": 6, "step_per_epoch": 1, "decay_epoch": 2, "is_stair": True}
staircase = nn.exponential_decay_lr(0.1, decay_rate=0.1, **options)
show("exponential_decay_lr", staircase)
piecewise = nn.piecewise_constant_lr([2, 5, 6], learning_rates=[0.1, 0.01, 0.001])
show("piecewise_constant_lr", piecewise)
# --8<-- [end:staircase]

# --8<-- [start:exponential]
options = {"decay_rate": 0.9, "total_step": 6, "decay_epoch": 1}
exponential = nn.exponential_decay_lr(0.1, **options, step_per_epoch=1)
show("one step per epoch", exponential)
exponential_epochs = nn.exponential_decay_lr(0.1, **options, step_per_epoch=3)
show("per epoch of three steps", exponential_epochs)
# --8<-- [end:exponential]

# --8<-- [start:cosine_end]
cosine_end = rates(lambda o: lr_scheduler.CosineAnnealingLR(o, T_max=3), steps=7)
show("CosineAnnealingLR", cosine_end)
cell = nn.CosineDecayLR(0.0, 0.1, decay_steps=3)
cosine_cell = [cell(Tensor(step, mindspore.int32)).item() for step in range(7)]
show("nn.CosineDecayLR", cosine_cell)
# --8<-- [end:cosine_end]

# --8<-- [start:warmup_cosine]
x, y = Tensor([[1.0, 2.0], [3.0, -1.0]]), Tensor([1.0, 2.0])
weight = Parameter(Tensor([0.5, -0.5]), name="weight")
optimizer = optim.AdamW([weight], lr=0.1, weight_decay=0.01)
scheduler = lr_scheduler.SequentialLR(
    optimizer,
    [
        lr_scheduler.LinearLR(optimizer, start_factor=0.25, total_iters=3),
        lr_scheduler.CosineAnnealingLR(optimizer, T_max=5),
    ],
    milestones=[3],
)


def loss_fn():
    return ((x @ weight - y) ** 2).mean()


grad_fn = mindspore.value_and_grad(loss_fn, None, optimizer.parameters)
used = []
for _step in range(8):
    loss, grads = grad_fn()
    used.append(optimizer.param_groups[0]["lr"].item())
    optimizer(grads)
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
warmup = nn.warmup_lr(0.1, total_step=6, step_per_epoch=1, warmup_epoch=4)
show("warmup_lr from 0", warmup)
# --8<-- [end:warmup_zero]

# --8<-- [start:polynomial]
options = {"total_step": 6, "step_per_epoch": 1, "decay_epoch": 4, "power": 2.0}
polynomial = nn.polynomial_decay_lr(0.1, end_learning_rate=0.0, **options)
show("to zero", polynomial)
scaled = nn.polynomial_decay_lr(0.1, end_learning_rate=0.02, **options)
show("to 0.02", scaled)
# --8<-- [end:polynomial]

# --8<-- [start:plateau]
optimizer = make_optimizer()
scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
plateau = []
for validation_loss in (1.0, 0.8, 0.8, 0.8, 0.8, 0.8):
    scheduler.step(validation_loss)
    plateau.append(optimizer.param_groups[0]["lr"].item())
show("after each epoch", plateau)
# --8<-- [end:plateau]


# --8<-- [start:one_cycle]
def between(start, end, part):
    return end + (start - end) / 2 * (1 + math.cos(math.pi * part))


def one_cycle_list(max_lr, total_steps, rise=0.3):
    """The rates of OneCycleLR with its default factors, for nn optimizers."""
    start, top = max_lr / 25, rise * total_steps - 1
    rates = []
    for step in range(total_steps):
        if step <= top:
            rates.append(between(start, max_lr, step / top))
        else:
            part = (step - top) / (total_steps - 1 - top)
            rates.append(between(max_lr, start / 1e4, part))
    return rates


one_cycle = one_cycle_list(0.1, total_steps=8)
show("a list", one_cycle)
one_cycle_class = hasattr(lr_scheduler, "OneCycleLR")
print("OneCycleLR:", one_cycle_class)
# --8<-- [end:one_cycle]

# --8<-- [start:chained]
optimizer = make_optimizer()
halving = lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
decay = lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
chained = []
for _step in range(6):
    chained.append(optimizer.param_groups[0]["lr"].item())
    halving.step()  # each multiplies the rate that the other left
    decay.step()
show("both", chained)
chained_class = hasattr(lr_scheduler, "ChainedScheduler")
print("ChainedScheduler:", chained_class)
# --8<-- [end:chained]

# --8<-- [start:epoch_or_step]
options = {"decay_rate": 0.5, "total_step": 6, "decay_epoch": 1}
epoch_rates = nn.exponential_decay_lr(0.1, **options, step_per_epoch=3)
show("per epoch", epoch_rates)
step_rates = nn.exponential_decay_lr(0.1, **options, step_per_epoch=1)
show("per step", step_rates)
# --8<-- [end:epoch_or_step]

# --8<-- [start:forgotten]
optimizer = make_optimizer()
scheduler = lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.1)
forgotten = []
for _step in range(3):
    forgotten.append(optimizer.param_groups[0]["lr"].item())
    optimizer(gradient)  # and no scheduler.step()
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
        order.append(optimizer.param_groups[0]["lr"].item())
        optimizer(gradient)
show("scheduler first", order)
order_warning = caught[0].category.__name__ if caught else "none"
print("warning:", order_warning)
# --8<-- [end:order]

# --8<-- [start:read_rate]
optimizer = make_optimizer()
scheduler = lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
scheduler.step()
read_rate = [optimizer.param_groups[0]["lr"].item(), scheduler.get_last_lr()[0].item()]
show("optimizer and scheduler", read_rate)

optimizer = nn.SGD([Parameter(Tensor([0.0]), name="weight")], learning_rate=[0.1, 0.05])
first = optimizer.get_lr().item()
optimizer(gradient)
second = optimizer.get_lr().item()
show("nn.SGD with a list, before and after a step", [first, second])
# --8<-- [end:read_rate]

# --8<-- [start:by_hand]
optimizer = make_optimizer()
scheduler = lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
optimizer.param_groups[0]["lr"] = 0.8
scheduler.step()
by_hand = optimizer.param_groups[0]["lr"]
print(f"a number in param_groups, then a step: {by_hand:.4f}")

optimizer = make_optimizer()
scheduler = lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
ops.assign(optimizer.param_groups[0]["lr"], 0.8)
scheduler.step()
by_hand_assign = optimizer.param_groups[0]["lr"].item()
print(f"ops.assign, then a step: {by_hand_assign:.4f}")
# --8<-- [end:by_hand]

# --8<-- [start:short_list]
short = [0.1, 0.05]
optimizer = nn.SGD([Parameter(Tensor([0.0]), name="weight")], learning_rate=short)
optimizer(gradient)
optimizer(gradient)  # the second and last rate
try:
    optimizer.get_lr().asnumpy()  # a third step asks for this, and fails with the same
    short_list = "works"
except RuntimeError as error:
    short_list = type(error).__name__
    print("a third rate:", short_list)
    print(str(error).partition(", error_code")[0])
# --8<-- [end:short_list]

# --8<-- [start:integers]
integers = rates(lambda o: lr_scheduler.CosineAnnealingLR(o, 3, eta_min=0), steps=3, lr=1)
show("CosineAnnealingLR, integers", integers)
try:
    nn.cosine_decay_lr(0, 1, total_step=3, step_per_epoch=1, decay_epoch=3)
    integers_list = "works"
except TypeError as error:
    integers_list = type(error).__name__
    print("cosine_decay_lr, integers:", integers_list)
    print(str(error).partition(", ")[2])
# --8<-- [end:integers]

# --8<-- [start:groups]
backbone = Parameter(Tensor([0.0]), name="backbone")
head = Parameter(Tensor([0.0]), name="head")
optimizer = optim.SGD([{"params": [backbone], "lr": 0.01}, {"params": [head]}], lr=0.1)
scheduler = lr_scheduler.LambdaLR(optimizer, [lambda step: 0.5**step, lambda step: 1.0])
scheduler.step()
groups = [rate.item() for rate in scheduler.get_last_lr()]
show("backbone and head, second step", groups)

listed_groups = [{"params": [backbone], "lr": [0.01, 0.005]}, {"params": [head]}]
optimizer = nn.SGD(listed_groups, learning_rate=0.1)
groups_list = [[rate.item() for rate in optimizer.get_lr()]]
optimizer((gradient[0], gradient[0]))
groups_list.append([rate.item() for rate in optimizer.get_lr()])
show("nn.SGD with a list, first step", groups_list[0])
show("nn.SGD with a list, second step", groups_list[1])
# --8<-- [end:groups]

# --8<-- [start:other_optimizer]
try:
    lr_scheduler.StepLR(nn.Adam([Parameter(Tensor([0.0]), name="weight")]), step_size=2)
    other_optimizer = "works"
except TypeError as error:
    other_optimizer = type(error).__name__
    print("a scheduler for nn.Adam:", other_optimizer)
    print(error)
# --8<-- [end:other_optimizer]

# --8<-- [start:resume]
optimizer = make_optimizer()
scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=8)
for _step in range(4):
    scheduler.step()
done = int(scheduler.last_epoch.item())  # what to save: the number of steps

optimizer = make_optimizer()  # in a new process
scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=8)
for _step in range(done):
    scheduler.step()
resumed = []
for _step in range(3):
    resumed.append(optimizer.param_groups[0]["lr"].item())
    scheduler.step()
show("steps five to seven", resumed)
resume_state = hasattr(scheduler, "state_dict")
print("state_dict:", resume_state)

weight = Parameter(Tensor([0.0]), name="weight")
listed = nn.cosine_decay_lr(0.0, 0.1, total_step=8, step_per_epoch=1, decay_epoch=8)
optimizer = nn.SGD([weight], learning_rate=listed)
ops.assign(optimizer.global_step, Tensor([4], mindspore.int32))  # or load the optimizer
resume_list = optimizer.get_lr().item()
print(f"nn.SGD with a list, step five: {resume_list:.5f}")
# --8<-- [end:resume]

# --8<-- [start:last_epoch]
weight = Parameter(Tensor([0.0]), name="weight")
restored = [{"params": [weight], "lr": 0.05, "initial_lr": 0.1}]  # the rate of step five
optimizer = optim.SGD(restored, lr=0.1)
scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=8, last_epoch=3)
last_epoch = optimizer.param_groups[0]["lr"].item()
print(f"the rate of step five: {last_epoch:.5f}")
# --8<-- [end:last_epoch]

# --8<-- [start:compiled]
weight = Parameter(Tensor([0.0]), name="weight")
optimizer = optim.SGD([weight], lr=0.1)
scheduler = lr_scheduler.ExponentialLR(optimizer, gamma=0.5)


def loss_fn():
    return weight.sum()


grad_fn = mindspore.value_and_grad(loss_fn, None, optimizer.parameters)


@mindspore.jit
def step():
    loss, grads = grad_fn()
    optimizer(grads)
    return loss


compiled = []
for _step in range(3):
    step()
    scheduler.step()
    compiled.append(weight.item())
show("the weight", compiled)
# --8<-- [end:compiled]

agree = {
    "helpers": constant,
    "three_ways_list": three_ways_list,
    "three_ways_cell": three_ways_cell,
    "three_ways_scheduler": three_ways_scheduler,
    "counts_scheduler_classes": len(schedulers),
    "counts_all": len(schedulers) + len(cells) + len(lists),
    "deprecated": len(deprecated),
    "all_shared": list(all_shared.values()),
    "staircase": [*staircase, *piecewise],
    "exponential": exponential,
    "exponential_epochs": exponential_epochs,
    "cosine_end_scheduler": cosine_end,
    "cosine_end_cell": cosine_cell[3:],
    "warmup_cosine_rates": warmup_rates,
    "warmup_cosine_loss": warmup_loss,
    "warmup_zero": warmup,
    "warmup_zero_linear": warmup_zero,
    "polynomial": polynomial,
    "polynomial_end": scaled,
    "plateau": plateau,
    "one_cycle": one_cycle,
    "one_cycle_class": one_cycle_class,
    "chained": chained,
    "chained_class": chained_class,
    "epoch_or_step": [*epoch_rates, *step_rates],
    "forgotten": forgotten,
    "order": order,
    "order_warning": order_warning,
    "read_rate": read_rate,
    "by_hand": by_hand,
    "by_hand_assign": by_hand_assign,
    "short_list": short_list,
    "integers": integers,
    "integers_list": integers_list,
    "groups": groups,
    "groups_list": groups_list,
    "other_optimizer": other_optimizer,
    "resume": resumed,
    "resume_list": resume_list,
    "resume_state": resume_state,
    "last_epoch": last_epoch,
    "compiled": compiled,
}
