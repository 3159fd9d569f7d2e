"""Operators that an ONNX exporter does not know."""

import logging
import warnings

import numpy as np
import onnxruntime
import torch
from torch import nn


# --8<-- [start:operators]
class Operators(nn.Module):
    def __init__(self):
        super().__init__()
        self.group_norm = nn.GroupNorm(2, 4)
        self.pool = nn.AdaptiveAvgPool2d(1)

    def forward(self, x):
        return (
            nn.functional.gelu(x),
            self.group_norm(x),
            self.pool(x),
            torch.cumsum(x, 1),
            nn.functional.elu(x),
        )


logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # or it names packages that are absent
warnings.filterwarnings("ignore", category=FutureWarning, module="copyreg")
rng = np.random.default_rng(0)
image = torch.from_numpy(rng.uniform(-1, 1, (1, 4, 5, 5)).astype(np.float32))
operators = Operators().eval()
torch.onnx.export(operators, (image,), "operators.onnx", verbose=False)

session = onnxruntime.InferenceSession("operators.onnx")
results = session.run(None, {session.get_inputs()[0].name: image.numpy()})
expected = [value.detach().numpy() for value in operators(image)]
names = ["gelu", "group_norm", "adaptive_pool", "cumsum", "elu"]
operators_outcome = {
    name: "works" if np.allclose(got, wanted, atol=1e-5) else "wrong numbers"
    for name, got, wanted in zip(names, results, expected, strict=True)
}
print(operators_outcome)
# --8<-- [end:operators]

# --8<-- [start:replacements]
group_norm = results[1]
elu = results[4]
running_sum = image.cumsum(3)
print("nothing to replace")
# --8<-- [end:replacements]


# --8<-- [start:unsupported]
class Bessel(nn.Module):
    def forward(self, x):
        return torch.special.bessel_j0(x)


try:
    torch.onnx.export(Bessel().eval(), (image,), "bessel.onnx", verbose=False)
    unsupported = "works"
except torch.onnx.errors.OnnxExporterError as error:
    unsupported = type(error).__name__
    reason = str(error).partition("No ONNX function")
    print(unsupported, reason[1] + reason[2].splitlines()[0].partition(". Failure")[0])
# --8<-- [end:unsupported]

agree = {
    "operators_gelu": operators_outcome["gelu"],
    "operators_group_norm": operators_outcome["group_norm"],
    "operators_adaptive_pool": operators_outcome["adaptive_pool"],
    "operators_cumsum": operators_outcome["cumsum"],
    "operators_elu": operators_outcome["elu"],
    "replacements_group_norm": group_norm,
    "replacements_elu": elu,
    "replacements_running_sum": running_sum,
    "unsupported": unsupported,
}
