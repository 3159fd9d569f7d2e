"""Optimizers from the same start on the same loss: what agrees, and what only looks alike."""

import inspect

import mindspore
from mindspore import Parameter, ParameterTuple, Tensor, mint, nn, ops
from mindspore.common.initializer import Constant, initializer
from mindspore.experimental import optim
from mindspore.scipy import optimize

# --8<-- [start:problem]
mindspore.runtime.launch_blocking()  # before the first operator: quicker for so small a problem
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

grad_fn = mindspore.value_and_grad(lambda: ((model(x)[:, 0] - y) ** 2).mean(), None, optimizer.parameters)
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
# --8<-- [end:one_step]

# --8<-- [start:surfaces]
surfaces_nn = train(lambda params: nn.SGD(params, learning_rate=0.01, momentum=0.9))
surfaces = train(lambda params: optim.SGD(params, lr=0.01, momentum=0.9))
show("nn.SGD", surfaces_nn)
show("experimental.optim.SGD", surfaces)
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
notice = [line.strip() for line in nn.Momentum.__doc__.splitlines() if "deprecated" in line]
print("nn.Momentum:", *notice)
# --8<-- [end:momentum]

# --8<-- [start:adam]
adam = train(lambda params: nn.Adam(params, learning_rate=0.01, beta1=0.8, beta2=0.99))
adam_l2 = train(lambda params: nn.Adam(params, learning_rate=0.01, weight_decay=0.1))
show("Adam", adam)
show("Adam, weight_decay=0.1", adam_l2)
try:
    nn.Adam([Parameter(Tensor(start), name="weight")], betas=(0.8, 0.99))
    adam_betas = "works"
except KeyError as error:
    adam_betas = type(error).__name__
    print("betas=:", adam_betas, error.args[0].partition(", supported")[0])
# --8<-- [end:adam]

# --8<-- [start:adamw]
adamw = train(lambda params: optim.AdamW(params, lr=0.01, weight_decay=0.1))
adamw_lookalike = train(lambda params: nn.AdamWeightDecay(params, learning_rate=0.01, eps=1e-8, weight_decay=0.1))
show("experimental.optim.AdamW", adamw)
show("nn.AdamWeightDecay", adamw_lookalike)
# --8<-- [end:adamw]

# --8<-- [start:tiny_gradients]
scale = 1e-9  # of the loss, and so of every gradient
tiny_adam = train(lambda params: nn.Adam(params, learning_rate=0.01), scale=scale)
tiny_adamw = train(lambda params: optim.AdamW(params, lr=0.01, weight_decay=0.0), scale=scale)
show("Adam", tiny_adam)
show("AdamW, no decay", tiny_adamw)
# --8<-- [end:tiny_gradients]

# --8<-- [start:amsgrad]
amsgrad_off = train(lambda params: nn.Adam(params, 0.1, beta2=0.5))
amsgrad_nn = train(lambda params: nn.Adam(params, 0.1, beta2=0.5, use_amsgrad=True))
amsgrad_adam = train(lambda params: optim.Adam(params, lr=0.1, betas=(0.9, 0.5), amsgrad=True))
show("off", amsgrad_off)
show("nn.Adam, on", amsgrad_nn)
show("experimental.optim.Adam, on", amsgrad_adam)
# --8<-- [end:amsgrad]

# --8<-- [start:rmsprop]
rmsprop = train(lambda params: optim.RMSprop(params, lr=0.01, alpha=0.9, eps=1e-8))
rmsprop_nn = train(lambda params: nn.RMSProp(params, learning_rate=0.01, decay=0.9, epsilon=1e-8))
show("experimental.optim.RMSprop", rmsprop)
show("nn.RMSProp", rmsprop_nn)
# --8<-- [end:rmsprop]

# --8<-- [start:adagrad]
adagrad_plain = train(lambda params: nn.Adagrad(params, learning_rate=0.1))
adagrad_same = train(lambda params: nn.Adagrad(params, accum=0.1, learning_rate=0.1))
adagrad_zero = train(lambda params: nn.Adagrad(params, accum=0.0, learning_rate=0.1))
show("as it comes", adagrad_plain)
show("accumulator from 0.1", adagrad_same)
show("accumulator from 0", adagrad_zero)
# --8<-- [end:adagrad]


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

# --8<-- [start:decay_names]
names = ("weight", "gamma", "beta_layer")
zeros = (Tensor([0.0]),) * 3  # as gradients: only the decay acts

ones = [Parameter(Tensor([1.0]), name=name) for name in names]
nn.SGD(ones, learning_rate=0.1, weight_decay=0.5)(zeros)
decay_names = [parameter.item() for parameter in ones]
print("a flat list:", {parameter.name: round(parameter.item(), 4) for parameter in ones})

ones = [Parameter(Tensor([1.0]), name=name) for name in names]
nn.SGD([{"params": ones}], learning_rate=0.1, weight_decay=0.5)(zeros)
decay_grouped = [parameter.item() for parameter in ones]
print("one group:  ", [round(value, 4) for value in decay_grouped])
# --8<-- [end:decay_names]

