"""Branches and loops on tensor values in compiled functions."""

import mindspore
from mindspore import Tensor, mint, ops

# --8<-- [start:branch]
graphs = []


@ops.constexpr
def counted():  # runs while a graph is compiled, and not again
    graphs.append(1)
    return 2


def step(x):
    y = x * counted()
    if y.sum() > 0:
        return y + 1
    return y - 1


compiled = mindspore.jit(step)
positive, negative = Tensor([1.0, 1.0]), Tensor([-1.0, -1.0])
branch = ops.stack([compiled(positive), compiled(negative)])
branch_graphs = len(graphs)
print(branch)
print("graphs:", branch_graphs)
try:
    mindspore.jit(step, fullgraph=True)(positive)
    branch_fullgraph = "works"
except RuntimeError as error:
    branch_fullgraph = type(error).__name__ + ": " + str(error).splitlines()[0]
print("fullgraph:", branch_fullgraph)
# --8<-- [end:branch]


# --8<-- [start:select]
@mindspore.jit(fullgraph=True)
def selected(x):
    y = x * 2
    return mint.where(y.sum() > 0, y + 1, y - 1)  # computes both, without a branch


x = Tensor([1.0, 1.0])
select = ops.stack([selected(x), selected(-x)])
print(select)
# --8<-- [end:select]


# --8<-- [start:branch_dtype]
def halved(x):
    if x.sum() > 0:
        return x.half()
    return x


def in_one_dtype(x):
    if x.sum() > 0:
        return x.half().float()
    return x


x = Tensor([0.1])
try:
    result = mindspore.jit(halved)(x)
    branch_dtype = "works"
    print("if:", result)
except TypeError as error:
    branch_dtype = type(error).__name__
    lines = str(error).splitlines()
    print("if:", branch_dtype, lines[0][:56])
    print(lines[1])
branch_dtype_cast = mindspore.jit(in_one_dtype)(x)
print("cast:", branch_dtype_cast)
# --8<-- [end:branch_dtype]


# --8<-- [start:branch_shape]
@mindspore.jit
def longer(x):
    if x.sum() > 0:
        return ops.ones((4, 3))
    return x


@mindspore.jit
def maybe(x):
    if x.sum() > 0:
        return None
    return x + 1


x = Tensor([1.0, 1.0, 1.0])
branch_shape = [list(longer(x).shape), list(longer(-x).shape)]
branch_none = [maybe(x) is None, maybe(-x) is None]
print("shapes:", branch_shape)
print("None:", branch_none)
# --8<-- [end:branch_shape]

# --8<-- [start:while_loop]
graphs.clear()


def grow(x):
    while x.sum() < 100:
        x = x * counted()
    return x


compiled = mindspore.jit(grow)
while_loop = [compiled(Tensor([start])).item() for start in (1.0, 3.0)]
print("results:", while_loop)
while_graphs = len(graphs)
print("graphs:", while_graphs)
# --8<-- [end:while_loop]


# --8<-- [start:for_range]
@mindspore.jit
def add_up(x, n):
    for i in range(n):
        x = x + i
    return x


x = Tensor([0.0])
try:
    for_range = "works"
    print("range(tensor):", add_up(x, Tensor(3)))
except TypeError as error:
    for_range = type(error).__name__
    print("range(tensor):", for_range, str(error)[:64])
for_range_int = add_up(x, 3).item()
print("range(int):", for_range_int)
# --8<-- [end:for_range]

# --8<-- [start:long_loop]
mindspore.set_recursion_limit(40)  # it is 1000; lowered, so that this is quick


def add_up_python(x):
    for i in range(60):
        x = x + i
    return x


def add_up_while(x):
    i = Tensor(0)
    while i < 60:
        x = x + i
        i = i + 1
    return x


x = Tensor([0.0])
try:
    result = mindspore.jit(add_up_python)(x)
    long_loop = "works"
    print("unrolled:", result.item())
except RuntimeError as error:
    long_loop = type(error).__name__
    print("unrolled:", long_loop, str(error)[:36])
long_loop_while = mindspore.jit(add_up_while)(x).item()
print("while:", long_loop_while)
mindspore.set_recursion_limit(1000)
long_loop_raised = mindspore.jit(add_up_python)(x).item()
print("unrolled, with a higher limit:", long_loop_raised)
# --8<-- [end:long_loop]

agree = {
    "branch": branch,
    "branch_graphs": branch_graphs,
    "branch_fullgraph": branch_fullgraph,
    "select": select,
    "branch_dtype": branch_dtype,
    "branch_dtype_cast": branch_dtype_cast,
    "branch_shape": [str(shape) for shape in branch_shape],
    "branch_shape_none": branch_none,
    "while_loop": while_loop,
    "while_loop_graphs": while_graphs,
    "for_range": for_range,
    "for_range_int": for_range_int,
    "long_loop": long_loop,
    "long_loop_while": long_loop_while,
    "long_loop_raised": long_loop_raised,
}
