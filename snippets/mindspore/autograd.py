"""Gradients of inputs and parameters, what counts and what does not, custom gradients, edge cases."""

import mindspore
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

# --8<-- [start:gradient]
mindspore.runtime.launch_blocking()  # before the first operator: quicker for tiny tensors on CPU


def square_sum(x):
    return (x**2).sum()


x = Tensor([1.0, 2.0, 3.0])
loss, gradient = mindspore.value_and_grad(square_sum)(x)
print(loss.item(), gradient)

# The same without the value:
returned = mindspore.grad(square_sum)(x)
print(returned)
# --8<-- [end:gradient]

# --8<-- [start:positions]
a = Tensor([1.0, 2.0])
b = Tensor([3.0, 4.0])


def product(a, b):
    return (a * b).sum()


grad_a, grad_b = mindspore.grad(product, grad_position=(0, 1))(a, b)
only_b = mindspore.grad(product, grad_position=1)(a, b)
print(grad_a, grad_b)
print(only_b)
# --8<-- [end:positions]


# --8<-- [start:weights]
def make_layer():
    layer = nn.Dense(2, 1)
    layer.weight.set_data(Tensor([[1.0, -1.0]]))
    layer.bias.set_data(Tensor([0.0]))
    return layer


layer = make_layer()
x = Tensor([[1.0, 2.0]])


def loss_of_layer(x):
    return layer(x).square().sum()


parameters = layer.trainable_params()
both = mindspore.grad(loss_of_layer, grad_position=0, weights=parameters)
weights_input, gradients = both(x)
print("input: ", weights_input)
weights_named = {p.name: g.flatten().tolist() for p, g in zip(parameters, gradients, strict=True)}
print(weights_named)
# --8<-- [end:weights]

# --8<-- [start:outside]
layer = make_layer()
x = Tensor([[1.0, 2.0]])
prediction = layer(x)  # outside: a constant


def loss_of_prediction():
    return prediction.square().sum()


def loss_with_forward(x):
    return layer(x).square().sum()


outside_gradient, _bias = mindspore.grad(loss_of_prediction, None, layer.trainable_params())()
print("forward pass before:", outside_gradient)

inside_gradient, _bias = mindspore.grad(loss_with_forward, None, layer.trainable_params())(x)
print("together with loss: ", inside_gradient)
# --8<-- [end:outside]

# --8<-- [start:stop]
x = Tensor([1.0, 2.0, 3.0])
stop_nothing = mindspore.grad(lambda x: (x * x).sum())(x)
stop_factor = mindspore.grad(lambda x: (x * ops.stop_gradient(x)).sum())(x)


def with_constant(x):
    constant = ops.stop_gradient(x * x)
    return (x * constant).sum()


stop_block = mindspore.grad(with_constant)(x)
print(stop_nothing, stop_factor, stop_block)
# --8<-- [end:stop]

# --8<-- [start:numpy_inside]
x = Tensor([1.0, 2.0, 3.0])


def through_numpy(x):
    squares = Tensor(x.asnumpy() ** 2)  # a constant from here on
    return (x * squares).sum()


numpy_inside = mindspore.grad(through_numpy)(x).tolist()
numpy_avoided = mindspore.grad(lambda x: (x * x**2).sum())(x)
print("through NumPy:", numpy_inside)
print("with tensors: ", numpy_avoided)
# --8<-- [end:numpy_inside]

# --8<-- [start:wrapped]
x = Tensor([1.0, 2.0, 3.0])


def through_tensor(x):
    return (x * Tensor(x)).sum()  # still recorded


wrapped = mindspore.grad(through_tensor)(x)
print(wrapped)
# --8<-- [end:wrapped]

# --8<-- [start:through_int]
x = Tensor([1.2, 2.7])


def rounded_sum(x):
    whole = x.astype(mindspore.int64).astype(mindspore.float32)
    return whole.sum()


through_int = mindspore.grad(rounded_sum)(x).tolist()
through_floor = mindspore.grad(lambda x: ops.floor(x).sum())(x)
print("cast to int64:", through_int)
print("floor:        ", through_floor)
# --8<-- [end:through_int]


# --8<-- [start:integer]
def half_sum(x):
    return (0.5 * x).sum()


found = mindspore.grad(half_sum)(Tensor([1, 2, 3]))
integer_gradient = found.tolist()
integer_cast = mindspore.grad(half_sum)(Tensor([1, 2, 3]).float())
print("integers:", integer_gradient, found.dtype)
print("cast first:", integer_cast)
# --8<-- [end:integer]

