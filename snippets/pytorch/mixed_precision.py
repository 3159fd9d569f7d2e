"""Half precision where it pays: autocast, exceptions to it, loss scaling, float32 weights."""

import torch
from torch import nn


# --8<-- [start:levels]
class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(2, 1, bias=False)
        self.norm = nn.LayerNorm(3)
        nn.init.constant_(self.dense.weight, 1 / 3)

    def forward(self, pair, triple):
        return self.dense(pair), self.norm(triple), torch.exp(triple)


pair, triple = torch.ones(1, 2), torch.tensor([[1.0, 2.0, 4.0]])
exact = [output.detach() for output in Branches()(pair, triple)]


def precisions(outputs):
    errors = [(o.float() - e).abs().max().item() for o, e in zip(outputs, exact, strict=True)]
    return ["float32" if error < 1e-6 else "float16" for error in errors]


levels = {"no autocast": precisions(Branches()(pair, triple))}
model = Branches()
with torch.autocast("cpu", dtype=torch.float16):
    levels["autocast"] = precisions(model(pair, triple))
levels["half()"] = precisions(Branches().half()(pair.half(), triple.half()))
for level, precision in levels.items():
    print(f"{level}: dense, norm, exp as precise as {precision}")
context_manager = hasattr(torch, "autocast")
print("parameters under autocast:", model.dense.weight.dtype, model.norm.weight.dtype)
# --8<-- [end:levels]


# --8<-- [start:exceptions]
class KeepDense(Branches):
    def forward(self, pair, triple):
        with torch.autocast("cpu", enabled=False):  # a region that stays in float32
            dense = self.dense(pair)
        return dense, self.norm(triple), torch.exp(triple)


model = KeepDense()
with torch.autocast("cpu", dtype=torch.float16):
    kept = precisions(model(pair, triple))
print("dense kept: dense, norm, exp as precise as", kept)
# --8<-- [end:exceptions]


# --8<-- [start:loss_scale]
def small_loss(weight):
    h = weight.half()
    return (h * 1e-4 * 1e-4).float().sum()


weight = torch.tensor([1.0], requires_grad=True)
(unscaled,) = torch.autograd.grad(small_loss(weight), weight)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
(scaled,) = torch.autograd.grad(scaler.scale(small_loss(weight)), weight)
scaled = scaled / scaler.get_scale()
print(f"without a scale {unscaled.item():.2e}, with {scaled.item():.2e}")
# --8<-- [end:loss_scale]


# --8<-- [start:overflow]
weight = nn.Parameter(torch.tensor([1.0]))
optimizer = torch.optim.SGD([weight], lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**16, growth_interval=2)

scales, weights = [], []
for _step in range(5):
    optimizer.zero_grad()
    loss = (weight.half() * 2).float().sum()
    scaler.scale(loss).backward()
    scaler.step(optimizer)  # unscales, and skips the update if a gradient is not finite
    scaler.update()
    scales.append(scaler.get_scale())
    weights.append(round(weight.item(), 4))
print("scales", scales)
print("weights", weights)
# --8<-- [end:overflow]


# --8<-- [start:master_weights]
def ten_small_steps(dtype):
    weight = nn.Parameter(torch.ones(1, dtype=dtype))
    optimizer = torch.optim.SGD([weight], lr=1e-4)
    for _step in range(10):
        weight.grad = torch.ones(1, dtype=dtype)
        optimizer.step()
    return weight.item()


half_weight = ten_small_steps(torch.float16)
full_weight = ten_small_steps(torch.float32)
print(f"float16 {half_weight:.4f}, float32 {full_weight:.4f}")
# --8<-- [end:master_weights]


agree = {
    "levels_mixed": levels["autocast"],
    "levels_half": levels["half()"],
    "levels_context_manager": context_manager,
    "exceptions_type_alone": kept[0],
    "exceptions_kept": kept,
    "loss_scale_without": unscaled,
    "loss_scale_with": scaled,
    "overflow_scales": scales,
    "overflow_weights": weights,
    "master_weights_float16": half_weight,
    "master_weights_float32": full_weight,
}
