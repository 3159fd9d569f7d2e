"""Optimizers in use: groups, decay, clipping, several networks, rates, loading, state."""

import inspect

import mindspore
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops
from mindspore.common.initializer import Constant, initializer
from mindspore.experimental import optim

# --8<-- [start:loaded]
mindspore.runtime.launch_blocking()  # before the first operator: quicker for tiny models
x, y = Tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]]), Tensor([1.0, 2.0, 3.0])


def after_loading(make_optimizer, load):
    """The first weight: as loaded after one step, and after each of two more steps."""
    model = nn.Dense(2, 1, weight_init="zeros", has_bias=False)
    optimizer = make_optimizer(model.trainable_params())

    def loss_fn():
        return ((model(x)[:, 0] - y) ** 2).mean()

    grad_fn = mindspore.grad(loss_fn, None, optimizer.parameters)
    optimizer(grad_fn())
    load(model)
    seen = [model.weight[0, 0].item()]
    for _step in range(2):
        optimizer(grad_fn())
        seen.append(model.weight[0, 0].item())
    return seen


def checkpoint():
    return {"weight": Parameter(Tensor([[1.0, -2.0]]), name="weight")}


def load(model):
    mindspore.load_param_into_net(model, checkpoint())


def write_in_place(model):
    for name, parameter in model.parameters_and_names():
        ops.assign(parameter, checkpoint()[name])


def adam(params):
    return nn.Adam(params, learning_rate=0.1)


loaded_sgd = after_loading(lambda params: nn.SGD(params, 0.1), load)
loaded_adam = after_loading(adam, load)
loaded_adam_in_place = after_loading(adam, write_in_place)
loaded_experimental = after_loading(lambda params: optim.SGD(params, lr=0.1), load)
print("nn.SGD:", [round(value, 4) for value in loaded_sgd])
print("nn.Adam:", [round(value, 4) for value in loaded_adam])
print("nn.Adam, in place:", [round(value, 4) for value in loaded_adam_in_place])
print("experimental.optim.SGD:", [round(value, 4) for value in loaded_experimental])
# --8<-- [end:loaded]

# --8<-- [start:memory]
weight = Parameter(Tensor([1.0]), name="weight")
optimizer = nn.SGD([weight], learning_rate=0.1)
optimizer((Tensor([1.0]),))

address = weight.data_ptr()
ops.assign(weight, Tensor([5.0]))
memory_in_place = weight.data_ptr() == address
print("ops.assign keeps the memory:", memory_in_place)
weight.set_data(Tensor([5.0]))
memory_loaded = weight.data_ptr() == address
print("set_data keeps the memory:", memory_loaded)
print("nn.SGD's update is compiled:", "@jit" in inspect.getsource(nn.SGD.construct))

optimizer = nn.SGD([weight], learning_rate=0.1)  # compiles anew, for the new memory
optimizer((Tensor([1.0]),))
memory_new_optimizer = weight.item()
print(f"a step of a new optimizer: {memory_new_optimizer:.4f}")
# --8<-- [end:memory]

# --8<-- [start:decay_names]
names = ("weight", "gamma", "beta_layer")
zeros = (Tensor([0.0]),) * 3  # as gradients: only the decay acts


def decayed(group):
    ones = [Parameter(Tensor([1.0]), name=name) for name in names]
    nn.SGD(group(ones), learning_rate=0.1, weight_decay=0.5)(zeros)
    return [parameter.item() for parameter in ones]


decay_names = decayed(lambda params: params)
decay_grouped = decayed(lambda params: [{"params": params}])
print(*names)
print("a flat list:", [round(value, 4) for value in decay_names])
print("one group:  ", [round(value, 4) for value in decay_grouped])
# --8<-- [end:decay_names]

# --8<-- [start:groups]
x, y = Tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]]), Tensor([1.0, 2.0, 3.0])
model = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 1))
for parameter in model.trainable_params():
    parameter.set_data(initializer(Constant(0.5), parameter.shape))
optimizer = nn.SGD(
    [
        {"params": model[0].trainable_params(), "lr": 0.01},
        {"params": model[1].trainable_params(), "weight_decay": 0.1},
    ],
    learning_rate=0.1,
)


def loss_fn():
    return ((model(x)[:, 0] - y) ** 2).mean()


grads = mindspore.grad(loss_fn, None, optimizer.parameters)()
optimizer(grads)
groups = sum((parameter.flatten().tolist() for parameter in model.trainable_params()), [])
print("rates:", sorted({round(rate.item(), 4) for rate in optimizer.get_lr()}))
print("first layer:", [round(value, 4) for value in groups[:6]])
print("second layer:", [round(value, 4) for value in groups[6:]])
# --8<-- [end:groups]

