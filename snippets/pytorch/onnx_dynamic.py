"""An ONNX file that takes any batch size, and one that only says it does."""

import logging
import warnings

import numpy as np
import onnxruntime
import torch
from torch import nn

# --8<-- [start:any_size]
rng = np.random.default_rng(0)
weight = rng.uniform(-1, 1, (4, 3))
x = torch.from_numpy(rng.uniform(-1, 1, (6, 3)).astype(np.float32))


def make_model():
    model = nn.Sequential(nn.Linear(3, 4, bias=False), nn.BatchNorm1d(4))
    with torch.no_grad():
        model[0].weight.copy_(torch.from_numpy(weight))
    return model.eval()


logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # or it names packages that are absent
warnings.filterwarnings("ignore", category=FutureWarning, module="copyreg")
batch = torch.export.Dim("batch")
torch.onnx.export(make_model(), (x,), "net.onnx", dynamic_shapes=({0: batch},), verbose=False)

session = onnxruntime.InferenceSession("net.onnx")
input_name = session.get_inputs()[0].name
print("batch dimension:", session.get_inputs()[0].shape[0])
small = session.run(None, {input_name: x[:2].numpy()})[0]
large = session.run(None, {input_name: x.numpy()})[0]
print(small.shape, large.shape, np.allclose(large, make_model()(x).detach().numpy(), atol=1e-6))
# --8<-- [end:any_size]

# --8<-- [start:dynamic_axes]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.onnx.export(
        make_model(),
        (x,),
        "axes.onnx",
        input_names=["x"],
        dynamic_axes={"x": {0: "batch"}},
        verbose=False,
    )
told = [w for w in caught if "dynamic_axes" in str(w.message)]
print(told[0].category.__name__, str(told[0].message).partition(".")[0])

session = onnxruntime.InferenceSession("axes.onnx")
print("batch dimension:", session.get_inputs()[0].shape[0])
axes_output = session.run(None, {"x": x[:2].numpy()})[0]
dynamic_axes = "works"
print("another batch size:", dynamic_axes, axes_output.shape)
# --8<-- [end:dynamic_axes]

agree = {"any_size": large, "any_size_small": small, "dynamic_axes": dynamic_axes}