# --8<-- [start:unused]
used = Parameter(Tensor([1.0]), name="used")
unused = Parameter(Tensor([1.0]), name="unused")
optimizer = nn.Momentum([used, unused], learning_rate=0.1, momentum=0.9)


def with_both():
    return (used**2 + unused**2).sum()


def without():
    return (used**2).sum()  # this branch does not use the second one


optimizer(mindspore.grad(with_both, None, optimizer.parameters)())
print("after a step with both:", round(unused.item(), 4))

gradients = mindspore.grad(without, None, optimizer.parameters)()
optimizer(gradients)
unused_gradient = str(gradients[1].item())
unused_after = unused.item()
print("gradient:", unused_gradient)
print("after a step without it:", round(unused_after, 4))
# --8<-- [end:unused]

# --8<-- [start:frozen]
x = Tensor([[1.0, 2.0]])
layer = make_layer()
layer.weight.requires_grad = False
parameters = layer.trainable_params()  # no longer lists the weight
gradients = mindspore.grad(lambda x: layer(x).square().sum(), None, parameters)(x)
frozen_first = [p.name for p, _gradient in zip(parameters, gradients, strict=True)]
print("frozen first, gradients of:", frozen_first)

layer = make_layer()
parameters = layer.trainable_params()
layer.weight.requires_grad = False  # after the list was made
gradients = mindspore.grad(lambda x: layer(x).square().sum(), None, parameters)(x)
frozen_late = str(gradients[0].tolist())
print("frozen late, gradient of the weight:", frozen_late)
# --8<-- [end:frozen]

# --8<-- [start:vector]
x = Tensor([1.0, 2.0, 3.0])
vector_gradient = mindspore.grad(lambda x: x**2)(x).tolist()  # as if it were summed
vector_mean = mindspore.grad(lambda x: (x**2).mean())(x)
print("vector:", vector_gradient)
print("mean:  ", vector_mean)
# --8<-- [end:vector]

# --8<-- [start:sens]
x = Tensor([1.0, 2.0, 3.0])
v = Tensor([1.0, 0.0, 2.0])
# Older code, and what replaces it:
sens = ops.GradOperation(sens_param=True)(ops.square)(x, v)
print(sens)

_value, pull_back = mindspore.vjp(ops.square, x)
(sens_vjp,) = pull_back(v)
print(sens_vjp)
# --8<-- [end:sens]

# --8<-- [start:accumulate]
rng = np.random.default_rng(0)
inputs = Tensor(rng.standard_normal((8, 2)).astype(np.float32))
targets = Tensor(rng.standard_normal((8, 1)).astype(np.float32))

layer = make_layer()
parameters = layer.trainable_params()
grad_fn = mindspore.grad(lambda x, y: ops.mse_loss(layer(x), y), None, parameters)
full_batch, _bias = grad_fn(inputs, targets)

grads_sum = [ops.zeros_like(p) for p in parameters]
for part, wanted in zip(inputs.split(2), targets.split(2), strict=True):
    gradients = grad_fn(part, wanted)  # of this part only
    grads_sum = [s + g / 4 for s, g in zip(grads_sum, gradients, strict=True)]
accumulated = grads_sum[0]
accumulate_held = [round(value, 4) for value in gradients[0].flatten().tolist()]
print("full batch:", full_batch)
print("four parts:", accumulated)
print("held after the loop:", accumulate_held)
# --8<-- [end:accumulate]

# --8<-- [start:aux]
layer = make_layer()


def forward(x):
    prediction = layer(x)
    return prediction.square().sum(), prediction


x = Tensor([[1.0, 2.0]])
grad_fn = mindspore.value_and_grad(forward, None, [layer.weight], has_aux=True)
(loss, prediction), (aux_gradient,) = grad_fn(x)
print("prediction:", prediction.item(), "gradient:", aux_gradient)

grad_fn = mindspore.value_and_grad(forward, None, [layer.weight])  # has_aux forgotten
(loss, prediction), (aux_forgotten,) = grad_fn(x)
print("of both added together:", aux_forgotten)
# --8<-- [end:aux]


# --8<-- [start:containers]
def energy(inputs):
    return (inputs["a"] ** 2 + inputs["b"]).sum()


