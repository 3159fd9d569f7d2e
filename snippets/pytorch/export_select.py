"""A selection with `where` instead of a branch, exported in both forms."""

import onnxruntime
import torch
from torch import nn


# --8<-- [start:where]
class Select(nn.Module):
    def forward(self, x):
        return torch.where(x.sum() > 0, x * 2, x - 1)


up = torch.ones(3)
select = torch.export.export(Select(), (up,)).module()
where_up, where_down = select(up), select(-up)
print(where_up.tolist(), where_down.tolist())

torch.onnx.export(Select().eval(), (up,), "select.onnx", input_names=["x"], verbose=False)
session = onnxruntime.InferenceSession("select.onnx")
where_onnx = [session.run(None, {"x": value.numpy()})[0].tolist() for value in (up, -up)]
print("ONNX:", where_onnx)
# --8<-- [end:where]

agree = {
    "where_up": where_up,
    "where_down": where_down,
    "where_onnx": where_onnx,
}
