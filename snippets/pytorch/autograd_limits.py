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
verdicts = {True: [], False: []}
for name, function in [
    ("x ** 3", lambda x: (x**3).sum()),
    ("tanh", lambda x: torch.tanh(x).sum()),
    ("slices", lambda x: (x[:, :1] * x[:, 1:2]).sum()),
    ("x @ matrix", lambda x: ((x @ matrix) ** 2).sum()),
    ("sum keepdims", lambda x: (x.sum(1, keepdim=True) ** 2).sum()),
    ("sum", lambda x: (x.sum(1) ** 2).sum()),
    ("mean", lambda x: (x.mean(1) ** 2).sum()),
    ("norm", lambda x: torch.linalg.vector_norm(x, dim=1).sum()),
    ("cat", lambda x: (torch.cat([x, x]) ** 2).sum()),
    ("x @ x.T", lambda x: (x @ x.T).sum()),
]:
    slope = torch.func.grad(function)
    found = torch.func.grad(lambda x, slope=slope: (slope(x) * v).sum())(x)
    expected = (slope(x + 0.01 * v) - slope(x - 0.01 * v)) / 0.02  # a difference quotient
    verdicts[torch.allclose(found, expected, rtol=0.02, atol=0.02)].append(name)
second_ops_right = ", ".join(verdicts[True])
second_ops_wrong = ", ".join(verdicts[False]) or "none"
print("right:", second_ops_right)
print("wrong:", second_ops_wrong)
# --8<-- [end:second_ops]

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
print("own loss:     ", second_loss_own)
print("cross_entropy:", torch.func.grad(lambda logits: along(library_loss, logits))(logits))
second_loss = "works"
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

# --8<-- [start:assigned]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
try:
    x[0] = 5.0
    (x**2).sum().backward()
    assigned = "works"
except RuntimeError as error:
    assigned = type(error).__name__
    print(str(error)[:68])
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