def energy_flat(a, b):
    return energy({"a": a, "b": b})


inputs_dict = {"a": Tensor([1.0, 2.0]), "b": Tensor([3.0, 4.0])}
found = mindspore.grad(energy)(inputs_dict)
containers = len(found)
print(found)
containers_flat, _of_b = mindspore.grad(energy_flat, (0, 1))(*inputs_dict.values())
print(containers_flat)
# --8<-- [end:containers]

# --8<-- [start:twice]
x = Tensor([1.0, 2.0])
grad_fn = mindspore.grad(square_sum)
first = grad_fn(x)
second = grad_fn(x)  # runs the function again
twice = "works"
print("second time:", twice)

twice_gradient = first + second
print("added up:", twice_gradient)
# --8<-- [end:twice]


# --8<-- [start:second_order]
def cube_sum(x):
    return (x**3).sum()


x = Tensor([1.0, 2.0, 3.0])
first_derivative = mindspore.grad(cube_sum)(x)
second_derivative = mindspore.grad(mindspore.grad(cube_sum))(x)  # of the sum of the first
print("first: ", first_derivative)
print("second:", second_derivative)
# --8<-- [end:second_order]


# --8<-- [start:hessian_vector]
def mixed(x):
    return (x**2).sum() * x.sum()


def mixed_keep(x):
    return ((x**2).sum(keepdims=True) * x.sum(keepdims=True)).sum()


def along(x):
    return (mindspore.grad(mixed)(x) * v).sum()


def along_keep(x):
    return (mindspore.grad(mixed_keep)(x) * v).sum()


x = Tensor([1.0, 2.0, 3.0])
v = Tensor([1.0, 0.0, 1.0])
hessian_vector = mindspore.grad(along)(x)  # wrong, see the other lines
hessian_vector_keep = mindspore.grad(along_keep)(x)
hessian_vector_func = mindspore.jit(mindspore.grad(along))(x)
print("plain:      ", hessian_vector)
print("keepdims:   ", hessian_vector_keep)
print("jit:        ", hessian_vector_func)
# --8<-- [end:hessian_vector]

# --8<-- [start:inner_step]
features = Tensor([[1.0, 2.0], [3.0, 4.0]])
wanted = Tensor([1.0, 0.0])


def task_loss(w):
    return (ops.matmul(features, w) - wanted).square().mean()


def loss_after_step(w):
    inner = mindspore.grad(task_loss)(w)
    return task_loss(w - 0.1 * inner)


w = Tensor([1.0, -1.0])
inner_step = mindspore.grad(loss_after_step)(w)
inner_step_compiled = mindspore.jit(mindspore.grad(loss_after_step))(w)
print("through the inner step:", inner_step)
print("under jit:             ", inner_step_compiled)
# --8<-- [end:inner_step]

# --8<-- [start:penalty]
layer = make_layer()
x = Tensor([[0.1, 0.2], [0.3, -0.4]])


def score(x):
    return ops.tanh(layer(x)).sum()


def penalty_of(x):
    slopes = mindspore.grad(score)(x)
    return (slopes.square().sum(1).sqrt() - 1).square().mean()


penalty_fn = mindspore.value_and_grad(penalty_of, None, [layer.weight])
penalty, (penalty_gradient,) = penalty_fn(x)
_penalty, (penalty_compiled,) = mindspore.jit(penalty_fn)(x)
print(f"penalty {penalty.item():.6f}")
print(penalty_gradient)
print("under jit:", penalty_compiled)
# --8<-- [end:penalty]


# --8<-- [start:custom]
class Sign(nn.Cell):
    def construct(self, x):
        return ops.sign(x)

    def bprop(self, x, out, dout):
        return (dout * (ops.abs(x) <= 1),)


sign = Sign()
x = Tensor([-2.0, -0.5, 0.5, 2.0])
factors = Tensor([1.0, 2.0, 3.0, 4.0])


def weighted_sign(x):
    return (sign(x) * factors).sum()


custom_plain = mindspore.grad(lambda x: (ops.sign(x) * factors).sum())(x)
custom = mindspore.grad(weighted_sign)(x)
print("sign itself:    ", custom_plain)
print("custom gradient:", custom)
# --8<-- [end:custom]

# --8<-- [start:custom_compiled]
custom_compiled = mindspore.jit(mindspore.grad(weighted_sign))(x)
print(custom_compiled)
# --8<-- [end:custom_compiled]