# --8<-- [start:no_decay]
model = nn.Dense(2, 1)  # the same selection serves whole networks
params = model.trainable_params()
for parameter in params:
    parameter.set_data(initializer("ones", parameter.shape))
optimizer = nn.SGD(
    [
        {"params": [p for p in params if p.ndim >= 2], "weight_decay": 0.5},
        {"params": [p for p in params if p.ndim < 2], "weight_decay": 0.0},
    ],
    learning_rate=0.1,
)
grad_fn = mindspore.grad(lambda: (0 * model(x)).sum(), None, optimizer.parameters)
optimizer(grad_fn())  # gradients of zero: only the decay acts
no_decay = [parameter.flatten()[0].item() for parameter in params]
print("shapes:", [parameter.shape for parameter in params])
print("after one step:", [round(value, 4) for value in no_decay])
# --8<-- [end:no_decay]

# --8<-- [start:group_order]
first = Parameter(Tensor([0.0]), name="first")
second = Parameter(Tensor([0.0]), name="second")
own_groups = [{"params": [second], "lr": 1.0}, {"params": [first], "lr": 0.1}]
optimizer = nn.SGD(own_groups)
print("the optimizer's order:", [parameter.name for parameter in optimizer.parameters])


def weighted_sum():
    return (1 * first + 10 * second).sum()  # the gradients are 1 and 10


optimizer(mindspore.grad(weighted_sum, None, [first, second])())  # another order
group_order_mixed = [first.item(), second.item()]
print("first and second, orders mixed:", [round(value, 4) for value in group_order_mixed])

for parameter in (first, second):
    ops.assign(parameter, Tensor([0.0]))
optimizer(mindspore.grad(weighted_sum, None, optimizer.parameters)())
group_order = [first.item(), second.item()]
print("first and second:", [round(value, 4) for value in group_order])
# --8<-- [end:group_order]

# --8<-- [start:freeze]
model = nn.Dense(2, 1)
model.bias.set_data(Tensor([1.0]))
model.bias.requires_grad = False  # before the optimizer is made
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1, weight_decay=0.5)
optimizer(mindspore.grad(lambda: model(x).sum(), None, optimizer.parameters)())
freeze_before = model.bias.item()

model = nn.Dense(2, 1)
model.bias.set_data(Tensor([1.0]))
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1, weight_decay=0.5)
model.bias.requires_grad = False  # after it
optimizer(mindspore.grad(lambda: model(x).sum(), None, optimizer.parameters)())
freeze_after = model.bias.item()
print(f"bias frozen before: {freeze_before:.4f}, after: {freeze_after:.4f}")
# --8<-- [end:freeze]

# --8<-- [start:clip_norm]
grads = (Tensor([3.0, 4.0]), Tensor([12.0]))

norm = sum((grad**2).sum() for grad in grads).sqrt()
clipped_grads = ops.clip_by_global_norm(grads, clip_norm=1.0)  # returns the new tuple
clipped = [value for grad in clipped_grads for value in grad.tolist()]
print(f"norm before: {norm.item():.1f}")
print("clipped together:", [round(value, 4) for value in clipped])

each_grads = [ops.clip_by_norm(grad, max_norm=1.0) for grad in grads]  # another algorithm
each = [value for grad in each_grads for value in grad.tolist()]
print("each by itself:", [round(value, 4) for value in each])
# --8<-- [end:clip_norm]

# --8<-- [start:clip_value]
grads = (Tensor([3.0, -4.0, 0.5]),)
grads = tuple(ops.clip_by_value(grad, -1.0, 1.0) for grad in grads)
clip_value = grads[0].tolist()
print(clip_value)
# --8<-- [end:clip_value]

# --8<-- [start:two_networks]
encoder, decoder = nn.Dense(2, 2), nn.Dense(2, 1)
try:
    nn.SGD([*encoder.trainable_params(), *decoder.trainable_params()], learning_rate=0.1)
    two_networks = "works"
except ValueError as error:
    two_networks = type(error).__name__
    print(two_networks, str(error).rpartition(" , ")[2])

encoder.update_parameters_name("enc.")
decoder.update_parameters_name("dec.")
both = [*encoder.trainable_params(), *decoder.trainable_params()]
optimizer = nn.SGD(both, learning_rate=0.1)
renamed = [parameter.name for parameter in optimizer.parameters]
print("with names:", renamed)
# --8<-- [end:two_networks]

# --8<-- [start:gan]
generator, critic = nn.Dense(1, 1), nn.Dense(1, 1)
for network in (generator, critic):
    network.weight.set_data(Tensor([[0.5]]))
    network.bias.set_data(Tensor([0.1]))
