"""Which second derivatives to trust, what inference mode forbids, and errors inside a gradient."""

import torch
import torch.nn.functional as F

# --8<-- [start:inference]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
with torch.no_grad():
    factor = x * 2
(inference_no_grad,) = torch.autograd.grad((x * factor).sum(), x)
print("no_grad:", inference_no_grad)

with torch.inference_mode():
    factor = x * 2
try:
    (found,) = torch.autograd.grad((x * factor).sum(), x)
    inference_mode = str(found.tolist())
except RuntimeError as error:
    inference_mode = type(error).__name__
    print(str(error).partition(".")[0])
print("inference_mode:", inference_mode)
# --8<-- [end:inference]

# --8<-- [start:second_ops]
x = torch.tensor([[0.1, 0.2, 0.5], [0.3, -0.4, 0.7]])
v = torch.tensor([[1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
matrix = torch.tensor([[0.5, -1.0], [0.2, 0.4], [1.0, 2.0]])
vector = torch.tensor([0.5, 0.2, 1.0])
verdicts = {}
for name, function in [
    ("x ** 3", lambda x: (x**3).sum()),
    ("tanh", lambda x: torch.tanh(x).sum()),
    ("slices", lambda x: (x[:, :1] * x[:, 1:2]).sum()),
    ("matmul(x, matrix)", lambda x: (torch.matmul(x, matrix) ** 2).sum()),
    ("sum keepdims", lambda x: (x.sum(1, keepdim=True) ** 2).sum()),
    ("mm(x, x.T)", lambda x: torch.mm(x, x.T).sum()),
    ("sum", lambda x: (x.sum(1) ** 2).sum()),
    ("mean", lambda x: (x.mean(1) ** 2).sum()),
    ("exp(sum)", lambda x: torch.exp(x.sum())),
    ("norm", lambda x: torch.linalg.vector_norm(x, dim=1).sum()),
    ("matmul(x, vector)", lambda x: (torch.matmul(x, vector) ** 2).sum()),
    ("matmul(x, x.T)", lambda x: torch.matmul(x, x.T).sum()),
    ("cat", lambda x: (torch.cat([x, x]) ** 2).sum()),
]:
    slope = torch.func.grad(function)
    found = torch.func.grad(lambda x, slope=slope: (slope(x) * v).sum())(x)
    expected = (slope(x + 0.01 * v) - slope(x - 0.01 * v)) / 0.02  # a difference quotient
    verdicts[name] = torch.allclose(found, expected, rtol=0.02, atol=0.02)
    print(f"{name:18}", "right" if verdicts[name] else "wrong")
second_ops_wrong = ", ".join(name for name in verdicts if not verdicts[name]) or "none"
# --8<-- [end:second_ops]


# --8<-- [start:second_ops_compiled]
def all_together(x):
    reduced = (x.sum(1) ** 2).sum() + (x.mean(1) ** 2).sum()
    reduced = reduced + torch.linalg.vector_norm(x, dim=1).sum()
    products = ((x @ vector) ** 2).sum() + (x @ x.T).sum()
    return reduced + products + torch.exp(x.sum()) + (torch.cat([x, x]) ** 2).sum()


def slope_along(x):
    return (torch.func.grad(all_together)(x) * v).sum()


found = torch.func.grad(slope_along)(x)[0]
second_ops_eager = [round(value, 4) for value in found.tolist()]
second_ops_compiled = found
print("eager:", found)
# --8<-- [end:second_ops_compiled]

# --8<-- [start:second_loss]
logits = torch.tensor([[0.1, 0.2, 0.5]])
direction = torch.tensor([[1.0, 0.0, 1.0]])
label = torch.tensor([2])


def library_loss(logits):
    return F.cross_entropy(logits, label)


def own_loss(logits):
    exps = torch.exp(logits)
    return -torch.log(exps[:, 2:] / exps.sum(1, keepdim=True)).sum()


def along(loss_fn, logits):
    return (torch.func.grad(loss_fn)(logits) * direction).sum()


second_loss_own = torch.func.grad(lambda logits: along(own_loss, logits))(logits)
print("own loss:", second_loss_own)


def along_library(logits):
    return along(library_loss, logits)


second_loss = []
second = torch.func.grad(along_library)
for function in [second, torch.compile(second, backend="eager")]:
    print(function(logits))
    second_loss.append("works")
print("cross_entropy:", second_loss)
# --8<-- [end:second_loss]


# --8<-- [start:bprop_count]
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        _x, y = ctx.saved_tensors
        return grad_output * y  # one gradient for two inputs


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor([3.0, 4.0], requires_grad=True)
try:
    Product.apply(x, y).sum().backward()
    bprop_count = "works"
except RuntimeError as error:
    bprop_count = type(error).__name__
    print(error)
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
