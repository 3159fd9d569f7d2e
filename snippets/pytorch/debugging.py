"""Find the failing line, the failing layer and the first NaN; look inside a model while it runs."""

import io
import logging
import math
import os
import pdb
import resource
import sys
import traceback
import warnings

import numpy as np
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

# --8<-- [start:missing_name]
layer = nn.Linear(2, 1)
weights = {
    "wieght": torch.tensor([[1.0, 2.0]]),  # a typing error
    "bias": torch.tensor([0.5]),
}
try:
    layer.load_state_dict(weights)
    missing_name = "works"
except RuntimeError as error:
    missing_name = type(error).__name__
    print(error)
print("loading:", missing_name)
# --8<-- [end:missing_name]

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


# --8<-- [start:gradients]
def gradients_hold(function, values, step=1e-3):
    """Compare the gradient of the sum with central differences."""
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    (grads,) = torch.autograd.grad(function(x).sum(), x)
    with torch.no_grad():
        numeric = (function(x + step) - function(x - step)) / (2 * step)
    for name, numbers in (("gradient", grads), ("numeric", numeric)):
        print(name, *(f"{number:.2f}" for number in numbers))
    return torch.autograd.gradcheck(function, x)  # the same comparison, ready-made


points = np.array([-1.0, 0.5], np.float32)
gradients_sigmoid = gradients_hold(torch.sigmoid, points)
gradients_selu = gradients_hold(F.selu, points)
print("sigmoid:", gradients_sigmoid, "selu:", gradients_selu)
# --8<-- [end:gradients]


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


# --8<-- [start:locals]
def scale(x):
    factor = x.shape[1] - 3
    return 6 // factor


try:
    scale(x)
except ZeroDivisionError as error:
    frame = error.__traceback__.tb_next.tb_frame  # what pdb.pm() would show
    locals_factor = frame.f_locals["factor"]
    print(frame.f_code.co_name, "had factor =", locals_factor)
# --8<-- [end:locals]

# The profiler logs to the terminal when it starts and stops, with time and process id. Keep that apart.
terminal = os.dup(2)
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)

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

os.dup2(terminal, 2)


# --8<-- [start:memory]
def peak_megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # kilobytes on Linux


before = peak_megabytes()
large = torch.ones(16, 1024, 1024)  # 64 MB
memory_counter = torch.cuda.max_memory_allocated()
memory_seen = peak_megabytes() - before > 50
del large
print("counter:", memory_counter)
print("process grew by more than 50 MB:", memory_seen)
# --8<-- [end:memory]


# --8<-- [start:growth]
def megabytes_now():
    with open("/proc/self/statm") as file:  # Linux
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


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

# --8<-- [start:log_level]
log_level = logging.getLevelName(logging.getLogger("torch").getEffectiveLevel())
print("messages shown from:", log_level)
# --8<-- [end:log_level]


# --8<-- [start:reproduce]
def run_once():
    torch.manual_seed(0)  # weights and random operators
    data = np.random.default_rng(0).standard_normal((8, 3)).astype(np.float32)
    layer = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for _step in range(3):
        loss = (layer(torch.from_numpy(data)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


reproduce = run_once() == run_once()
print("two runs end at the same loss:", reproduce)
# --8<-- [end:reproduce]


# --8<-- [start:compiled_print]
def double(x):
    y = x * 2
    print("inside:", y)
    return y + 1


compiled = torch.compile(double, backend="eager")  # keep the plain function: it is the one to debug
for values in ([1.0, 2.0], [3.0, 4.0]):
    compiled_print = compiled(torch.tensor(values))
print("result:", compiled_print)
# --8<-- [end:compiled_print]

# --8<-- [start:uncompiled]
seen = []


def spy(x):
    seen.append(type(x).__name__)  # any Python, a breakpoint() too
    return x * 2


compiled = torch.compile(spy, backend="eager")
with torch.compiler.set_stance("force_eager"):
    for _call in range(2):
        compiled(torch.tensor([1.0]))
uncompiled = len(seen)
print("calls that ran as plain Python:", uncompiled)
# --8<-- [end:uncompiled]


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
    "missing_name": missing_name,
    "layers_shapes": layers_shapes,
    "layers_first": layers_first,
    "compare_first": compare_first,
    **{f"nan_{name}": value for name, value in nan_results.items()},
    "finite_loss": finite_loss,
    "finite": finite,
    "origin": origin,
    "gradients_sigmoid": gradients_sigmoid,
    "gradients_selu": gradients_selu,
    "breakpoint_saw": breakpoint_saw,
    "locals_factor": locals_factor,
    "profiler_matmuls": profiler_matmuls,
    "memory_counter": memory_counter,
    "memory_seen": memory_seen,
    "growth": growth,
    "kept": kept,
    "log_level": log_level,
    "reproduce": reproduce,
    "compiled_print": compiled_print,
    "uncompiled": uncompiled,
    "compiled_error_line": compiled_error_line.split("@")[0].strip(),
}