noise, real = Tensor([[1.0], [-0.5]]), Tensor([[2.0], [1.5]])
generator_optimizer = nn.Adam(generator.trainable_params(), 0.01, beta1=0.5)
critic_optimizer = nn.Adam(critic.trainable_params(), 0.01, beta1=0.5)


def critic_loss_fn():
    fake = ops.stop_gradient(generator(noise))
    return ((critic(real) - 1) ** 2).mean() + (critic(fake) ** 2).mean()


def generator_loss_fn():
    return ((critic(generator(noise)) - 1) ** 2).mean()


value_and_grad = mindspore.value_and_grad
critic_grad = value_and_grad(critic_loss_fn, None, critic_optimizer.parameters)
generator_grad = value_and_grad(generator_loss_fn, None, generator_optimizer.parameters)
for _step in range(3):
    critic_loss, grads = critic_grad()
    critic_optimizer(grads)
    generator_loss, grads = generator_grad()
    generator_optimizer(grads)

losses = [critic_loss.item(), generator_loss.item()]
gan = [generator.weight.item(), critic.weight.item(), *losses]
print(f"weights {gan[0]:.4f}, {gan[1]:.4f}; losses {gan[2]:.4f}, {gan[3]:.4f}")
# --8<-- [end:gan]

# --8<-- [start:learning_rate]
weight = Parameter(Tensor([1.0]), name="weight")
optimizer = nn.SGD([weight], learning_rate=0.1)
rates = [round(optimizer.learning_rate.item(), 4)]
ops.assign(optimizer.learning_rate, 0.5)
rates.append(optimizer.learning_rate.item())

optimizer((Tensor([2.0]),))
learning_rate_step = weight.item()
print("rates:", rates)
print("after a step with the new rate:", learning_rate_step)
optimizer.learning_rate.set_data(Tensor(0.1))  # the compiled step keeps the old rate
optimizer((Tensor([2.0]),))
learning_rate_set_data = weight.item()
print("after set_data to 0.1 and a step:", learning_rate_set_data)
try:
    optimizer.learning_rate = 0.25
    learning_rate_attribute = "no error"
except TypeError as error:
    learning_rate_attribute = type(error).__name__
    print("setting the attribute:", learning_rate_attribute, str(error).partition(",")[0])
# --8<-- [end:learning_rate]

# --8<-- [start:state]
weight = Parameter(Tensor([1.0, -2.0]), name="weight")
optimizer = nn.Adam([weight], learning_rate=0.1)


def loss_fn():
    return ((x @ weight - y) ** 2).mean()


optimizer(mindspore.grad(loss_fn, None, optimizer.parameters)())
state = optimizer.parameters_dict()
print("state:", sorted(name for name in state if name.endswith(".weight")))
moments = [*state["moment1.weight"].tolist(), *state["moment2.weight"].tolist()]
print("moments:", [round(value, 3) for value in moments])
state_rate = "learning_rate" in state
print("learning rate among it:", state_rate)

experimental = optim.AdamW([weight], lr=0.1).parameters_dict()
print("experimental.optim.AdamW:", sorted(experimental))
state_rate_experimental = any("learning_rate" in name for name in experimental)
print("learning rate among it:", state_rate_experimental)
# --8<-- [end:state]

# --8<-- [start:ema]
model = nn.Dense(2, 1)
model.weight.set_data(Tensor([[1.0, -2.0]]))
model.bias.set_data(Tensor([0.5]))
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1)
averages = ParameterTuple(model.trainable_params()).clone(prefix="ema", init="same")


def loss_fn():
    return ((model(x)[:, 0] - y) ** 2).mean()


grad_fn = mindspore.grad(loss_fn, None, optimizer.parameters)
for _step in range(3):
    optimizer(grad_fn())
    for average, parameter in zip(averages, optimizer.parameters, strict=True):
        ops.assign(average, 0.9 * average + 0.1 * parameter)

ema = [*averages[0].flatten().tolist(), model.weight[0, 0].item()]
print(f"average {ema[0]:.4f}, {ema[1]:.4f}; last weight {ema[2]:.4f}")
# --8<-- [end:ema]

agree = {
    "decay_names": decay_names,
    "decay_names_grouped": decay_grouped,
    "groups": groups,
    "no_decay": no_decay,
    "group_order": group_order,
    "group_order_mixed": group_order_mixed,
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
    "loaded_experimental_sgd": loaded_experimental,
    "memory_in_place": memory_in_place,
    "memory_loaded": memory_loaded,
    "memory_new_optimizer": memory_new_optimizer,
}
