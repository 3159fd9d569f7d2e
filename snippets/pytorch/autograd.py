"""Gradients of inputs and parameters, what counts and what does not, custom gradients, edge cases."""

import warnings

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

# --8<-- [start:gradient]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
loss = (x**2).sum()
loss.backward()  # adds to x.grad
gradient = x.grad
print(loss.item(), gradient)

# The same without touching .grad:
(returned,) = torch.autograd.grad((x**2).sum(), x)
print(returned)
# --8<-- [end:gradient]

# --8<-- [start:positions]
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
grad_a, grad_b = torch.autograd.grad((a * b).sum(), (a, b))
(only_b,) = torch.autograd.grad((a * b).sum(), b)
print(grad_a, grad_b)
print(only_b)
# --8<-- [end:positions]


# --8<-- [start:weights]
def make_layer():
    layer = nn.Linear(2, 1)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, -1.0]]))
        layer.bias.zero_()
    return layer


layer = make_layer()
x = torch.tensor([[1.0, 2.0]], requires_grad=True)
layer(x).square().sum().backward()
weights_input = x.grad
print("input: ", weights_input)
weights_named = {name: p.grad.flatten().tolist() for name, p in layer.named_parameters()}
print(weights_named)
# --8<-- [end:weights]

# --8<-- [start:outside]
layer = make_layer()
x = torch.tensor([[1.0, 2.0]])
prediction = layer(x)  # recorded wherever it happens
loss = prediction.square().sum()
outside_gradient, _bias = torch.autograd.grad(loss, tuple(layer.parameters()))
print("forward pass before:", outside_gradient)

loss = layer(x).square().sum()
inside_gradient, _bias = torch.autograd.grad(loss, tuple(layer.parameters()))
print("together with loss: ", inside_gradient)
# --8<-- [end:outside]

# --8<-- [start:stop]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(stop_nothing,) = torch.autograd.grad((x * x).sum(), x)
(stop_factor,) = torch.autograd.grad((x * x.detach()).sum(), x)
with torch.no_grad():
    constant = x * x
(stop_block,) = torch.autograd.grad((x * constant).sum(), x)
print(stop_nothing, stop_factor, stop_block)
# --8<-- [end:stop]

# --8<-- [start:numpy_inside]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
try:
    squares = torch.from_numpy(x.numpy() ** 2)
    (through,) = torch.autograd.grad((x * squares).sum(), x)
    numpy_inside = through.tolist()
except RuntimeError as error:
    numpy_inside = type(error).__name__
    print(error)
(numpy_avoided,) = torch.autograd.grad((x * x**2).sum(), x)
print("through NumPy:", numpy_inside)
print("with tensors: ", numpy_avoided)
# --8<-- [end:numpy_inside]

# --8<-- [start:wrapped]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    copied = torch.tensor(x)  # detached
(wrapped,) = torch.autograd.grad((x * copied).sum(), x)
print("warning:", caught[0].category.__name__)
print(wrapped)
# --8<-- [end:wrapped]

# --8<-- [start:through_int]
x = torch.tensor([1.2, 2.7], requires_grad=True)
try:
    whole = x.to(torch.int64).float()
    (through,) = torch.autograd.grad(whole.sum(), x)
    through_int = through.tolist()
except RuntimeError as error:
    through_int = type(error).__name__
    print(error)
(through_floor,) = torch.autograd.grad(torch.floor(x).sum(), x)
print("cast to int64:", through_int)
print("floor:        ", through_floor)
# --8<-- [end:through_int]

# --8<-- [start:integer]
try:
    x = torch.tensor([1, 2, 3], requires_grad=True)
    (found,) = torch.autograd.grad((0.5 * x).sum(), x)
    integer_gradient = found.tolist()
except RuntimeError as error:
    integer_gradient = type(error).__name__
    print(error)
x = torch.tensor([1, 2, 3]).float().requires_grad_()
(integer_cast,) = torch.autograd.grad((0.5 * x).sum(), x)
print("integers:", integer_gradient)
print("cast first:", integer_cast)
# --8<-- [end:integer]

# --8<-- [start:unused]
used = nn.Parameter(torch.tensor([1.0]))
unused = nn.Parameter(torch.tensor([1.0]))
optimizer = torch.optim.SGD([used, unused], lr=0.1, momentum=0.9)

(used**2 + unused**2).sum().backward()
optimizer.step()
optimizer.zero_grad()
print("after a step with both:", round(unused.item(), 4))

(used**2).sum().backward()  # this branch does not use the second one
optimizer.step()
unused_gradient = str(unused.grad)
unused_after = unused.item()
print("gradient:", unused_gradient)
print("after a step without it:", round(unused_after, 4))
# --8<-- [end:unused]

