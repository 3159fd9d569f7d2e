"""Export to ONNX, run the file with onnxruntime, and compare; names, and a batch of another size."""

import logging
import warnings

import numpy as np
import onnx
import onnxruntime
import torch
from torch import nn


# --8<-- [start:export]
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 4)
        self.fc2 = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


rng = np.random.default_rng(0)
drawn = [rng.uniform(-1, 1, shape) for shape in ((4, 3), 4, (2, 4), 2)]


def make_model():
    model = Net()
    with torch.no_grad():
        for parameter, values in zip(model.parameters(), drawn, strict=True):
            parameter.copy_(torch.from_numpy(values))
    return model.eval()


model = make_model()
x = torch.from_numpy(rng.uniform(-1, 1, (6, 3)).astype(np.float32))
logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # or it names packages that are absent
warnings.filterwarnings("ignore", category=FutureWarning, module="copyreg")
torch.onnx.export(
    model,
    (x,),
    "net.onnx",
    input_names=["x"],
    output_names=["y"],
    verbose=False,
)

session = onnxruntime.InferenceSession("net.onnx")
exported = session.run(None, {"x": x.numpy()})[0]
print("input:", session.get_inputs()[0].name, session.get_inputs()[0].shape)
print("output:", session.get_outputs()[0].name, session.get_outputs()[0].shape)
print("same as PyTorch:", np.allclose(exported, model(x).detach().numpy(), atol=1e-6))
# --8<-- [end:export]

# --8<-- [start:fixed_batch]
try:
    session.run(None, {"x": x[:2].numpy()})
    fixed_batch = "works"
except onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument as error:
    fixed_batch = type(error).__name__
    print(fixed_batch, str(error).partition("ARGUMENT : ")[2].splitlines()[0])
# --8<-- [end:fixed_batch]

# --8<-- [start:again]
torch.onnx.export(model, (x,), "again.onnx", verbose=False)
again = "works"
names_session = onnxruntime.InferenceSession("again.onnx")
print("input:", names_session.get_inputs()[0].name)
print("output:", names_session.get_outputs()[0].name)
# --8<-- [end:again]

# --8<-- [start:read_back]
try:
    torch.load("net.onnx", weights_only=True)
    read_back = "works"
except Exception as error:
    read_back = "refused"
    print(type(error).__name__, str(error).partition(".")[0])

weights = {i.name: onnx.numpy_helper.to_array(i) for i in onnx.load("net.onnx").graph.initializer}
for name in sorted(weights):
    print(name, weights[name].shape)
# --8<-- [end:read_back]

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