# --8<-- [start:groups]
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
grad_fn = mindspore.value_and_grad(lambda: ((model(x)[:, 0] - y) ** 2).mean(), None, optimizer.parameters)
loss, grads = grad_fn()
optimizer(grads)
groups = [value for parameter in model.trainable_params() for value in parameter.flatten().tolist()]
print("rates:", sorted({round(rate.item(), 4) for rate in optimizer.get_lr()}))
print("first layer:", [round(value, 4) for value in groups[:6]])
print("second layer:", [round(value, 4) for value in groups[6:]])
# --8<-- [end:groups]

# --8<-- [start:no_decay]
model = nn.Dense(2, 1)  # the same selection serves whole networks
params = model.trainable_params()
for parameter in params:
    parameter.set_data(initializer("ones", parameter.shape))
optimizer = optim.AdamW(
    [
        {"params": [p for p in params if p.ndim >= 2], "weight_decay": 0.5},
        {"params": [p for p in params if p.ndim < 2], "weight_decay": 0.0},
    ],
    lr=0.1,
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
optimizer = nn.SGD([{"params": [second], "lr": 1.0}, {"params": [first], "lr": 0.1}])
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


critic_grad = mindspore.value_and_grad(critic_loss_fn, None, critic_optimizer.parameters)
generator_grad = mindspore.value_and_grad(generator_loss_fn, None, generator_optimizer.parameters)
for _step in range(3):
    critic_loss, grads = critic_grad()
    critic_optimizer(grads)
    generator_loss, grads = generator_grad()
    generator_optimizer(grads)

gan = [generator.weight.item(), critic.weight.item(), critic_loss.item(), generator_loss.item()]
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

# --8<-- [start:loaded]
model = nn.Dense(2, 1, has_bias=False)
model.weight.set_data(Tensor([start]))
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1)
grad_fn = mindspore.grad(lambda: ((model(x)[:, 0] - y) ** 2).mean(), None, optimizer.parameters)


def step():
    optimizer(grad_fn())
    return model.weight[0, 0].item()


print(f"one step: {step():.4f}")
saved = {"weight": Parameter(Tensor([start]), name="weight")}
mindspore.load_param_into_net(model, saved)  # back to the start, or so it looks
loaded_steps = [step(), step()]
print("after loading:", [round(value, 4) for value in loaded_steps])

optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1)  # a new one sees the new weights
loaded_new = [step(), step()]
print("with a new optimizer:", [round(value, 4) for value in loaded_new])
ops.assign(model.weight, Tensor([start]))  # writes into the memory that is there
loaded_assign = [step(), step()]
print("after ops.assign:", [round(value, 4) for value in loaded_assign])
# --8<-- [end:loaded]

# --8<-- [start:state]
weight = Parameter(Tensor(start), name="weight")
optimizer = nn.Adam([weight], learning_rate=0.1)
optimizer(mindspore.grad(lambda: ((x @ weight - y) ** 2).mean(), None, optimizer.parameters)())

state = optimizer.parameters_dict()
print("state:", sorted(name for name in state if name.endswith(".weight")))
moments = [*state["moment1.weight"].tolist(), *state["moment2.weight"].tolist()]
print("moments:", [round(value, 4) for value in moments])
state_rate = "learning_rate" in state
print("learning rate among it:", state_rate)

experimental = optim.AdamW([weight], lr=0.1).parameters_dict()
print("experimental.optim.AdamW:", sorted(experimental))
state_rate_experimental = any("learning_rate" in name for name in experimental)
print("learning rate among it:", state_rate_experimental)
# --8<-- [end:state]

# --8<-- [start:ema]
model = nn.Dense(2, 1)
model.weight.set_data(Tensor([start]))
model.bias.set_data(Tensor([0.5]))
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1)
averages = ParameterTuple(model.trainable_params()).clone(prefix="ema", init="same")
grad_fn = mindspore.grad(lambda: ((model(x)[:, 0] - y) ** 2).mean(), None, optimizer.parameters)

for _step in range(3):
    optimizer(grad_fn())
    for average, parameter in zip(averages, optimizer.parameters, strict=True):
        ops.assign(average, 0.9 * average + 0.1 * parameter)

ema = [averages[0][0, 0].item(), averages[0][0, 1].item(), model.weight[0, 0].item()]
print(f"average {ema[0]:.4f}, {ema[1]:.4f}; last weight {ema[2]:.4f}")
# --8<-- [end:ema]


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
lbfgs = "LBFGS" in {*names, *names_experimental, *names_mint}
print("L-BFGS among them:", lbfgs)
print("scipy.optimize.minimize offers it:", "LBFGS" in optimize.minimize.__doc__)
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
    "adam": adam,
    "adam_l2": adam_l2,
    "adam_betas": adam_betas,
    "adamw": adamw,
    "adamw_lookalike": adamw_lookalike,
    "tiny_gradients_adam": tiny_adam,
    "tiny_gradients_adamw": tiny_adamw,
    "amsgrad_off": amsgrad_off,
    "amsgrad_nn": amsgrad_nn,
    "amsgrad_experimental_adam": amsgrad_adam,
    "rmsprop": rmsprop,
    "rmsprop_nn": rmsprop_nn,
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
    "loaded_steps": loaded_steps,
    "loaded_assign": loaded_assign,
    "state": moments,
    "state_rate": state_rate,
    "state_rate_experimental": state_rate_experimental,
    "ema": ema,
    "available_count": len({name.lower() for name in (*names, *names_experimental, *names_mint)}),
    "available_lbfgs": lbfgs,
}
