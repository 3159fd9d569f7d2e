"""Find the failing line, the failing layer and the first NaN; look inside a model while it runs."""

import io
import logging
import math
import pdb
import sys
import traceback
import warnings

import numpy as np
import psutil
import torch
from torch import nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

# --8<-- [start:blocking]
# Nothing to set on CPU: every operator has finished when its line has.
table, index = torch.ones(3, 2), torch.tensor([7])
blocking_line = "no error"
try:
    rows = F.embedding(index, table)  # wrong: there is no row 7
    total = table + 1.0  # right
    print(total.numpy())
except (RuntimeError, IndexError) as error:
    blocking_line = traceback.extract_tb(error.__traceback__)[0].line
    message = str(error).splitlines()[0]
    print("raised at:", blocking_line)
    print("message:", message)
# --8<-- [end:blocking]

# --8<-- [start:shape_error]
left, right = torch.ones(2, 3), torch.ones(4)
layer = nn.Linear(4, 2)
convolution = nn.Conv2d(3, 2, 3)
image = torch.ones(1, 4, 5, 5)
shape_error = []
for call in (lambda: left + right, lambda: layer(left), lambda: convolution(image)):
    try:
        call()
    except (RuntimeError, ValueError) as error:
        shape_error.append(type(error).__name__)
        print(type(error).__name__, str(error).splitlines()[0])
# --8<-- [end:shape_error]

# --8<-- [start:dtype_error]
layer = nn.Linear(3, 2)
features = torch.from_numpy(np.ones((2, 3)))  # NumPy's default, float64
logits = torch.zeros(2, 3)
labels = torch.from_numpy(np.array([0, 1]))  # int64; a MindSpore loss wants int32
dtype_error = []
for call in (lambda: layer(features), lambda: nn.CrossEntropyLoss()(logits, labels)):
    try:
        call()
        dtype_error.append("works")
        print("works")
    except (RuntimeError, TypeError) as error:
        dtype_error.append(type(error).__name__)
        print(type(error).__name__, str(error).splitlines()[0])
# --8<-- [end:dtype_error]

# --8<-- [start:failing_layer]
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(5, 2))  # 4 does not fit 5
entered = []
handles = []
for name, module in model.named_modules():
    if name:  # the model itself has the empty name

        def hook(module, inputs, name=name):
            entered.append((name, tuple(inputs[0].shape)))

        handles.append(module.register_forward_pre_hook(hook))
try:
    model(torch.ones(2, 3))
except (RuntimeError, ValueError) as error:
    print(str(error).splitlines()[0])
for handle in handles:
    handle.remove()
failing_layer, failing_layer_input = entered[-1]
print("layer", failing_layer, "was given", failing_layer_input)
# --8<-- [end:failing_layer]

# --8<-- [start:model]
rng = np.random.default_rng(0)
arrays = {
    "0.weight": rng.standard_normal((4, 3)).astype(np.float32),
    "0.bias": np.zeros(4, np.float32),
    "2.weight": rng.standard_normal((2, 4)).astype(np.float32),
    "2.bias": np.ones(2, np.float32),
}
x_array = np.array([[1.0, 2.0, 3.0], [-1.0, 0.0, 1.0]], np.float32)
model = nn.Sequential(nn.Linear(3, 4), nn.GELU(), nn.Linear(4, 2))
model.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
x = torch.from_numpy(x_array)
model_output = model(x)
for row in model_output.tolist():
    print(*(f"{value:.2f}" for value in row))
# --8<-- [end:model]


# --8<-- [start:layers]
def outputs_by_name(model, x):
    """What each layer returned, by its name."""
    outputs, handles = {}, []
    for name, module in model.named_modules():
        if name:

            def hook(module, inputs, output, name=name):
                outputs[name] = output.detach().numpy()

            handles.append(module.register_forward_hook(hook))
    model(x)
    for handle in handles:
        handle.remove()
    return outputs


outputs = outputs_by_name(model, x)
for name, output in outputs.items():
    print(name, output.shape, output.dtype, f"mean {output.mean():.3f}")
layers_shapes = [list(output.shape) for output in outputs.values()]
layers_first = outputs["0"]
# --8<-- [end:layers]

# --8<-- [start:compare]
# What the other framework's run saved with np.savez; here NumPy stands in for it.
hidden = x_array @ arrays["0.weight"].T + arrays["0.bias"]
active = hidden * 0.5 * (1 + np.vectorize(math.erf)(hidden / math.sqrt(2)))
result = active @ arrays["2.weight"].T + arrays["2.bias"]
np.savez("reference.npz", **{"0": hidden, "1": active, "2": result})

reference = np.load("reference.npz")
compare_first = "none"
for name, output in outputs.items():
    difference = np.abs(output - reference[name]).max()
    same = difference < 1e-5
    print(f"layer {name}:", "same" if same else f"differs by {difference:.0e}")
    if not same and compare_first == "none":
        compare_first = name
print("first layer that differs:", compare_first)
# --8<-- [end:compare]

# --8<-- [start:nan]
nan = float("nan")
v = torch.tensor([1.0, nan, 3.0])
picture = torch.tensor([[[[1.0, nan], [2.0, 3.0]]]])
nan_results = {
    "relu": F.relu(v),
    "clamp": torch.clamp(v, 0.0, 2.0),
    "maximum": torch.maximum(v, torch.tensor(0.0)),
    "max_pool": nn.MaxPool2d(2, 2)(picture).flatten(),
    "max": v.max(),
    "argmax": v.argmax(),
    "topk": torch.topk(v, 2)[0],
    "sort": torch.sort(torch.tensor([3.0, nan, 1.0]))[0],
    "sigmoid": torch.sigmoid(v),
}
nan_results = {name: value.tolist() for name, value in nan_results.items()}
for name, value in nan_results.items():
    print(f"{name}: {np.round(value, 3)}")
