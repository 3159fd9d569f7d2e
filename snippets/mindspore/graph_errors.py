"""Python that compiles on one side and not on the other."""

import mindspore
import numpy as np
from mindspore import Tensor, nn


# --8<-- [start:to_numpy]
def with_numpy(x):
    return x + Tensor(np.cumsum(x.asnumpy()))


x = Tensor([1.0, 2.0])
to_numpy = mindspore.jit(with_numpy)(x)
print("result:", to_numpy)

try:
    mindspore.jit(with_numpy, fullgraph=True)(x)
    numpy_fullgraph = "works"
except AttributeError as error:
    numpy_fullgraph = type(error).__name__ + ": " + str(error)[:52]
print("fullgraph:", numpy_fullgraph)
# --8<-- [end:to_numpy]


# --8<-- [start:print_fullgraph]
@mindspore.jit(fullgraph=True)
def with_print(x):
    print("x is", x)
    return x * 2


try:
    with_print(Tensor([1.0])).item()
    print_fullgraph = "works"
except RuntimeError as error:
    print_fullgraph = type(error).__name__
    print(print_fullgraph + ":", str(error).splitlines()[0])
    print(str(error).splitlines()[1].strip()[:63])
# --8<-- [end:print_fullgraph]


# --8<-- [start:statements]
def attempt(function):
    try:
        return mindspore.jit(function)(Tensor([1.0])).item()
    except (RuntimeError, TypeError) as error:
        return str(error).splitlines()[0]


def with_try(x):
    try:
        return x + 1
    except ValueError:
        return x


def with_import(x):
    import math

    return x * math.floor(2.5)


def with_walrus(x):
    if (size := x.shape[0]) == 1:
        return x + size
    return x


def with_match(x):
    match x.ndim:
        case 1:
            return x + 1
        case _:
            return x


def with_del(x):
    y = x + 1
    z = y * 1
    del y
    return z


def with_yield(x):
    def twice():
        yield x
        yield x

    return sum(twice())


functions = (with_try, with_import, with_walrus, with_match, with_del, with_yield)
statements = [attempt(function) for function in functions]
for name, outcome in zip(["try", "import", "walrus", "match", "del", "yield"], statements, strict=True):
    print(f"{name:7}", outcome)
# --8<-- [end:statements]


# --8<-- [start:supported]
def with_comprehension(x):
    return sum([x * i for i in range(3)])


def with_lambda(x):
    return (lambda v: v * 2)(x)


def with_dict(x):
    parts = {"a": x, "b": x + 1}
    return sum(parts.values())


def with_recursion(x, depth=5):
    return x if depth == 0 else with_recursion(x + 1, depth - 1)


def with_assert(x):
    assert x.shape[0] == 1, "one value only"
    return x + 1


functions = (with_comprehension, with_lambda, with_dict, with_recursion, with_assert)
supported = [attempt(function) for function in functions]
print(supported)
# --8<-- [end:supported]


# --8<-- [start:self_name]
class Net(nn.Cell):
    def construct(this, x):
        return x + 1


net = Net()
eager = net(Tensor([1.0])).item()
net.construct = mindspore.jit(net.construct)
message = ""
try:
    net(Tensor([1.0])).item()
    self_name = "works"
except TypeError as error:
    self_name = type(error).__name__
    message = str(error).splitlines()[0]
print("eager:", eager)
print("compiled:", self_name)
print(message)
# --8<-- [end:self_name]

agree = {
    "to_numpy": to_numpy,
    "to_numpy_fullgraph": numpy_fullgraph,
    "print_fullgraph": print_fullgraph,
    "statements": sum(isinstance(outcome, float) for outcome in statements),
    "supported": supported,
    "self_name": self_name,
}
