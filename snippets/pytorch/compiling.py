"""Compiling a function, a model and a training step; the ways to switch it on and off."""

import warnings

import numpy as np
import torch
from torch import nn


# --8<-- [start:eager_default]
class Model(nn.Module):
    def forward(self, x):
        lines.append("forward ran")  # plain Python, executed at every call
        return x * 2


lines = []
model = Model()
for _call in range(2):
    eager_default = model(torch.tensor([1.0, 2.0]))
print("result:", eager_default)
print("Python ran", len(lines), "times")
# --8<-- [end:eager_default]

# --8<-- [start:function]
graphs = []


def counting(graph, inputs):  # a backend that counts the graphs and runs them as they are
    graphs.append(graph)
    return graph.forward


def scale(x):
    return torch.relu(x) * 2 + 1


compiled_scale = torch.compile(scale, backend=counting)
x = torch.tensor([-1.0, 0.5, 2.0])
for _call in range(2):
    function = compiled_scale(x)
compilations = len(graphs)
print("eager:   ", scale(x))
print("compiled:", function)
print("compiled", compilations, "time for two calls")
# --8<-- [end:function]


# --8<-- [start:model]
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)

    def forward(self, x):
        return torch.relu(self.layer(x))


net = Net()
with torch.no_grad():
    net.layer.weight.copy_(torch.tensor([[1.0, 2.0]]))
    net.layer.bias.fill_(0.5)
compiled_net = torch.compile(net, backend="eager")  # a new module around the old one
x = torch.tensor([[1.0, 1.0]])
model_output = compiled_net(x).item()
model_type = type(compiled_net).__name__
model_names = list(compiled_net.state_dict())
print("result:", model_output, "eager:", net(x).item())
print("type:", model_type)
print("weights:", model_names)
net.compile(backend="eager")  # in place: the names stay
print("in place:", list(net.state_dict()), net(x).item())
# --8<-- [end:model]


# --8<-- [start:graph_mode]
class Doubled(nn.Module):
    def forward(self, x):
        cell_lines.append(1)
        return x * 2


def doubled(x):
    function_lines.append(1)
    return x * 2


cell_lines, function_lines = [], []
model = Doubled()
model.compile(backend="eager")  # no switch for the whole program: model by model
for _call in range(2):
    graph_mode = model(torch.tensor([1.0, 2.0]))
    doubled(torch.tensor([1.0, 2.0]))
print("result:", graph_mode)
print("Python lines in the model:", len(cell_lines), "in the function:", len(function_lines))
# --8<-- [end:graph_mode]


# --8<-- [start:switch_off]
@torch.compile(backend="eager")
def shifted(x):
    if not torch.compiler.is_compiling():
        ran.append("Python")
    return x + 1


ran = []
shifted(torch.tensor([1.0]))
print("compiled:", ran)
torch.compiler.set_stance("force_eager")
shifted(torch.tensor([1.0]))
torch.compiler.set_stance("default")
print("switched off:", ran)
# --8<-- [end:switch_off]


# --8<-- [start:capture]
def branch(x):
    if x.sum() > 0:
        return x + 1
    return x - 1


positive, negative = torch.tensor([1.0]), torch.tensor([-1.0])
compiled_branch = torch.compile(branch, backend="eager")
capture_compiled = [compiled_branch(positive).item(), compiled_branch(negative).item()]
print("torch.compile:  ", capture_compiled)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    traced = torch.jit.trace(branch, positive)  # records what one call did
capture_traced = [traced(positive).item(), traced(negative).item()]
print("torch.jit.trace:", capture_traced)
capture_warning = "TracerWarning" in {warning.category.__name__ for warning in caught}
print("warned about the branch:", capture_warning)
# --8<-- [end:capture]


# --8<-- [start:options]
def tripled(x):
    return x * 3


try:
    torch.compile(tripled, mode="O2")
    options_level = "works"
except RuntimeError as error:
    options_level = type(error).__name__
    print(options_level, str(error)[:75])
try:
    torch.compile(tripled, backend="GPU")(torch.tensor([1.0]))
    options_backend = "works"
except RuntimeError as error:
    options_backend = type(error).__name__
    print(options_backend, str(error).splitlines()[0][:31])
options = torch.compile(tripled, backend="aot_eager")(torch.tensor([1.0])).item()
print("another backend:", options)
# --8<-- [end:options]

# --8<-- [start:old_names]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    try:
        scripted = torch.jit.script(tripled)  # today: torch.compile, torch.export
        old_names = caught[0].category.__name__
        print(old_names, str(caught[0].message)[:40])
    except AttributeError as error:
        old_names = type(error).__name__
x = torch.autograd.Variable(torch.tensor([1.0, 2.0]), requires_grad=True)  # today: a tensor
(x**2).sum().backward()  # the same
old_names_gradient = x.grad
print("Variable still works:", old_names_gradient)
# --8<-- [end:old_names]

agree = {
    "eager_default": eager_default,
    "eager_default_lines": len(lines),
    "function": function,
    "function_graphs": compilations,
    "model_output": model_output,
    "model_type": model_type,
    "model_names": model_names,
    "graph_mode": graph_mode,
    "graph_mode_lines": [len(cell_lines), len(function_lines)],
    "switch_off": ran,
    "capture_compiled": capture_compiled,
    "capture_traced": capture_traced,
    "capture_warning": capture_warning,
    "options": options,
    "options_level": options_level,
    "options_backend": options_backend,
    "old_names": old_names,
    "old_names_gradient": np.array(old_names_gradient),
}
