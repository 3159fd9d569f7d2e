"""What Python does inside a compiled function, and how state is updated there."""

import functools

import mindspore
from mindspore import Tensor, nn, ops

# --8<-- [start:prints]
graphs = []


@ops.constexpr
def counted():  # runs while a graph is compiled, and not again
    graphs.append(1)
    return 2


@mindspore.jit
def shout(x):
    y = x * counted()
    print("y is", y)
    return y + 1


for value in (1.0, 2.0):
    prints = shout(Tensor([value])).item()
prints_graphs = len(graphs)
print("graphs:", prints_graphs)
# --8<-- [end:prints]


# --8<-- [start:appended]
class Log:
    calls = 0


seen = []
counts = {"calls": 0}
log = Log()


@mindspore.jit
def remember(x):
    seen.append(x)
    counts["calls"] = counts["calls"] + 1
    log.calls = log.calls + 1
    return x * 2


for value in (1.0, 2.0, 3.0):
    remember(Tensor([value])).item()
appended_list, appended_dict, appended_attribute = len(seen), counts["calls"], log.calls
print("after three calls")
print("in the list:", appended_list)
print("counter in a dict:", appended_dict)
print("counter in an attribute:", appended_attribute)
# --8<-- [end:appended]


# --8<-- [start:captured]
class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = 2.0

    @mindspore.jit
    def construct(self, x):
        return x * self.scale


factor = 2.0


@mindspore.jit
def times_factor(x):
    return x * factor


x = Tensor([1.0])
net = Scaled()
print("before:", times_factor(x).item(), net(x).item())
factor = net.scale = 5.0
captured = [times_factor(x).item(), net(x).item()]
print("after: ", *captured)
# --8<-- [end:captured]


# --8<-- [start:argument]
@mindspore.jit
def times(x, factor):
    return x * factor


x = Tensor([1.0])
argument = [times(x, Tensor(2.0)).item(), times(x, Tensor(5.0)).item()]
print("as an argument:", *argument)
# --8<-- [end:argument]


# --8<-- [start:mode]
class Dropped(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(p=0.5)

    def construct(self, x):
        return self.dropout(x)


net = Dropped()


@mindspore.jit
def predict(x):
    return net(x)


x = ops.ones((1000,))
net.set_train()
mode_function = [bool((predict(x) == 0).any())]
net.set_train(False)
mode_function.append(bool((predict(x) == 0).any()))
net = Dropped()
net.construct = mindspore.jit(net.construct)
net.set_train()
mode_forward = [bool((net(x) == 0).any())]
net.set_train(False)
mode_forward.append(bool((net(x) == 0).any()))
print("drops in training, in evaluation")
print("function around the model:", *mode_function)
print("model compiled itself:    ", *mode_forward)
# --8<-- [end:mode]


# --8<-- [start:inplace]
def set_first(x):
    x[0] = 5.0
    return x * 1


def add_one(x):
    x += 1
    return x * 1


x = Tensor([1.0, 2.0])
set_first(x)
print("x[0] = 5, eager:   ", x.tolist())
x = Tensor([1.0, 2.0])
mindspore.jit(set_first)(x)
inplace_index = x.tolist()
print("x[0] = 5, compiled:", inplace_index)
x = Tensor([1.0, 2.0])
mindspore.jit(add_one)(x)
inplace_add = x.tolist()
print("x += 1,   compiled:", inplace_add)
# --8<-- [end:inplace]


# --8<-- [start:decorator]
def doubled(function):
    @functools.wraps(function)  # this is what hides the decorator from mindspore.jit
    def wrapper(x):
        return function(x) * 2

    return wrapper


def tripled(function):
    def wrapper(x):
        return function(x) * 3

    return wrapper


def plain(x):
    return x + 1


@doubled
def with_wraps(x):
    return x + 1


@tripled
def without_wraps(x):
    return x + 1


x = Tensor([1.0])
decorator_eager = [with_wraps(x).item(), without_wraps(x).item()]
functions = (with_wraps, without_wraps)
decorator = [mindspore.jit(function)(x).item() for function in functions]
decorator_around = doubled(mindspore.jit(plain))(x).item()
print("eager:   ", decorator_eager)
print("compiled:", decorator)
print("decorator around the compiled function:", decorator_around)
# --8<-- [end:decorator]

agree = {
    "prints": prints,
    "prints_graphs": prints_graphs,
    "appended_list": appended_list,
    "appended_dict": appended_dict,
    "appended_attribute": appended_attribute,
    "captured": captured,
    "argument": argument,
    "mode_function": mode_function,
    "mode_forward": mode_forward,
    "inplace_index": inplace_index,
    "inplace_add": inplace_add,
    "decorator": decorator,
    "decorator_eager": decorator_eager,
    "decorator_around": decorator_around,
}
