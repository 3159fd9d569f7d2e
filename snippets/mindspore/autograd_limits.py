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
verdicts = {True: [], False: []}
for name, function in [
    ("x ** 3", lambda x: (x**3).sum()),
    ("tanh", lambda x: ops.tanh(x).sum()),
    ("slices", lambda x: (x[:, :1] * x[:, 1:2]).sum()),
    ("x @ matrix", lambda x: (ops.matmul(x, matrix) ** 2).sum()),
    ("sum keepdims", lambda x: (x.sum(1, keepdims=True) ** 2).sum()),
    ("sum", lambda x: (x.sum(1) ** 2).sum()),
    ("mean", lambda x: (x.mean(1) ** 2).sum()),
    ("norm", lambda x: ops.norm(x, dim=1).sum()),
    ("cat", lambda x: (ops.cat([x, x]) ** 2).sum()),
    ("x @ x.T", lambda x: ops.matmul(x, x.T).sum()),
]:
    slope = mindspore.grad(function)
    found = mindspore.grad(lambda x, slope=slope: (slope(x) * v).sum())(x)
    expected = (slope(x + 0.01 * v) - slope(x - 0.01 * v)) / 0.02  # a difference quotient
    verdicts[np.allclose(found.numpy(), expected.numpy(), rtol=0.02, atol=0.02)].append(name)
second_ops_right = ", ".join(verdicts[True])
second_ops_wrong = ", ".join(verdicts[False]) or "none"
print("right:", second_ops_right)
print("wrong:", second_ops_wrong)
# --8<-- [end:second_ops]

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
print("own loss:     ", second_loss_own)
try:
    print("cross_entropy:", mindspore.grad(lambda logits: along(library_loss, logits))(logits))
    second_loss = "works"
except RuntimeError as error:
    second_loss = type(error).__name__
    print("cross_entropy:", second_loss, str(error).splitlines()[0])
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

# --8<-- [start:assigned]
x = Tensor([1.0, 2.0, 3.0])


def with_assignment(x):
    x[0] = 5.0
    return (x**2).sum()


try:
    mindspore.grad(with_assignment)(x)
    assigned = "works"
except RuntimeError as error:
    assigned = type(error).__name__
    print(str(error).partition(",")[0])
assigned_after = x.tolist()
print("assignment:", assigned)
print("x afterwards:", assigned_after)
# --8<-- [end:assigned]

agree = {
    "inference_no_grad": inference_no_grad,
    "inference_mode": inference_mode,
    "second_ops_wrong": second_ops_wrong,
    "second_loss_own": second_loss_own,
    "second_loss": second_loss,
    "bprop_count": bprop_count,
    "assigned": assigned,
    "assigned_after": assigned_after,
}
