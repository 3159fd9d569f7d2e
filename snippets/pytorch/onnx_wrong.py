"""ONNX files that were exported without an error and do not work: at loading, at running, or in their numbers."""

import logging
import warnings

import numpy as np
import onnxruntime
import torch
from torch import nn


# --8<-- [start:files]
class Risky(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose2d(1, 1, 3, 2, bias=False)
        self.dilated = nn.Conv2d(1, 1, 3, dilation=2, padding=2, bias=False)

    def forward(self, x):
        return self.up(x)[..., :-1, :-1], self.dilated(x), x.argmax(1)


logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # or it names packages that are absent
warnings.filterwarnings("ignore", category=FutureWarning, module="copyreg")
risky = Risky().eval()
with torch.no_grad():
    for parameter in risky.parameters():
        parameter.copy_(torch.arange(9.0).reshape(1, 1, 3, 3))
square = torch.arange(9.0).reshape(1, 1, 3, 3)
torch.onnx.export(risky, (square,), "risky.onnx", verbose=False)

session = onnxruntime.InferenceSession("risky.onnx")
results = session.run(None, {session.get_inputs()[0].name: square.numpy()})
up, dilated, index = (
    "works" if np.allclose(got, wanted.detach().numpy()) else "wrong numbers"
    for got, wanted in zip(results, risky(square), strict=True)
)
print("transposed convolution:", up)
print("dilated convolution:", dilated)
print("argmax:", index)
own_up = risky(square)[0].detach()
print("row:", own_up[0, 0, 2].tolist())
print("row from the file:", results[0][0, 0, 2].tolist())
# --8<-- [end:files]

# --8<-- [start:dropout_off]
drop = nn.Sequential(nn.Dropout(p=0.5))  # in training mode, as every new model
many = torch.ones(1, 100)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.onnx.export(drop, (many,), "drop.onnx", input_names=["x"], verbose=False)
print(next(str(w.message).partition(".")[0] for w in caught if "training" in str(w.message)))

session = onnxruntime.InferenceSession("drop.onnx")
kept = bool((session.run(None, {"x": many.numpy()})[0] == 1).all())
print("the file keeps every value:", kept)
# --8<-- [end:dropout_off]

agree = {
    "files_up": up,
    "files_dilated": dilated,
    "files_argmax": index,
    "files_row": own_up[0, 0, 2],
    "dropout_off": kept,
}
