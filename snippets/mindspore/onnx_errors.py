"""Operators that an ONNX exporter does not know."""

import mindspore
import numpy as np
import onnxruntime
from mindspore import Tensor, nn, ops


# --8<-- [start:operators]
class Cumsum(nn.Cell):
    def construct(self, x):
        return ops.cumsum(x, 1)


mindspore.runtime.launch_blocking()  # before the first operator: errors come in the right call
rng = np.random.default_rng(0)
image = Tensor(rng.uniform(-1, 1, (1, 4, 5, 5)).astype(np.float32))
cells = {
    "gelu": nn.GELU(approximate=False),
    "group_norm": nn.GroupNorm(2, 4),
    "adaptive_pool": nn.AdaptiveAvgPool2d(1),
    "cumsum": Cumsum(),
    "elu": nn.ELU(),
}
operators = {}
for name, cell in cells.items():
    try:
        mindspore.onnx.export(cell, image, file_name=f"{name}.onnx")
        operators[name] = "works"
    except RuntimeError as error:
        operators[name] = type(error).__name__
        print(name, "|", str(error).splitlines()[0])
# --8<-- [end:operators]


# --8<-- [start:replacements]
class Replaced(nn.Cell):
    def __init__(self):
        super().__init__()
        self.gelu = nn.GELU()  # by tanh, the default
        self.sums = Tensor(np.triu(np.ones((5, 5), np.float32)))

    def construct(self, x):
        groups = x.reshape(1, 2, -1)
        centred = groups - groups.mean(2, keep_dims=True)
        normed = centred / ops.sqrt(ops.square(centred).mean(2, keep_dims=True) + 1e-5)
        elu = ops.where(x > 0, x, ops.exp(x) - 1)
        normed = normed.reshape(1, 4, 5, 5)
        return self.gelu(x), normed, x.mean((2, 3)), ops.matmul(x, self.sums), elu


replaced = Replaced().set_train(False)
mindspore.onnx.export(replaced, image, file_name="replaced.onnx")
session = onnxruntime.InferenceSession("replaced.onnx")
results = session.run(None, {session.get_inputs()[0].name: image.asnumpy()})
names = ["tanh gelu", "group norm", "mean over height and width", "running sum", "elu"]
pairs = zip(results, replaced(image), strict=True)
replaced_same = all(np.allclose(a, b.asnumpy(), atol=1e-5) for a, b in pairs)
print(names)
print("same output:", replaced_same)
group_norm, running_sum, elu = results[1], results[3], results[4]
# --8<-- [end:replacements]


# --8<-- [start:unsupported]
class Bessel(nn.Cell):
    def construct(self, x):
        return ops.bessel_j0(x)


try:
    mindspore.onnx.export(Bessel(), image, file_name="bessel.onnx")
    unsupported = "works"
except RuntimeError as error:
    unsupported = type(error).__name__
    print(unsupported, str(error).splitlines()[0])
# --8<-- [end:unsupported]

agree = {
    "operators_gelu": operators["gelu"],
    "operators_group_norm": operators["group_norm"],
    "operators_adaptive_pool": operators["adaptive_pool"],
    "operators_cumsum": operators["cumsum"],
    "operators_elu": operators["elu"],
    "replacements_group_norm": group_norm,
    "replacements_elu": elu,
    "replacements_running_sum": running_sum,
    "unsupported": unsupported,
}
