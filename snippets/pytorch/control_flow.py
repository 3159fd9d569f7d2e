"""Branches and loops on tensor values in compiled functions."""

import torch

# --8<-- [start:branch]
graphs = []


def counting(graph, inputs):  # a backend that counts the graphs and runs them as they are
    graphs.append(graph)
    return graph.forward


def step(x):
    y = x * 2
    if y.sum() > 0:
        return y + 1
    return y - 1


compiled = torch.compile(step, backend=counting)
positive, negative = torch.tensor([1.0, 1.0]), torch.tensor([-1.0, -1.0])
branch = torch.stack([compiled(positive), compiled(negative)])
branch_graphs = len(graphs)
print(branch)
print("graphs:", branch_graphs)
torch.compiler.reset()  # what was compiled before would be used again
try:
    torch.compile(step, backend=counting, fullgraph=True)(positive)
    branch_fullgraph = "works"
except RuntimeError as error:
    branch_fullgraph = type(error).__name__ + ": " + str(error).splitlines()[0]
print("fullgraph:", branch_fullgraph)
# --8<-- [end:branch]


# --8<-- [start:select]
@torch.compile(backend="eager", fullgraph=True)
def selected(x):
    y = x * 2
    return torch.where(y.sum() > 0, y + 1, y - 1)  # computes both, in one graph


x = torch.tensor([1.0, 1.0])
select = torch.stack([selected(x), selected(-x)])
print(select)
# --8<-- [end:select]


# --8<-- [start:branch_dtype]
def halved(x):
    if x.sum() > 0:
        return x.half()
    return x


def with_cond(x):
    return torch.cond(x.sum() > 0, lambda x: x.half(), lambda x: x.clone(), (x,))


def in_one_dtype(x):
    if x.sum() > 0:
        return x.half().float()
    return x


x = torch.tensor([0.1])
try:
    result = torch.compile(halved, backend="eager")(x)
    branch_dtype = "works"
    print("if:", result)
except TypeError as error:
    branch_dtype = type(error).__name__
try:
    torch.compile(with_cond, backend="eager", fullgraph=True)(x)
except RuntimeError as error:
    text = str(error)
    start = text.index("expected same dtype")
    print("torch.cond:", type(error).__name__, text[start : start + 56])
branch_dtype_cast = torch.compile(in_one_dtype, backend="eager")(x)
print("cast:", branch_dtype_cast)
# --8<-- [end:branch_dtype]


# --8<-- [start:branch_shape]
@torch.compile(backend="eager")
def longer(x):
    if x.sum() > 0:
        return torch.ones(4, 3)
    return x


@torch.compile(backend="eager")
def maybe(x):
    if x.sum() > 0:
        return None
    return x + 1


x = torch.tensor([1.0, 1.0, 1.0])
branch_shape = [list(longer(x).shape), list(longer(-x).shape)]
branch_none = [maybe(x) is None, maybe(-x) is None]
print("shapes:", branch_shape)
print("None:", branch_none)
# --8<-- [end:branch_shape]

# --8<-- [start:while_loop]
graphs.clear()


def grow(x):
    while x.sum() < 100:
        x = x * 2
    return x


compiled = torch.compile(grow, backend=counting)
while_loop = [compiled(torch.tensor([start])).item() for start in (1.0, 3.0)]
print("results:", while_loop)
while_graphs = len(graphs)
print("graphs:", while_graphs)
# --8<-- [end:while_loop]


# --8<-- [start:for_range]
@torch.compile(backend="eager")
def add_up(x, n):
    for i in range(n):
        x = x + i
    return x


x = torch.tensor([0.0])
try:
    for_range = "works"
    print("range(tensor):", add_up(x, torch.tensor(3)))
except TypeError as error:
    for_range = type(error).__name__
for_range_int = add_up(x, 3).item()
print("range(int):", for_range_int)
# --8<-- [end:for_range]

# --8<-- [start:long_loop]
graphs.clear()


def add_up_python(x):
    for i in range(60):
        x = x + i
    return x


def add_up_while(x):
    i = torch.tensor(0)
    while i < 60:
        x = x + i
        i = i + 1
    return x


x = torch.tensor([0.0])
try:
    result = torch.compile(add_up_python, backend=counting)(x)
    long_loop = "works"
    long_loop_raised = result.item()
    print("unrolled:", long_loop_raised)
    additions = [node for node in graphs[0].graph.nodes if node.op == "call_function"]
    print("additions in the graph:", len(additions))
except RuntimeError as error:
    long_loop = type(error).__name__
long_loop_while = torch.compile(add_up_while, backend="eager")(x).item()
print("while:", long_loop_while)
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