# --8<-- [start:frozen]
layer = make_layer()
layer.weight.requires_grad_(False)
layer(torch.tensor([[1.0, 2.0]])).square().sum().backward()
frozen_first = [name for name, p in layer.named_parameters() if p.grad is not None]
print("frozen first, gradients of:", frozen_first)

layer = make_layer()
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
layer.weight.requires_grad_(False)  # after the optimizer was made
layer(torch.tensor([[1.0, 2.0]])).square().sum().backward()
frozen_late = str(layer.weight.grad)
print("frozen late, gradient of the weight:", frozen_late)
# --8<-- [end:frozen]

# --8<-- [start:vector]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
try:
    (found,) = torch.autograd.grad(x**2, x)
    vector_gradient = found.tolist()
except RuntimeError as error:
    vector_gradient = type(error).__name__
    print(error)
(vector_mean,) = torch.autograd.grad((x**2).mean(), x)
print("vector:", vector_gradient)
print("mean:  ", vector_mean)
# --8<-- [end:vector]

# --8<-- [start:sens]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
v = torch.tensor([1.0, 0.0, 2.0])
y = x**2
(sens,) = torch.autograd.grad(y, x, grad_outputs=v)
print(sens)

_value, pull_back = torch.func.vjp(torch.square, x.detach())
(sens_vjp,) = pull_back(v)
print(sens_vjp)
# --8<-- [end:sens]

# --8<-- [start:accumulate]
rng = np.random.default_rng(0)
inputs = torch.from_numpy(rng.standard_normal((8, 2)).astype(np.float32))
targets = torch.from_numpy(rng.standard_normal((8, 1)).astype(np.float32))

layer = make_layer()
F.mse_loss(layer(inputs), targets).backward()
full_batch = layer.weight.grad.clone()

layer.zero_grad()
for part, wanted in zip(inputs.split(2), targets.split(2), strict=True):
    layer_loss = F.mse_loss(layer(part), wanted) / 4
    layer_loss.backward()  # .grad keeps the sum
accumulated = layer.weight.grad
accumulate_held = [round(value, 4) for value in layer.weight.grad.flatten().tolist()]
print("full batch:", full_batch)
print("four parts:", accumulated)
print("held after the loop:", accumulate_held)
# --8<-- [end:accumulate]


# --8<-- [start:aux]
def forward(layer, x):
    prediction = layer(x)
    return prediction.square().sum(), prediction


layer = make_layer()
x = torch.tensor([[1.0, 2.0]])
loss, prediction = forward(layer, x)
loss.backward()  # only what you call backward() on is differentiated
aux_gradient = layer.weight.grad
print("prediction:", prediction.item(), "gradient:", aux_gradient)
aux_forgotten = aux_gradient
# --8<-- [end:aux]


# --8<-- [start:containers]
def energy(inputs):
    return (inputs["a"] ** 2 + inputs["b"]).sum()


inputs_dict = {"a": torch.tensor([1.0, 2.0]), "b": torch.tensor([3.0, 4.0])}
found = torch.func.grad(energy)(inputs_dict)
containers = len(found)
print(found)
containers_flat = found["a"]
# --8<-- [end:containers]

# --8<-- [start:twice]
x = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (x**2).sum()
loss.backward()
try:
    loss.backward()
    twice = "works"
except RuntimeError as error:
    twice = type(error).__name__
    print(str(error).partition(" (")[0])
print("second time:", twice)

loss = (x**2).sum()
x.grad = None
loss.backward(retain_graph=True)
loss.backward()
twice_gradient = x.grad
print("graph retained, added up:", twice_gradient)
# --8<-- [end:twice]

# --8<-- [start:second_order]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
(second_derivative,) = torch.autograd.grad(first.sum(), x)
first_derivative = first.detach()
print("first: ", first_derivative)
print("second:", second_derivative)
# --8<-- [end:second_order]

# --8<-- [start:hessian_vector]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
v = torch.tensor([1.0, 0.0, 1.0])
(first,) = torch.autograd.grad((x**2).sum() * x.sum(), x, create_graph=True)
(hessian_vector,) = torch.autograd.grad((first * v).sum(), x)
print("plain:      ", hessian_vector)

y = ((x**2).sum(0, keepdim=True) * x.sum(0, keepdim=True)).sum()
(first,) = torch.autograd.grad(y, x, create_graph=True)
(hessian_vector_keep,) = torch.autograd.grad((first * v).sum(), x)
print("keepdim:    ", hessian_vector_keep)


