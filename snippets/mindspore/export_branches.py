"""What branches on a tensor's value, at export: an error, a choice in the graph, a selection."""

import mindspore
from mindspore import nn, ops


# --8<-- [start:branch]
class Branch(nn.Cell):
    def construct(self, x):
        if x.sum() > 0:
            return x * 2
        return x - 1


mindspore.runtime.launch_blocking()  # before the first operator: errors come in the right call
up = ops.ones(3)
try:
    mindspore.export(Branch(), up, file_name="branch", file_format="MINDIR")
    branch = "works"
except RuntimeError as error:
    branch = type(error).__name__
print("exported:", branch)
# --8<-- [end:branch]

# --8<-- [start:cond]
choice = nn.GraphCell(mindspore.load("branch.mindir"))  # the plain `if` is in the file
cond_up, cond_down = choice(up), choice(-up)
print(cond_up.tolist(), cond_down.tolist())
# --8<-- [end:cond]

# --8<-- [start:branch_onnx]
try:
    mindspore.onnx.export(Branch(), up, file_name="branch.onnx", input_names=["x"])
    branch_onnx = "works"
except RuntimeError as error:
    branch_onnx = type(error).__name__
    print(branch_onnx, str(error).splitlines()[0])
# --8<-- [end:branch_onnx]


# --8<-- [start:python_number]
class Scale(nn.Cell):
    def construct(self, x):
        return x * float(x.asnumpy().max())


try:
    mindspore.export(Scale(), up, file_name="scale", file_format="MINDIR")
    python_number = "works"
except (AttributeError, RuntimeError) as error:
    python_number = type(error).__name__
    print(python_number, str(error).partition(".")[0])
# --8<-- [end:python_number]

agree = {
    "branch": branch,
    "cond_up": cond_up,
    "cond_down": cond_down,
    "branch_onnx": branch_onnx,
    "python_number": python_number,
}
