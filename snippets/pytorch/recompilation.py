"""What makes a compiled function compile again, counted."""

import logging

import torch
from torch import nn

# Dynamo logs times and process ids, which differ at every run.
for handler in logging.getLogger("torch._dynamo").handlers:
    handler.setLevel(logging.ERROR)


# --8<-- [start:shapes]
graphs = []


def counting(graph, inputs):  # a backend that counts the graphs and runs them as they are
    graphs.append(graph)
    return graph.forward


def double(x):
    return x * 2


def count_shapes(function, sizes):
    graphs.clear()
    counts = []
    for size in sizes:
        function(torch.ones(size))
        counts.append(len(graphs))
    return counts


sizes = [2, 2, 3, 4, 5, 2]
shapes = count_shapes(torch.compile(double, backend=counting), sizes)
print("sizes:       ", sizes)
print("compilations:", shapes)
# --8<-- [end:shapes]

# --8<-- [start:dynamic]
torch.compiler.reset()  # forget what was compiled above
dynamic = count_shapes(torch.compile(double, backend=counting, dynamic=True), sizes)
print("dynamic=True:", dynamic)
torch.compiler.reset()
dynamic_off = count_shapes(torch.compile(double, backend=counting, dynamic=False), sizes)
print("dynamic=False:", dynamic_off)

torch.compiler.reset()
graphs.clear()
marked = torch.compile(double, backend=counting)
for size in sizes:
    x = torch.ones(size)
    torch._dynamo.mark_dynamic(x, 0)  # this dimension only
    marked(x)
dynamic_marked = len(graphs)
print("dimension marked:", dynamic_marked)
# --8<-- [end:dynamic]

# --8<-- [start:scalars]
graphs.clear()


@torch.compile(backend=counting)
def scale(x, factor):
    return x * factor


scalars = []
x = torch.ones(2)
for factor in (0.1, 0.2, 0.3, 0.4, 0.1):
    scale(x, factor)
    scalars.append(len(graphs))
print("float argument: ", scalars)
torch.compiler.reset()
graphs.clear()
for factor in (0.1, 0.2, 0.3, 0.4, 0.1):
    scale(x, torch.tensor(factor))
scalars_tensor = len(graphs)
print("tensor argument:", scalars_tensor)
# --8<-- [end:scalars]


# --8<-- [start:modes]
class Dropped(nn.Module):
    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(0.5)

    def forward(self, x):
        return self.dropout(x)


graphs.clear()
net = Dropped()
net.compile(backend=counting)
modes = []
for training in (True, False, True, False):
    net.train(training)
    net(x)
    modes.append(len(graphs))
print("train, eval, train, eval:", modes)
# --8<-- [end:modes]

# --8<-- [start:again]
torch.compiler.reset()
graphs.clear()
for _step in range(3):
    again = torch.compile(double, backend=counting)(x)
again_graphs = len(graphs)
print("compiled inside the loop:", again_graphs)
# --8<-- [end:again]

# --8<-- [start:limit]
torch.compiler.reset()
messages = []
keep = logging.Handler()
keep.emit = lambda record: messages.append(record.getMessage())
logging.getLogger("torch._dynamo").addHandler(keep)
sizes = list(range(1, 13))
limit = count_shapes(torch.compile(double, backend=counting, dynamic=False), sizes)[-1]
print("sizes:", len(sizes), "compilations:", limit)
print("logged:", messages[0].splitlines()[0])
# --8<-- [end:limit]

agree = {
    "shapes": shapes,
    "dynamic": dynamic[-1],
    "dynamic_marked": dynamic_marked,
    "scalars": scalars,
    "scalars_tensor": scalars_tensor,
    "modes": modes,
    "again": again,
    "again_graphs": again_graphs,
    "limit": limit,
}
