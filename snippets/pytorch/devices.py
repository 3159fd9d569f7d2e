"""Where a program runs and in which dtype: devices, half precision, autocast, loss scaling, recomputation."""

import numpy as np
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

# --8<-- [start:which_device]
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
found = {
    "cuda": torch.cuda.is_available(),
    "any accelerator": torch.accelerator.is_available(),
}
print(device)
print(found)
# --8<-- [end:which_device]


# --8<-- [start:unavailable]
unavailable = {}
for name in ("cuda", "npu"):
    try:
        torch.zeros(1).to(name)
        unavailable[name] = "works"
    except (AssertionError, RuntimeError) as error:
        unavailable[name] = type(error).__name__
        print(f"{name}: {unavailable[name]}: {str(error)[:62]}")
# --8<-- [end:unavailable]


# --8<-- [start:too_late]
x = torch.tensor([1.0, 2.0]) + 1  # an operator has run
try:
    torch.set_default_device("cpu")
    too_late = "works"
except RuntimeError as error:
    too_late = type(error).__name__
print(too_late)
# --8<-- [end:too_late]


# --8<-- [start:move]
x = torch.tensor([1.0, 2.0], device="cpu")
model = nn.Linear(2, 1)
print(x.device, model.weight.device)
print("same tensor:", x.to("cpu") is x, "same model:", model.to("cpu") is model)

move = {}
for method in ("cpu", "cuda", "to"):
    move[method] = hasattr(x, method), hasattr(model, method)
print("tensor and model have:", move)
# --8<-- [end:move]


# --8<-- [start:model_dtype]
def size_in_bytes(model):
    return sum(p.numel() * p.element_size() for p in model.parameters())


model = nn.Linear(100, 10)
full = size_in_bytes(model)
model.to(torch.float16)  # or model.half()
halved = size_in_bytes(model)
print(model.weight.dtype, f"{full} bytes, then {halved}")

has_half = hasattr(model, "half")
try:
    float32_input = str(model(torch.ones(1, 100)).dtype)
except RuntimeError as error:
    float32_input = type(error).__name__
    print(f"{float32_input}: {error}")
# --8<-- [end:model_dtype]


# --8<-- [start:compute_only]
model = nn.Linear(100, 10)
before = size_in_bytes(model)
with torch.autocast("cpu", dtype=torch.float16):
    output = model(torch.ones(1, 100))
output_dtype = output.dtype
print("output", output_dtype, "weight", model.weight.dtype)
print(f"{before} bytes, then {size_in_bytes(model)}")
# --8<-- [end:compute_only]


# --8<-- [start:long_sums]
ones = torch.ones(3000, dtype=torch.float16)
running = ones.cumsum(0)[-1].item()
many = torch.ones(70_000, dtype=torch.float16)
sums = [ones.sum().item(), many.sum().item(), many.mean().item()]
print("sum of 3000, sum of 70000, mean of 70000:", sums)
print("sum with dtype=float32:", many.sum(dtype=torch.float32).item())
print("last running sum of 3000:", running)
# --8<-- [end:long_sums]


# --8<-- [start:half_operators]
def operators_that_run(dtype):
    x = torch.ones(1, 1, 2, 2, dtype=dtype)
    calls = {
        "add": lambda: x + x,
        "sum": lambda: x.sum(),
        "exp": lambda: torch.exp(x),
        "matmul": lambda: x @ x,
        "conv": lambda: nn.Conv2d(1, 1, 2).to(dtype)(x),
        "layer norm": lambda: nn.LayerNorm(2).to(dtype)(x),
        "softmax": lambda: torch.softmax(x, -1),
    }
    worked = []
    for name, call in calls.items():
        try:
            call()
            worked.append(name)
        except RuntimeError as error:
            print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}")
    return worked


half = operators_that_run(torch.float16)
print("float16:", ", ".join(half))
brain = operators_that_run(torch.bfloat16)
print("bfloat16:", ", ".join(brain))
# --8<-- [end:half_operators]


# --8<-- [start:bfloat16]
x = torch.tensor([1.01, 70000.0], dtype=torch.bfloat16)
values = x.float().tolist()
print("bfloat16", values, "float16", x.half().tolist())
try:
    to_numpy = str(x.numpy().dtype)
except TypeError as error:
    to_numpy = type(error).__name__
    print(f"{to_numpy}: {error}")
print(to_numpy)
# --8<-- [end:bfloat16]


# --8<-- [start:recompute]
class Block(nn.Module):
    calls = 0

    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(2, 2, bias=False)
        self.dense.weight.data = torch.tensor([[0.1, 0.2], [0.3, 0.4]])

    def forward(self, x):
        Block.calls += 1
        return torch.tanh(self.dense(x))


x = torch.tensor([[1.0, 2.0]])
gradients, calls = [], []
for recompute in (False, True):
    block = Block()
    Block.calls = 0
    output = checkpoint(block, x, use_reentrant=False) if recompute else block(x)
    output.sum().backward()
    gradients.append(block.dense.weight.grad.numpy())
    calls.append(Block.calls)
print("forward passes", calls, "largest difference", np.ptp(gradients, axis=0).max())
# --8<-- [end:recompute]


# --8<-- [start:threads]
torch.set_num_threads(1)
print(torch.get_num_threads())
try:
    torch.set_num_threads(1)
    threads_again = "works"
except RuntimeError as error:
    threads_again = type(error).__name__
    print(f"{threads_again}: {error}")
torch.cpu.synchronize()  # does nothing; for a GPU: torch.accelerator.synchronize()
# --8<-- [end:threads]


agree = {
    "which_device": device.type.lower(),
    "which_device_accelerator": any(found.values()),
    "unavailable_cuda": unavailable["cuda"],
    "unavailable_npu": unavailable["npu"],
    "too_late": too_late,
    "move_same_tensor": x.to("cpu") is x,
    "move_cuda_method": move["cuda"][0],
    "model_dtype_bytes": [full, halved],
    "model_dtype_half": has_half,
    "model_dtype_float32_input": float32_input,
    "compute_only_output": str(output_dtype).rpartition(".")[2],
    "compute_only_bytes": before,
    "long_sums": [str(value) for value in sums],
    "long_sums_running": running,
    "half_operators_float16": half,
    "half_operators_bfloat16": ", ".join(brain),
    "bfloat16_values": values,
    "bfloat16_numpy": to_numpy,
    "recompute_gradients": gradients[1],
    "recompute_calls": calls,
    "threads_again": threads_again,
}