def mixed(x):
    return (x**2).sum() * x.sum()


numbers = torch.tensor([1.0, 2.0, 3.0])


def along(x):
    return (torch.func.grad(mixed)(x) * v).sum()


hessian_vector_func = torch.func.grad(along)(numbers)
print("torch.func: ", hessian_vector_func)
# --8<-- [end:hessian_vector]

# --8<-- [start:inner_step]
features = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
wanted = torch.tensor([1.0, 0.0])


def task_loss(w):
    return (features @ w - wanted).square().mean()


def loss_after_step(w):
    (inner,) = torch.autograd.grad(task_loss(w), w, create_graph=True)
    return task_loss(w - 0.1 * inner)


w = torch.tensor([1.0, -1.0], requires_grad=True)
(inner_step,) = torch.autograd.grad(loss_after_step(w), w)
print("through the inner step:", inner_step)
inner_step_compiled = inner_step
# --8<-- [end:inner_step]

# --8<-- [start:penalty]
layer = make_layer()
x = torch.tensor([[0.1, 0.2], [0.3, -0.4]], requires_grad=True)
scores = torch.tanh(layer(x))
(slopes,) = torch.autograd.grad(scores.sum(), x, create_graph=True)
penalty = (slopes.square().sum(1).sqrt() - 1).square().mean()
penalty.backward()
penalty_gradient = layer.weight.grad
print(f"penalty {penalty.item():.6f}")
print(penalty_gradient)
penalty_compiled = penalty_gradient
# --8<-- [end:penalty]


# --8<-- [start:custom]
class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sign(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x.abs() <= 1)


x = torch.tensor([-2.0, -0.5, 0.5, 2.0], requires_grad=True)
factors = torch.tensor([1.0, 2.0, 3.0, 4.0])
(custom_plain,) = torch.autograd.grad((torch.sign(x) * factors).sum(), x)
(custom,) = torch.autograd.grad((Sign.apply(x) * factors).sum(), x)
print("sign itself:    ", custom_plain)
print("custom gradient:", custom)
# --8<-- [end:custom]


# --8<-- [start:custom_compiled]
@torch.compile(backend="eager", fullgraph=True)
def weighted_sign(x):
    return (Sign.apply(x) * factors).sum()


(custom_compiled,) = torch.autograd.grad(weighted_sign(x), x)
print(custom_compiled)
# --8<-- [end:custom_compiled]

# --8<-- [start:straight_through]
x = torch.tensor([-2.0, -0.5, 0.5, 2.0], requires_grad=True)
y = x + (torch.sign(x) - x).detach()  # the value of sign, the gradient of x
(straight_through,) = torch.autograd.grad((y * factors).sum(), x)
print(y.detach(), straight_through)

bounded = x.clamp(-1, 1)
y = bounded + (torch.sign(x) - bounded).detach()
(straight_through_bounded,) = torch.autograd.grad((y * factors).sum(), x)
print(straight_through_bounded)
# --8<-- [end:straight_through]

# --8<-- [start:custom_weight]
scale = nn.Parameter(torch.tensor([3.0]))


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        return grad_output * scale, (grad_output * x).sum().reshape(1)


