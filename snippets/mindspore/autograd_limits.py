"""Which second derivatives to trust, what inference mode forbids, and errors inside a gradient."""

import mindspore
import numpy as np
from mindspore import Tensor, nn, ops

# --8<-- [start:inference]
mindspore.runtime.launch_blocking()  # before the first operator: quicker for tiny tensors
x = Tensor([1.0, 2.0, 3.0])
factor = x * 2  # outside a gradient nothing is recorded: there is no block to write
inference_no_grad = mindspore.grad(lambda x: (x * factor).sum())(x)
inference_mode = str(inference_no_grad.tolist())
print("computed before:", inference_no_grad)
# --8<-- [end:inference]

# --8<-- [start:second_ops]
x = Tensor([[0.1, 0.2, 0.5], [0.3, -0.4, 0.7]])
v = Tensor([[1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
matrix = Tensor([[0.5, -1.0], [0.2, 0.4], [1.0, 2.0]])
vector = Tensor([0.5, 0.2, 1.0])
verdicts = {}
for name, function in [
    ("x ** 3", lambda x: (x**3).sum()),
    ("tanh", lambda x: ops.tanh(x).sum()),
    ("slices", lambda x: (x[:, :1] * x[:, 1:2]).sum()),
    ("matmul(x, matrix)", lambda x: (ops.matmul(x, matrix) ** 2).sum()),
    ("sum keepdims", lambda x: (x.sum(1, keepdims=True) ** 2).sum()),
    ("mm(x, x.T)", lambda x: ops.mm(x, x.T).sum()),
    ("sum", lambda x: (x.sum(1) ** 2).sum()),
    ("mean", lambda x: (x.mean(1) ** 2).sum()),
    ("exp(sum)", lambda x: ops.exp(x.sum())),
    ("norm", lambda x: ops.norm(x, dim=1).sum()),
    ("matmul(x, vector)", lambda x: (ops.matmul(x, vector) ** 2).sum()),
    ("matmul(x, x.T)", lambda x: ops.matmul(x, x.T).sum()),
    ("cat", lambda x: (ops.cat([x, x]) ** 2).sum()),
]:
    slope = mindspore.grad(function)
    found = mindspore.grad(lambda x, slope=slope: (slope(x) * v).sum())(x)
    expected = (slope(x + 0.01 * v) - slope(x - 0.01 * v)) / 0.02  # a difference quotient
    verdicts[name] = np.allclose(found.numpy(), expected.numpy(), rtol=0.02, atol=0.02)
    print(f"{name:18}", "right" if verdicts[name] else "wrong")
second_ops_wrong = ", ".join(name for name in verdicts if not verdicts[name]) or "none"
# --8<-- [end:second_ops]


# --8<-- [start:second_ops_compiled]
def all_together(x):
    reduced = (x.sum(1) ** 2).sum() + (x.mean(1) ** 2).sum() + ops.norm(x, dim=1).sum()
    products = (ops.matmul(x, vector) ** 2).sum() + ops.matmul(x, x.T).sum()
    return reduced + products + ops.exp(x.sum()) + (ops.cat([x, x]) ** 2).sum()


def slope_along(x):
    return (mindspore.grad(all_together)(x) * v).sum()


found = mindspore.grad(slope_along)(x)[0]
second_ops_eager = [round(value, 4) for value in found.tolist()]
second_ops_compiled = mindspore.jit(mindspore.grad(slope_along))(x)[0]  # the outermost one
print("eager:", found)
print("jit:  ", second_ops_compiled)
# --8<-- [end:second_ops_compiled]

# --8<-- [start:second_loss]
logits = Tensor([[0.1, 0.2, 0.5]])
direction = Tensor([[1.0, 0.0, 1.0]])
label = Tensor([2], mindspore.int32)


def library_loss(logits):
    return ops.cross_entropy(logits, label)


def own_loss(logits):
    exps = ops.exp(logits)
    return -ops.log(exps[:, 2:] / exps.sum(1, keepdims=True)).sum()


def along(loss_fn, logits):
    return (mindspore.grad(loss_fn)(logits) * direction).sum()


second_loss_own = mindspore.grad(lambda logits: along(own_loss, logits))(logits)
print("own loss:", second_loss_own)


def along_library(logits):
    return along(library_loss, logits)


second_loss = []
second = mindspore.grad(along_library)
for name, function in [("eager", second), ("jit", mindspore.jit(second))]:
    try:
        function(logits).asnumpy()
        second_loss.append("works")
    except RuntimeError as error:
        second_loss.append(type(error).__name__)
        print(name, str(error).splitlines()[0][:75])
print("cross_entropy:", second_loss)
# --8<-- [end:second_loss]


# --8<-- [start:bprop_count]
class Product(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return (dout * y,)  # one gradient for two inputs


product = Product()
x = Tensor([1.0, 2.0])
y = Tensor([3.0, 4.0])
try:
    mindspore.grad(lambda x, y: product(x, y).sum(), (0, 1))(x, y)
    bprop_count = "works"
except RuntimeError as error:
    bprop_count = type(error).__name__
    print(str(error).splitlines()[0])
print("one gradient for two inputs:", bprop_count)
# --8<-- [end:bprop_count]

agree = {
    "inference_no_grad": inference_no_grad,
    "inference_mode": inference_mode,
    "second_ops_wrong": second_ops_wrong,
    "second_ops_compiled": second_ops_compiled,
    "second_ops_compiled_eager": second_ops_eager,
    "second_loss_own": second_loss_own,
    "second_loss": second_loss,
    "bprop_count": bprop_count,
}
