"""Where a program runs and in which dtype: devices, half precision, amp levels, loss scaling, recomputation."""

import mindspore
import numpy as np
from mindspore import Tensor, nn, ops

# --8<-- [start:which_device]
mindspore.runtime.launch_blocking()  # first of all: errors then come from their own call
device, index = mindspore.get_current_device()
found = {
    "ascend": mindspore.device_context.ascend.is_available(),
    "gpu": mindspore.device_context.gpu.is_available(),
}
print(device, index)
print(found)
# --8<-- [end:which_device]


# --8<-- [start:unavailable]
unavailable = {}
for name in ("GPU", "Ascend"):
    try:
        mindspore.set_device(name)
        unavailable[name] = "works"
    except RuntimeError as error:
        unavailable[name] = type(error).__name__
        message, _, advice = str(error).partition(". Please check whether ")
        print(f"{unavailable[name]}: {message}")
        print("  " + advice.partition(". ")[0].partition(", and ")[2])
# --8<-- [end:unavailable]


# --8<-- [start:too_late]
x = Tensor([1.0, 2.0]) + 1  # an operator has run
try:
    mindspore.set_device("CPU")
    too_late = "works"
except RuntimeError as error:
    too_late = type(error).__name__
    print(str(error).partition(", or ")[0])
print(too_late)
# --8<-- [end:too_late]


# --8<-- [start:move]
x = mindspore.tensor([1.0, 2.0], device="CPU")
model = nn.Dense(2, 1)
print(x.device, model.weight.device)
print("same tensor:", x.to("CPU") is x, "same model:", model.to("CPU") is model)

move = {}
for method in ("cpu", "cuda", "to"):
    move[method] = hasattr(x, method), hasattr(model, method)
print("tensor and model have:", move)
# --8<-- [end:move]


# --8<-- [start:model_dtype]
def size_in_bytes(model):
    return sum(p.nbytes for p in model.get_parameters())


model = nn.Dense(100, 10)
full = size_in_bytes(model)
model.to(mindspore.float16)
halved = size_in_bytes(model)
print(model.weight.dtype, f"{full} bytes, then {halved}")

has_half = hasattr(model, "half")
try:
    float32_input = str(model(ops.ones((1, 100))).dtype)
except TypeError as error:
    float32_input = type(error).__name__
    print(f"{float32_input}: {str(error).splitlines()[0]}")
# --8<-- [end:model_dtype]


# --8<-- [start:compute_only]
model = nn.Dense(100, 10)
before = size_in_bytes(model)
model.to_float(mindspore.float16)
output = model(ops.ones((1, 100)))
output_dtype = output.dtype
print("output", output_dtype, "weight", model.weight.dtype)
print(f"{before} bytes, then {size_in_bytes(model)}")
# --8<-- [end:compute_only]


# --8<-- [start:long_sums]
ones = ops.ones((3000,), mindspore.float16)
running = ones.cumsum(0)[-1].item()
many = ops.ones((70_000,), mindspore.float16)
sums = [ones.sum().item(), many.sum().item(), many.mean().item()]
print("sum of 3000, sum of 70000, mean of 70000:", sums)
print("sum with dtype=float32:", many.sum(dtype=mindspore.float32).item())
print("last running sum of 3000:", running)
# --8<-- [end:long_sums]


# --8<-- [start:half_operators]
def operators_that_run(dtype):
    x = ops.ones((1, 1, 2, 2), dtype)
    calls = {
        "add": lambda: x + x,
        "sum": lambda: x.sum(),
        "exp": lambda: ops.exp(x),
        "matmul": lambda: x @ x,
        "conv": lambda: nn.Conv2d(1, 1, 2).to(dtype)(x),
        "layer norm": lambda: nn.LayerNorm((2,)).to(dtype)(x),
        "softmax": lambda: ops.softmax(x, -1),
    }
    worked = []
    for name, call in calls.items():
        try:
            call().asnumpy()
            worked.append(name)
        except (RuntimeError, TypeError) as error:
            lines = str(error).splitlines()
            reason = next(line for line in lines if "ail!" in line or "support" in line)
            print(f"{name}: {type(error).__name__}: {reason[:60]}")
    return worked


half = operators_that_run(mindspore.float16)
print("float16:", ", ".join(half))
brain = operators_that_run(mindspore.bfloat16)
print("bfloat16:", ", ".join(brain))
# --8<-- [end:half_operators]


# --8<-- [start:bfloat16]
x = Tensor([1.01, 70000.0], mindspore.bfloat16)
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
class Block(nn.Cell):
    calls = 0

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 2, has_bias=False)
        self.dense.weight.set_data(Tensor([[0.1, 0.2], [0.3, 0.4]]))

    def construct(self, x):
        Block.calls += 1
        return ops.tanh(self.dense(x))


x = Tensor([[1.0, 2.0]])
gradients, calls = [], []
for recompute in (False, True):
    block = Block()
    Block.calls = 0
    if recompute:
        block.recompute()
    grad_fn = mindspore.grad(lambda x, block=block: block(x).sum(), None, block.dense.weight)
    gradients.append(grad_fn(x).asnumpy())
    calls.append(Block.calls)


def recomputed(x):
    return mindspore.recompute(block, x).sum()  # for one call, instead of the whole Cell


block, Block.calls = Block(), 0
gradients.append(mindspore.grad(recomputed, None, block.dense.weight)(x).asnumpy())
calls.append(Block.calls)
print("forward passes", calls, "largest difference", np.ptp(gradients, axis=0).max())
# --8<-- [end:recompute]


# --8<-- [start:threads]
inside_operator = mindspore.device_context.cpu.op_tuning.threads_num
dispatch = mindspore.runtime.dispatch_threads_num  # threads that send operators off
for set_threads in (inside_operator, dispatch):
    set_threads(1)
    try:
        set_threads(1)
        threads_again = "works"
    except RuntimeError as error:
        threads_again = type(error).__name__
        print(f"{threads_again}: {error}")
mindspore.runtime.synchronize()  # for Ascend; on CPU it logs that CPU is not supported
# --8<-- [end:threads]


agree = {
    "which_device": device.lower(),
    "which_device_accelerator": any(found.values()),
    "unavailable_cuda": unavailable["GPU"],
    "unavailable_npu": unavailable["Ascend"],
    "too_late": too_late,
    "move_same_tensor": x.to("CPU") is x,
    "move_cuda_method": move["cuda"][0],
    "model_dtype_bytes": [full, halved],
    "model_dtype_half": has_half,
    "model_dtype_float32_input": float32_input,
    "compute_only_output": str(output_dtype).rpartition(".")[2].lower(),
    "compute_only_bytes": before,
    "long_sums": [str(value) for value in sums],
    "long_sums_running": running,
    "half_operators_float16": half,
    "half_operators_bfloat16": ", ".join(brain),
    "bfloat16_values": values,
    "bfloat16_numpy": to_numpy,
    "recompute_gradients": gradients[1],
    "recompute_calls": calls[:2],
    "threads_again": threads_again,
}
