"""Export to ONNX, run the file with onnxruntime, and compare; names, and a batch of another size."""

import mindspore
import numpy as np
import onnx
import onnxruntime
from mindspore import Tensor, nn, ops


# --8<-- [start:export]
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(3, 4)
        self.fc2 = nn.Dense(4, 2)

    def construct(self, x):
        return self.fc2(ops.relu(self.fc1(x)))


mindspore.runtime.launch_blocking()  # before the first operator: errors come in the right call
rng = np.random.default_rng(0)
drawn = [rng.uniform(-1, 1, shape) for shape in ((4, 3), 4, (2, 4), 2)]


def make_model():
    model = Net()
    for parameter, values in zip(model.get_parameters(), drawn, strict=True):
        parameter.set_data(Tensor(values, mindspore.float32))
    return model.set_train(False)


model = make_model()
x = Tensor(rng.uniform(-1, 1, (6, 3)).astype(np.float32))
mindspore.onnx.export(model, x, file_name="net.onnx", input_names=["x"], output_names=["y"])

session = onnxruntime.InferenceSession("net.onnx")
exported = session.run(None, {"x": x.asnumpy()})[0]
print("input:", session.get_inputs()[0].name, session.get_inputs()[0].shape)
print("output:", session.get_outputs()[0].name, session.get_outputs()[0].shape)
print("same as MindSpore:", np.allclose(exported, model(x).asnumpy(), atol=1e-6))
# --8<-- [end:export]

# --8<-- [start:fixed_batch]
try:
    session.run(None, {"x": x[:2].asnumpy()})
    fixed_batch = "works"
except onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument as error:
    fixed_batch = type(error).__name__
    print(fixed_batch, str(error).partition("ARGUMENT : ")[2].splitlines()[0])
# --8<-- [end:fixed_batch]

# --8<-- [start:again]
try:
    mindspore.onnx.export(model, x, file_name="again.onnx")
    again = "works"
except RuntimeError as error:
    again = type(error).__name__
    print(again, str(error).partition(", cnode")[0])

mindspore.onnx.export(make_model(), x, file_name="again.onnx")  # a model made anew
names_session = onnxruntime.InferenceSession("again.onnx")
print("input:", names_session.get_inputs()[0].name)
print("output:", names_session.get_outputs()[0].name)
# --8<-- [end:again]

# --8<-- [start:read_back]
try:
    mindspore.load("net.onnx")
    read_back = "works"
except ValueError as error:
    read_back = "refused"
    print(type(error).__name__, str(error).partition(", please")[0])

weights = {i.name: onnx.numpy_helper.to_array(i) for i in onnx.load("net.onnx").graph.initializer}
for name in sorted(weights):
    print(name, weights[name].shape)
# --8<-- [end:read_back]

# --8<-- [start:old_call]
mindspore.export(make_model(), x, file_name="old", file_format="ONNX")
old_session = onnxruntime.InferenceSession("old.onnx")
old_same = np.allclose(old_session.run(None, {"x": x.asnumpy()})[0], exported)
print("same file contents in effect:", old_same)
# --8<-- [end:old_call]

agree = {
    "export": exported,
    "export_input": session.get_inputs()[0].name,
    "export_shape": session.get_inputs()[0].shape,
    "fixed_batch": fixed_batch,
    "read_back": read_back,
    "read_back_weight": weights["fc1.weight"],
    "again": again,
    "again_input": names_session.get_inputs()[0].name,
    "again_output": names_session.get_outputs()[0].name,
}
