"""ONNX files that were exported without an error and do not work: at loading, at running, or in their numbers."""

import mindspore
import numpy as np
import onnxruntime
from mindspore import nn, ops


# --8<-- [start:files]
class Argmax(nn.Cell):
    def construct(self, x):
        return x.argmax(1)


def outcome(cell, value):
    mindspore.onnx.export(cell, value, file_name="risky.onnx")  # raises nothing here
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession("risky.onnx", options)
        got = session.run(None, {"x": value.asnumpy()})[0]
    except Exception as error:
        print(type(error).__name__, str(error)[-110:])
        return type(error).__name__
    if np.allclose(got, cell(value).asnumpy()):
        return "works"
    print("row from the file:", got[0, 0, 2].tolist())
    return "wrong numbers"


mindspore.runtime.launch_blocking()  # before the first operator: errors come in the right call
square = ops.arange(9.0).reshape(1, 1, 3, 3)
up_layer = nn.Conv2dTranspose(1, 1, 3, 2, weight_init=square)
dilated_layer = nn.Conv2d(1, 1, 3, dilation=2, weight_init=square)
up, dilated = outcome(up_layer, square), outcome(dilated_layer, square)
index = outcome(Argmax(), square)
print("transposed convolution:", up)
print("dilated convolution:", dilated)
print("argmax:", index)

padding = {"pad_mode": "pad", "padding": 1, "output_padding": 1}
padded_up = nn.Conv2dTranspose(1, 1, 3, 2, weight_init=square, **padding)
padding = {"pad_mode": "pad", "padding": 2}
padded_dilated = nn.Conv2d(1, 1, 3, dilation=2, weight_init=square, **padding)
print("with pad_mode='pad':", outcome(padded_up, square), outcome(padded_dilated, square))
own_up = up_layer(square)
print("row:", own_up[0, 0, 2].tolist())
# --8<-- [end:files]

# --8<-- [start:dropout_off]
drop = nn.SequentialCell(nn.Dropout(p=0.5))
drop.set_train()
many = ops.ones((1, 100))
mindspore.onnx.export(drop, many, file_name="drop.onnx", input_names=["x"])
print("training mode:", drop.training)

session = onnxruntime.InferenceSession("drop.onnx")
kept = bool((session.run(None, {"x": many.asnumpy()})[0] == 1).all())
print("the file keeps every value:", kept)
# --8<-- [end:dropout_off]

agree = {
    "files_up": up,
    "files_dilated": dilated,
    "files_argmax": index,
    "files_row": own_up[0, 0, 2],
    "dropout_off": kept,
}
