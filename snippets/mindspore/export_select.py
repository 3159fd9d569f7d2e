"""A selection with `where` instead of a branch, exported in both forms."""

import mindspore
import onnxruntime
from mindspore import nn, ops


# --8<-- [start:where]
class Select(nn.Cell):
    def construct(self, x):
        return ops.where(x.sum() > 0, x * 2, x - 1)


mindspore.runtime.launch_blocking()  # before the first operator: errors come in the right call
up = ops.ones(3)
mindspore.export(Select(), up, file_name="select", file_format="MINDIR")
select = nn.GraphCell(mindspore.load("select.mindir"))
where_up, where_down = select(up), select(-up)
print(where_up.tolist(), where_down.tolist())

mindspore.onnx.export(Select(), up, file_name="select.onnx", input_names=["x"])
session = onnxruntime.InferenceSession("select.onnx")
where_onnx = [session.run(None, {"x": value.asnumpy()})[0].tolist() for value in (up, -up)]
print("ONNX:", where_onnx)
# --8<-- [end:where]

agree = {
    "where_up": where_up,
    "where_down": where_down,
    "where_onnx": where_onnx,
}
