"""An ONNX file that takes any batch size, and one that only says it does."""

import mindspore
import numpy as np
import onnxruntime
from mindspore import Tensor, nn

# --8<-- [start:any_size]
mindspore.runtime.launch_blocking()  # before the first operator: errors come in the right call
rng = np.random.default_rng(0)
weight = rng.uniform(-1, 1, (4, 3))
x = Tensor(rng.uniform(-1, 1, (6, 3)).astype(np.float32))


def make_model():
    model = nn.SequentialCell(nn.Dense(3, 4, has_bias=False), nn.BatchNorm1d(4))
    model[0].weight.set_data(Tensor(weight, mindspore.float32))
    return model.set_train(False)


any_batch = Tensor(shape=[None, 3], dtype=mindspore.float32)
mindspore.onnx.export(make_model(), any_batch, file_name="net.onnx")

session = onnxruntime.InferenceSession("net.onnx")
input_name = session.get_inputs()[0].name
print("batch dimension:", session.get_inputs()[0].shape[0])
small = session.run(None, {input_name: x[:2].asnumpy()})[0]
large = session.run(None, {input_name: x.asnumpy()})[0]
print(small.shape, large.shape, np.allclose(large, make_model()(x).asnumpy(), atol=1e-6))
# --8<-- [end:any_size]

# --8<-- [start:dynamic_axes]
axes = {"x": {0: "batch"}}
mindspore.onnx.export(make_model(), x, file_name="axes.onnx", input_names=["x"], dynamic_axes=axes)
options = onnxruntime.SessionOptions()
options.log_severity_level = 4  # the exception below says it all
session = onnxruntime.InferenceSession("axes.onnx", options)
print("batch dimension:", session.get_inputs()[0].shape[0])
try:
    session.run(None, {"x": x[:2].asnumpy()})
    dynamic_axes = "works"
except onnxruntime.capi.onnxruntime_pybind11_state.RuntimeException as error:
    dynamic_axes = type(error).__name__
    print(dynamic_axes, "Input shape" + str(error).partition("Input shape")[2])
# --8<-- [end:dynamic_axes]

agree = {"any_size": large, "any_size_small": small, "dynamic_axes": dynamic_axes}
