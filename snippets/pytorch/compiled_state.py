"""A compiled training step, and the weights that a compiled function sees and changes."""

import logging

import torch
from torch import nn

# Dynamo logs times and process ids, which differ at every run.
torch._logging.set_logs(dynamo=logging.ERROR)


# --8<-- [start:train_step]
graphs = []


def counting(graph, inputs):  # a backend that counts the graphs and runs them as they are
    graphs.append(graph)
    return graph.forward


model = nn.Linear(1, 1)
with torch.no_grad():
    model.weight.fill_(1.0)
    model.bias.fill_(0.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


@torch.compile(backend=counting)
def train_step(x, y):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss.detach()


x, y = torch.ones(4, 1), torch.zeros(4, 1)
train_losses = [train_step(x, y).item() for _step in range(3)]
train_graphs = len(graphs)
print("losses:", [round(loss, 4) for loss in train_losses])
print("graphs:", train_graphs)
# --8<-- [end:train_step]


# --8<-- [start:state]
class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = nn.Parameter(torch.tensor([0.0]), requires_grad=False)
        self.total = nn.Parameter(torch.tensor([0.0]), requires_grad=False)

    def forward(self, x):
        self.steps += 1  # writes into the parameter
        self.total.copy_(self.total + x)  # so does this
        return x * self.steps


counter = Counter()
state = [counter(torch.tensor([10.0])).item()]  # eager
counter.compile(backend="eager")
state += [counter(torch.tensor([10.0])).item() for _call in range(2)]
print("results:", state)
state_steps = [counter.steps.item(), counter.total.item()]
print("steps and total:", state_steps)
# --8<-- [end:state]


# --8<-- [start:set_data]
class Replacing(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = nn.Parameter(torch.tensor([0.0]), requires_grad=False)

    def forward(self, x):
        self.steps.data = self.steps + 1
        return x * self.steps


replacing = Replacing()
replacing.compile(backend="eager")
try:
    result = replacing(torch.tensor([10.0]))
    set_data = "works"
    print("result:", result.item(), "steps:", replacing.steps.item())
except RuntimeError as error:
    set_data = type(error).__name__
# --8<-- [end:set_data]


# --8<-- [start:loaded]
def after(change):
    """Compiled and eager result after a change of the weight from 1 to 5."""
    layer = nn.Linear(1, 1, bias=False)
    nn.init.ones_(layer.weight)
    forward = torch.compile(layer, backend="eager")
    forward(x)  # compiled here, with weight 1
    with torch.no_grad():
        change(layer)
    return [forward(x).item(), layer(x).item()]


def replace(layer):
    layer.weight.data = five


def write_slice(layer):
    layer.weight[:] = five


x, five = torch.tensor([[1.0]]), torch.tensor([[5.0]])
checkpoint = {"weight": five}
loaded = after(lambda layer: layer.load_state_dict(checkpoint, assign=True))
loaded_state_dict = after(lambda layer: layer.load_state_dict(checkpoint))
loaded_replaced = after(replace)
loaded_in_place = loaded_copy = after(lambda layer: layer.weight.copy_(five))
loaded_slice = after(write_slice)
print("load_state_dict(assign=True):", *loaded)
print("load_state_dict:             ", *loaded_state_dict)
print(".data =:                     ", *loaded_replaced)
print("copy_:                       ", *loaded_copy)
print("[:] =:                       ", *loaded_slice)
# --8<-- [end:loaded]

# --8<-- [start:loaded_graph_mode]
layer = nn.Linear(1, 1, bias=False)
nn.init.ones_(layer.weight)
layer.compile(backend="eager")
loaded_graph_mode = [layer(x).item()]
layer.load_state_dict(checkpoint)
loaded_graph_mode.append(layer(x).item())
print("before and after loading:", *loaded_graph_mode)
# --8<-- [end:loaded_graph_mode]

# --8<-- [start:recompiled]
layer = nn.Linear(1, 1, bias=False)
torch.compile(layer, backend="eager")(x)
layer.load_state_dict(checkpoint)
recompiled_again = torch.compile(layer, backend="eager")(x).item()
print("compiled once more:", recompiled_again)


@torch.compile(backend="eager")
def new_forward(x):
    return layer(x)


recompiled_new = new_forward(x).item()
print("in a new function:", recompiled_new)
layer = nn.Linear(1, 1, bias=False)
layer.load_state_dict(checkpoint)
recompiled_after = torch.compile(layer, backend="eager")(x).item()
print("first compiled after loading:", recompiled_after)
# --8<-- [end:recompiled]

agree = {
    "train_step": train_losses,
    "train_step_graphs": train_graphs,
    "state": state,
    "state_steps": state_steps,
    "set_data": set_data,
    "loaded": loaded,
    "loaded_state_dict": loaded_state_dict,
    "loaded_replaced": loaded_replaced,
    "loaded_in_place": loaded_in_place,
    "loaded_copy": loaded_copy,
    "loaded_slice": loaded_slice,
    "loaded_graph_mode": loaded_graph_mode,
    "recompiled_again": recompiled_again,
    "recompiled_new": recompiled_new,
    "recompiled_after": recompiled_after,
}