# --8<-- [end:nan]


# --8<-- [start:finite]
class Distance(nn.Module):
    def forward(self, x):
        return torch.sqrt((x * x).sum(-1))


model = nn.Sequential(nn.Linear(2, 2, bias=False), Distance())
model.load_state_dict({"0.weight": torch.eye(2)})
points = torch.tensor([[3.0, 4.0], [0.0, 0.0]])  # the second row is padding ...
mask = torch.tensor([1.0, 0.0])  # ... and left out of the loss


def forward(points):
    return (model(points) * mask).sum()


loss = forward(points)
loss.backward()
finite_loss = bool(torch.isfinite(loss))
finite = [bool(torch.isfinite(parameter.grad).all()) for parameter in model.parameters()]
finite_names = [name for name, _ in model.named_parameters()]
print("loss:", loss.item(), "finite:", finite_loss)
for name, good in zip(finite_names, finite, strict=True):
    print(name, "gradient finite:", good)
# --8<-- [end:finite]

# --8<-- [start:origin]
origin = "none"
with warnings.catch_warnings(record=True) as caught, torch.autograd.set_detect_anomaly(True):
    try:
        forward(points).backward()
    except RuntimeError as error:
        print(error)
        origin = str(error).split("'")[1]

where = [line.strip() for line in str(caught[0].message).splitlines()]  # the forward traceback
print("NaN comes from:", origin)
print("computed in:", next(line for line in where if "sqrt" in line))
# --8<-- [end:origin]


# --8<-- [start:breakpoint]
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 4)

    def forward(self, x):
        hidden = self.layer(x)
        breakpoint()  # stops here
        return hidden * 2


# At a keyboard leave out these three lines; here the commands come from a string.
screen = io.StringIO()
debugger = pdb.Pdb(stdin=io.StringIO("p tuple(hidden.shape)\nc\n"), stdout=screen, readrc=False)
sys.breakpointhook = debugger.set_trace

Net()(x)
sys.breakpointhook = sys.__breakpointhook__
breakpoint_saw = screen.getvalue().splitlines()[-2]
print(breakpoint_saw)
# --8<-- [end:breakpoint]


# --8<-- [start:profiler]
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
with profile(activities=[ProfilerActivity.CPU]) as profiled, torch.no_grad():
    model(x)

counts = {event.key: event.count for event in profiled.key_averages()}
for name in sorted(counts):
    if name in ("aten::addmm", "aten::linear", "aten::relu"):  # of about a dozen
        print(name, counts[name])
profiler_matmuls = counts["aten::addmm"]
# --8<-- [end:profiler]


# --8<-- [start:memory]
def megabytes_now():
    return psutil.Process().memory_info().rss / 2**20  # resident memory


before = megabytes_now()
large = torch.ones(16, 1024, 1024)  # 64 MB
memory_counter = torch.cuda.max_memory_allocated()
memory_seen = megabytes_now() - before > 50
del large
print("counter:", memory_counter)
print("process grew by more than 50 MB:", memory_seen)
# --8<-- [end:memory]


# --8<-- [start:growth]
weight = nn.Parameter(torch.zeros(512, 512))
losses = []
for step in range(30):
    if step == 10:  # the first steps fill caches
        before = megabytes_now()
    weight.grad = None
    loss = torch.exp(weight).mean()
    loss.backward()
    losses.append(loss.item())  # a number, not the tensor
growth = megabytes_now() - before > 10
print("memory grows while training:", growth)
# --8<-- [end:growth]

# --8<-- [start:kept]
losses, before = [], megabytes_now()
for _step in range(20):  # an evaluation without torch.no_grad()
    losses.append(torch.exp(torch.exp(weight)).mean())
kept = megabytes_now() - before > 20
print("memory grows with the losses kept:", kept)
# --8<-- [end:kept]


# --8<-- [start:compiled_error]
def wrong(x):
    y = x * 2
    return y @ torch.ones(3, 3)


logging.getLogger("torch").setLevel(logging.CRITICAL)  # or the whole trace is logged as well
compiled_error_line = ""
try:
    torch.compile(wrong, backend="eager", fullgraph=True)(torch.tensor([1.0, 2.0]))
except RuntimeError as error:
    lines = str(error).splitlines()
    compiled_error_line = next(line.strip() for line in lines if "y @" in line)
    print(type(error).__name__, lines[1].partition("got ")[2])
    print("in:", compiled_error_line)
# --8<-- [end:compiled_error]

agree = {
    "blocking_line": blocking_line.split("(")[0].split("=")[0].strip(),
    "shape_error": shape_error,
    "dtype_error": dtype_error,
    "failing_layer": failing_layer,
    "failing_layer_input": list(failing_layer_input),
    "layers_shapes": layers_shapes,
    "layers_first": layers_first,
    "compare_first": compare_first,
    **{f"nan_{name}": value for name, value in nan_results.items()},
    "finite_loss": finite_loss,
    "finite": finite,
    "origin": origin,
    "breakpoint_saw": breakpoint_saw,
    "profiler_matmuls": profiler_matmuls,
    "memory_counter": memory_counter,
    "memory_seen": memory_seen,
    "growth": growth,
    "kept": kept,
    "compiled_error_line": compiled_error_line.split("@")[0].strip(),
}
