"""What branches on a tensor's value, at export: an error, a choice in the graph, a selection."""

import contextlib
import logging
import os
import warnings

import onnxruntime
import torch
from torch import nn


# --8<-- [start:branch]
class Branch(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x - 1


up = torch.ones(3)
logging.getLogger("torch.fx").setLevel(logging.ERROR)  # or the graph so far is logged as well
try:
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
        torch.export.export(Branch(), (up,))
    branch = "works"
except RuntimeError as error:
    branch = type(error).__name__
    print(branch, str(error).partition(" (unhinted")[0])
# --8<-- [end:branch]


# --8<-- [start:cond]
class Choice(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,))


choice = torch.export.export(Choice(), (up,)).module()
cond_up, cond_down = choice(up), choice(-up)
print(cond_up.tolist(), cond_down.tolist())
# --8<-- [end:cond]

# --8<-- [start:branch_onnx]
logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # or it names packages that are absent
warnings.filterwarnings("ignore", category=FutureWarning, module="copyreg")
torch.onnx.export(Choice().eval(), (up,), "choice.onnx", input_names=["x"], verbose=False)
session = onnxruntime.InferenceSession("choice.onnx")
branch_onnx = "works"
print([session.run(None, {"x": value.numpy()})[0].tolist() for value in (up, -up)])
# --8<-- [end:branch_onnx]


# --8<-- [start:python_number]
class Scale(nn.Module):
    def forward(self, x):
        return x * float(x.detach().numpy().max())


logging.getLogger("torch").setLevel(logging.CRITICAL)
try:
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
        torch.export.export(Scale(), (up,))
    python_number = "works"
except RuntimeError as error:
    python_number = type(error).__name__
    print(python_number, str(error).splitlines()[0][:90])
# --8<-- [end:python_number]

# --8<-- [start:torchscript]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.jit.script(nn.Linear(3, 3))
torchscript = caught[0].category.__name__
print(torchscript)
print(caught[0].message)
# --8<-- [end:torchscript]

agree = {
    "branch": branch,
    "cond_up": cond_up,
    "cond_down": cond_down,
    "branch_onnx": branch_onnx,
    "python_number": python_number,
}