# --8<-- [start:straight_through]
x = Tensor([-2.0, -0.5, 0.5, 2.0])


def pass_through(x):  # the value of sign, the gradient of x
    return x + ops.stop_gradient(ops.sign(x) - x)


def pass_bounded(x):
    bounded = ops.clamp(x, -1, 1)
    return bounded + ops.stop_gradient(ops.sign(x) - bounded)


straight_through = mindspore.grad(lambda x: (pass_through(x) * factors).sum())(x)
print(pass_through(x), straight_through)
straight_through_bounded = mindspore.grad(lambda x: (pass_bounded(x) * factors).sum())(x)
print(straight_through_bounded)
# --8<-- [end:straight_through]

# --8<-- [start:custom_weight]
scale = Parameter(Tensor([3.0]), name="scale")


class Scale(nn.Cell):
    def construct(self, x, scale):
        return x * scale

    def bprop(self, x, scale, out, dout):
        return dout * scale, (dout * x).sum().reshape(1)


class ScaleOutside(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = scale  # a parameter that is not an argument

    def construct(self, x):
        return x * self.scale

    def bprop(self, x, out, dout):
        return (dout * self.scale,)


x = Tensor([1.0, 2.0])
outside, with_argument = ScaleOutside(), Scale()
(kept,) = mindspore.grad(lambda x: outside(x).sum(), None, [scale])(x)
custom_weight_kept = str(kept.item())
print("parameter of its own:", custom_weight_kept)
grad_fn = mindspore.grad(lambda x: with_argument(x, scale).sum(), None, [scale])
(custom_weight_argument,) = grad_fn(x)
print("parameter as an input:", custom_weight_argument)
# --8<-- [end:custom_weight]

# --8<-- [start:hook]
x = Tensor([1.0, 2.0, 3.0])
seen = []


def look(grad):
    seen.append(grad)  # returns None: only looks


def fourth_power(x):
    y = x**2
    y.register_hook(look)
    return (y * y).sum()


mindspore.grad(fourth_power)(x)
hook_seen = seen[0]
print("gradient of y:", hook_seen)


x.register_hook(lambda grad: grad.clamp(-10, 10))  # returns a tensor: replaces
hook_replaced = mindspore.grad(lambda x: (x**4).sum())(x)
print("limited:", hook_replaced)
# --8<-- [end:hook]

# --8<-- [start:hook_parameter]
layer = make_layer()
handle = layer.weight.register_hook(lambda grad: 10 * grad)
x = Tensor([[1.0, 2.0]])
grad_fn = mindspore.grad(lambda x: layer(x).sum(), None, [layer.weight])
(hook_parameter,) = grad_fn(x)
handle.remove()
(hook_removed,) = grad_fn(x)
print(hook_parameter, hook_removed)
# --8<-- [end:hook_parameter]

# --8<-- [start:kinks]
kinks = {}
for name, function, point in [
    ("relu", ops.relu, [0.0]),
    ("abs", ops.abs, [0.0]),
    ("clamp", lambda x: ops.clamp(x, 0, 1), [0.0, 1.0]),
    ("max", ops.amax, [1.0, 1.0, 0.0]),
    ("relu6", ops.relu6, [0.0, 6.0]),
    ("hardtanh", ops.hardtanh, [-1.0, 1.0]),
    ("leaky_relu", lambda x: ops.leaky_relu(x, 0.2), [0.0]),
]:
    found = mindspore.grad(function)(Tensor(point))
    kinks[name] = [round(value, 4) for value in found.tolist()]
    print(f"{name + ' at':14}{point}: {kinks[name]}")
# --8<-- [end:kinks]

# --8<-- [start:norm_at_zero]
at_zero = {}
for name, function, point in [
    ("norm", ops.norm, [0.0, 0.0]),
    ("std", ops.std, [1.0, 1.0]),
    ("sqrt", ops.sqrt, [0.0]),
    ("safe norm", lambda x: ops.sqrt((x * x).sum() + 1e-12), [0.0, 0.0]),
]:
    found = mindspore.grad(function)(Tensor(point))
    at_zero[name] = [f"{value:g}" for value in found.tolist()]
    print(f"{name + ' at':13}{point}: {at_zero[name]}")
# --8<-- [end:norm_at_zero]

# --8<-- [start:where]
x = Tensor([0.0, 4.0])


def root_outside(x):
    return ops.where(x > 0, ops.sqrt(x), 0.0).sum()


def root_inside(x):
    safe = ops.where(x > 0, x, 1.0)  # no zero ever reaches the root
    return ops.where(x > 0, ops.sqrt(safe), 0.0).sum()


where_outside = mindspore.grad(root_outside)(x)
print("where around sqrt: ", where_outside)
where_inside = mindspore.grad(root_inside)(x)
print("where inside, too: ", where_inside)
# --8<-- [end:where]

# --8<-- [start:check]
x = Tensor([-1.0])
check_selu = mindspore.grad(ops.selu)(x)
step = 0.01
slope = (ops.selu(x + step) - ops.selu(x - step)) / (2 * step)
print(f"gradient {check_selu.item():.2f}, slope of the curve {slope.item():.2f}")


def own_selu(x):
    return 1.0507009873554805 * ops.where(x > 0, x, 1.6732632423543772 * (ops.exp(x) - 1))


check_own = mindspore.grad(own_selu)(x)
print(f"written out: {check_own.item():.2f}")
# --8<-- [end:check]

# --8<-- [start:cumprod]
x = Tensor([2.0, 0.0, 3.0])
found = mindspore.grad(lambda x: ops.cumprod(x, 0).sum())(x)
cumprod_gradient = [f"{value:g}" for value in found.tolist()]
print("cumprod:", cumprod_gradient)


def running_products(x):
    running = [x[0]]
    for factor in x[1:]:
        running.append(running[-1] * factor)
    return ops.stack(running).sum()


cumprod_loop = mindspore.grad(running_products)(x)
print("a loop: ", cumprod_loop)
# --8<-- [end:cumprod]

# --8<-- [start:overwritten]
x = Tensor([1.0, 2.0, 3.0])


def overwriting(x):
    y = x * 1
    total = (y**2).sum()
    y[0] = 10.0  # after the square has saved y
    return total


def keeping(x):
    y = x * 1
    total = (y**2).sum()
    y = ops.where(Tensor([True, False, False]), 10.0, y)  # a new tensor
    return total


overwritten = mindspore.grad(overwriting)(x).tolist()
print("overwritten:", overwritten)
overwritten_copy = mindspore.grad(keeping)(x)
print("a new tensor:", overwritten_copy)
# --8<-- [end:overwritten]


# --8<-- [start:after_error]
def broken(x):
    raise ValueError("a mistake of mine")


def first_square(x):
    return x[0] ** 2


numbers = Tensor([1.0, 2.0, 3.0])
for function in (broken, square_sum, first_square):
    try:
        after_error_gradient = str(mindspore.grad(function)(numbers).tolist())
    except (TypeError, ValueError) as error:
        after_error_gradient = type(error).__name__
        print(str(error).splitlines()[0])
    print(function.__name__, after_error_gradient)

try:
    after_error = str(numbers[0].item())
except TypeError as error:
    after_error = type(error).__name__
print("numbers[0]:", after_error)


def stop_recording():  # internal; apart from a new process, nothing else worked here
    mindspore.common.api._pynative_executor.clear_res()


stop_recording()
after_error_cleared = numbers[0].item()
print("numbers[0]:", after_error_cleared)
# --8<-- [end:after_error]


# --8<-- [start:second_index]
def first_two(x):
    return x[0] * x[1]


def slopes_sum(x):
    return mindspore.grad(first_two)(x).sum()


try:
    second_index = str(mindspore.grad(slopes_sum)(numbers).tolist())
except TypeError as error:
    second_index = type(error).__name__
    print(str(error).splitlines()[0])
stop_recording()
print("second derivative:", second_index)

second_index_compiled = mindspore.jit(mindspore.grad(slopes_sum))(numbers)
print("under jit:", second_index_compiled)
# --8<-- [end:second_index]

# --8<-- [start:in_place]
x = Tensor([1.0, 2.0, 3.0])


def with_method(x):
    x.add_(1)  # on CPU in eager mode: a new tensor, thrown away
    return (x**2).sum()


def with_assignment(x):
    x[0] = 5.0
    return (x**2).sum()


in_place_method = mindspore.grad(with_method)(x).tolist()
print("add_:", in_place_method)
try:
    mindspore.grad(with_assignment)(x)
    in_place_index = "works"
except RuntimeError as error:
    in_place_index = type(error).__name__
    print(str(error).partition(",")[0])
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
