"""Compiling a function, a model and a training step; the ways to switch it on and off."""

import os
import warnings
from concurrent.futures import ThreadPoolExecutor

import mindspore
import numpy as np
from mindspore import Tensor, nn, ops


# --8<-- [start:eager_default]
class Model(nn.Cell):
    def construct(self, x):
        lines.append("construct ran")  # plain Python, executed at every call
        return x * 2


lines = []
model = Model()
for _call in range(2):
    eager_default = model(Tensor([1.0, 2.0]))
print("result:", eager_default)
print("Python ran", len(lines), "times")
print("default is PyNative:", mindspore.get_context("mode") == mindspore.PYNATIVE_MODE)
# --8<-- [end:eager_default]

# --8<-- [start:function]
graphs = []


@ops.constexpr
def counted():  # runs while a graph is compiled, and not again
    graphs.append(1)
    return 1


def scale(x):
    return ops.relu(x) * 2 + counted()


compiled_scale = mindspore.jit(scale)
x = Tensor([-1.0, 0.5, 2.0])
for _call in range(2):
    function = compiled_scale(x)
compilations = len(graphs)
print("eager:   ", scale(x))
print("compiled:", function)
print("compiled", compilations, "time for two calls")
# --8<-- [end:function]


# --8<-- [start:model]
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer = nn.Dense(2, 1)

    def construct(self, x):
        return ops.relu(self.layer(x))


net = Net()
net.layer.weight.set_data(Tensor([[1.0, 2.0]]))
net.layer.bias.set_data(Tensor([0.5]))
compiled_net = mindspore.jit(net)  # something to call, no Cell
x = Tensor([[1.0, 1.0]])
model_output = compiled_net(x).item()
model_type = type(compiled_net).__name__
model_names = list(net.parameters_dict())
print("result:", model_output, "eager:", net(x).item())
print("type:", model_type)
print("weights:", model_names)
net.construct = mindspore.jit(net.construct)  # in place; or @mindspore.jit above `construct`
print("in place:", list(net.parameters_dict()), net(x).item())
# --8<-- [end:model]


# --8<-- [start:graph_mode]
class Doubled(nn.Cell):
    def construct(self, x):
        cell_lines.append(1)
        return x * 2


def doubled(x):
    function_lines.append(1)
    return x * 2


cell_lines, function_lines = [], []
model = Doubled()
mindspore.set_context(mode=mindspore.GRAPH_MODE)  # from here on every Cell is compiled
for _call in range(2):
    graph_mode = model(Tensor([1.0, 2.0]))
    doubled(Tensor([1.0, 2.0]))
mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
print("result:", graph_mode)
print("Python lines in the Cell:", len(cell_lines), "in the function:", len(function_lines))
# --8<-- [end:graph_mode]


# --8<-- [start:switch_off]
@mindspore.jit
def shifted(x):
    ran.append("Python")  # has no effect in a graph
    return x + 1


ran = []
shifted(Tensor([1.0]))
print("compiled:", ran)
os.environ["MS_JIT"] = "0"  # or in the shell, for the whole run
shifted(Tensor([1.0]))
del os.environ["MS_JIT"]
print("switched off:", ran)
# --8<-- [end:switch_off]


# --8<-- [start:capture]
def branch(x):
    if x.sum() > 0:
        return x + 1
    return x - 1


positive, negative = Tensor([1.0]), Tensor([-1.0])
compiled_branch = mindspore.jit(branch)  # capture_mode="ast": reads the source
capture_compiled = [compiled_branch(positive).item(), compiled_branch(negative).item()]
print('capture_mode="ast":  ', capture_compiled)
traced = mindspore.jit(branch, capture_mode="trace")  # records what one call did
# Tracing fails where a caller has no source file, as in `python -c`; a thread has no caller.
with warnings.catch_warnings(record=True) as caught, ThreadPoolExecutor(1) as pool:
    warnings.simplefilter("always")
    capture_traced = [pool.submit(traced, x).result().item() for x in (positive, negative)]
print('capture_mode="trace":', capture_traced)
capture_warning = bool(caught)
print("warned about the branch:", capture_warning)
# --8<-- [end:capture]


# --8<-- [start:options]
def tripled(x):
    return x * 3


try:
    mindspore.jit(tripled, jit_level="O2")
    options_level = "works"
except ValueError as error:
    options_level = type(error).__name__
    print(options_level, str(error)[:75])
try:
    mindspore.jit(tripled, backend="GPU")(Tensor([1.0]))
    options_backend = "works"
except RuntimeError as error:
    options_backend = type(error).__name__
    print(options_backend, str(error).splitlines()[0][:31])
options = mindspore.jit(tripled, jit_level="O1")(Tensor([1.0])).item()
print("another level:", options)
# --8<-- [end:options]

# --8<-- [start:old_names]
try:
    mindspore.ms_function(tripled)  # today: mindspore.jit
    old_names = "works"
except AttributeError as error:
    old_names = type(error).__name__
    print(old_names, error)
x = Tensor([1.0, 2.0])
old_names_gradient = ops.GradOperation()(lambda x: x**2)(x)  # today: mindspore.grad
print("GradOperation still works:", old_names_gradient, mindspore.grad(lambda x: x**2)(x))
mindspore.context.set_context(mode=mindspore.PYNATIVE_MODE)  # today: mindspore.set_context
print("context.set_context still works")
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