class ScaleOutside(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * scale  # a parameter that is not an argument

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * scale


x = torch.tensor([1.0, 2.0], requires_grad=True)
ScaleOutside.apply(x).sum().backward()
custom_weight_kept = str(scale.grad)
print("parameter of its own:", custom_weight_kept)
Scale.apply(x, scale).sum().backward()
custom_weight_argument = scale.grad
print("parameter as an input:", custom_weight_argument)
# --8<-- [end:custom_weight]

# --8<-- [start:hook]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
seen = []
y = x**2
y.register_hook(seen.append)  # returns None: only looks
(y * y).sum().backward()
hook_seen = seen[0]
print("gradient of y:", hook_seen)

x.register_hook(lambda grad: grad.clamp(-10, 10))  # returns a tensor: replaces
(hook_replaced,) = torch.autograd.grad((x**4).sum(), x)
print("limited:", hook_replaced)
# --8<-- [end:hook]

# --8<-- [start:hook_parameter]
layer = make_layer()
handle = layer.weight.register_hook(lambda grad: 10 * grad)
x = torch.tensor([[1.0, 2.0]])
(hook_parameter,) = torch.autograd.grad(layer(x).sum(), layer.weight)
handle.remove()
(hook_removed,) = torch.autograd.grad(layer(x).sum(), layer.weight)
print(hook_parameter, hook_removed)
# --8<-- [end:hook_parameter]

# --8<-- [start:kinks]
kinks = {}
for name, function, point in [
    ("relu", F.relu, [0.0]),
    ("abs", torch.abs, [0.0]),
    ("clamp", lambda x: torch.clamp(x, 0, 1), [0.0, 1.0]),
    ("max", torch.amax, [1.0, 1.0, 0.0]),
    ("relu6", F.relu6, [0.0, 6.0]),
    ("hardtanh", F.hardtanh, [-1.0, 1.0]),
    ("leaky_relu", lambda x: F.leaky_relu(x, 0.2), [0.0]),
]:
    x = torch.tensor(point, requires_grad=True)
    (found,) = torch.autograd.grad(function(x).sum(), x)
    kinks[name] = [round(value, 4) for value in found.tolist()]
    print(f"{name + ' at':14}{point}: {kinks[name]}")
# --8<-- [end:kinks]

# --8<-- [start:norm_at_zero]
at_zero = {}
for name, function, point in [
    ("norm", torch.linalg.vector_norm, [0.0, 0.0]),
    ("std", torch.std, [1.0, 1.0]),
    ("sqrt", torch.sqrt, [0.0]),
    ("safe norm", lambda x: torch.sqrt((x * x).sum() + 1e-12), [0.0, 0.0]),
]:
    x = torch.tensor(point, requires_grad=True)
    (found,) = torch.autograd.grad(function(x).sum(), x)
    at_zero[name] = [f"{value:g}" for value in found.tolist()]
    print(f"{name + ' at':13}{point}: {at_zero[name]}")
# --8<-- [end:norm_at_zero]

# --8<-- [start:where]
x = torch.tensor([0.0, 4.0], requires_grad=True)
root = torch.where(x > 0, torch.sqrt(x), 0.0)
(where_outside,) = torch.autograd.grad(root.sum(), x)
print("where around sqrt: ", where_outside)

safe = torch.where(x > 0, x, 1.0)  # no zero ever reaches the root
root = torch.where(x > 0, torch.sqrt(safe), 0.0)
(where_inside,) = torch.autograd.grad(root.sum(), x)
print("where inside, too: ", where_inside)
# --8<-- [end:where]

# --8<-- [start:check]
x = torch.tensor([-1.0], requires_grad=True)
(check_selu,) = torch.autograd.grad(F.selu(x).sum(), x)
step = 0.01
with torch.no_grad():
    slope = (F.selu(x + step) - F.selu(x - step)) / (2 * step)
print(f"gradient {check_selu.item():.2f}, slope of the curve {slope.item():.2f}")


def own_selu(x):
    return 1.0507009873554805 * torch.where(x > 0, x, 1.6732632423543772 * (torch.exp(x) - 1))


(check_own,) = torch.autograd.grad(own_selu(x).sum(), x)
print(f"written out: {check_own.item():.2f}")
# --8<-- [end:check]

# --8<-- [start:cumprod]
x = torch.tensor([2.0, 0.0, 3.0], requires_grad=True)
(found,) = torch.autograd.grad(torch.cumprod(x, 0).sum(), x)
cumprod_gradient = [f"{value:g}" for value in found.tolist()]
print("cumprod:", cumprod_gradient)

running = [x[0]]
for factor in x[1:]:
    running.append(running[-1] * factor)
(cumprod_loop,) = torch.autograd.grad(torch.stack(running).sum(), x)
print("a loop: ", cumprod_loop)
# --8<-- [end:cumprod]

# --8<-- [start:overwritten]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 1
total = (y**2).sum()
y[0] = 10.0  # after the square has saved y
try:
    (found,) = torch.autograd.grad(total, x)
    overwritten = found.tolist()
except RuntimeError as error:
    overwritten = type(error).__name__
    print(str(error).partition(":")[0])
print("overwritten:", overwritten)

y = x * 1
total = (y**2).sum()
y = torch.where(torch.tensor([True, False, False]), 10.0, y)  # a new tensor
(overwritten_copy,) = torch.autograd.grad(total, x)
print("a new tensor:", overwritten_copy)
# --8<-- [end:overwritten]


# --8<-- [start:after_error]
def broken(x):
    raise ValueError("a mistake of mine")


def square_sum(x):
    return (x**2).sum()


def first_square(x):
    return x[0] ** 2


numbers = torch.tensor([1.0, 2.0, 3.0])
for function in (broken, square_sum, first_square):
    try:
        after_error_gradient = str(torch.func.grad(function)(numbers).tolist())
    except ValueError as error:
        after_error_gradient = type(error).__name__
        print(error)
    print(function.__name__, after_error_gradient)

after_error = str(numbers[0].item())
print("numbers[0]:", after_error)
after_error_cleared = numbers[0].item()
# --8<-- [end:after_error]


# --8<-- [start:second_index]
def first_two(x):
    return x[0] * x[1]


def slopes_sum(x):
    return torch.func.grad(first_two)(x).sum()


found = torch.func.grad(slopes_sum)(numbers)
second_index = str(found.tolist())
print("second derivative:", second_index)
second_index_compiled = found
# --8<-- [end:second_index]

# --8<-- [start:in_place]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
try:
    x.add_(1)
    (found,) = torch.autograd.grad((x**2).sum(), x)
    in_place_method = found.tolist()
except RuntimeError as error:
    in_place_method = type(error).__name__
    print(error)
print("add_:", in_place_method)

try:
    x[0] = 5.0
    in_place_index = "works"
except RuntimeError as error:
    in_place_index = type(error).__name__
    print(error)
in_place_after = x.tolist()
print("assignment:", in_place_index)
print("x afterwards:", in_place_after)
# --8<-- [end:in_place]

agree = {
    "gradient": gradient,
    "gradient_returned": returned,
    "positions": [grad_a.tolist(), grad_b.tolist()],
    "positions_b": only_b,
    "weights_input": weights_input,
    "weights_parameters": [*weights_named["weight"], *weights_named["bias"]],
    "outside_gradient": outside_gradient,
    "inside_gradient": inside_gradient,
    "stop_nothing": stop_nothing,
    "stop_factor": stop_factor,
    "stop_block": stop_block,
    "numpy_inside": numpy_inside,
    "numpy_inside_avoided": numpy_avoided,
    "wrapped": wrapped,
    "through_int": through_int,
    "through_int_floor": through_floor,
    "integer_gradient": integer_gradient,
    "integer_cast": integer_cast,
    "unused_gradient": unused_gradient,
    "unused_after": round(unused_after, 6),
    "frozen_first": frozen_first,
    "frozen_late": frozen_late,
    "vector_gradient": vector_gradient,
    "vector_mean": vector_mean,
    "sens": sens,
    "sens_vjp": sens_vjp,
    "accumulate_full": full_batch,
    "accumulate_parts": accumulated,
    "accumulate_held": accumulate_held,
    "second_order_first": first_derivative,
    "second_order": second_derivative,
    "hessian_vector": hessian_vector,
    "hessian_vector_keep": hessian_vector_keep,
    "hessian_vector_func": hessian_vector_func,
    "inner_step": inner_step,
    "inner_step_compiled": inner_step_compiled,
    "penalty": penalty,
    "penalty_gradient": penalty_gradient,
    "penalty_compiled": penalty_compiled,
    "custom_plain": custom_plain,
    "custom": custom,
    "custom_compiled": custom_compiled,
    "straight_through": straight_through,
    "straight_through_bounded": straight_through_bounded,
    "custom_weight_kept": custom_weight_kept,
    "custom_weight_argument": custom_weight_argument,
    "hook_seen": hook_seen,
    "hook_replaced": hook_replaced,
    "hook_parameter": hook_parameter,
    "hook_parameter_removed": hook_removed,
    "kinks_alike": [kinks[name] for name in ("relu", "abs")],
    "kinks_clamp": kinks["clamp"],
    "kinks_max": kinks["max"],
    "kinks_relu6": kinks["relu6"],
    "kinks_hardtanh": kinks["hardtanh"],
    "kinks_leaky_relu": kinks["leaky_relu"],
    "norm_at_zero": at_zero["norm"],
    "norm_at_zero_std": at_zero["std"],
    "norm_at_zero_sqrt": at_zero["sqrt"],
    "norm_at_zero_safe": at_zero["safe norm"],
    "where_outside": where_outside,
    "where_inside": where_inside,
    "check_selu": round(check_selu.item(), 4),
    "check_slope": round(slope.item(), 2),
    "check_own": round(check_own.item(), 4),
    "cumprod_gradient": cumprod_gradient,
    "cumprod_loop": cumprod_loop,
    "aux_gradient": aux_gradient,
    "aux_forgotten": aux_forgotten.flatten().tolist(),
    "containers": containers,
    "containers_flat": containers_flat,
    "twice": twice,
    "twice_gradient": twice_gradient,
    "overwritten": overwritten,
    "overwritten_copy": overwritten_copy,
    "second_index": second_index,
    "second_index_compiled": second_index_compiled,
    "in_place_method": in_place_method,
    "in_place_index": in_place_index,
    "in_place_after": in_place_after,
    "after_error_gradient": after_error_gradient,
    "after_error": after_error,
    "after_error_cleared": after_error_cleared,
}
