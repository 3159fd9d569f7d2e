"""Half precision where it pays: amp levels, exceptions to them, loss scaling, float32 weights."""

from pathlib import Path

import mindspore
from mindspore import Tensor, amp, nn, ops
from mindspore.common.initializer import Constant

# --8<-- [start:levels]
mindspore.runtime.launch_blocking()  # first of all: quicker for small models on CPU


class Branches(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 1, weight_init=Constant(1 / 3), has_bias=False)
        self.norm = nn.LayerNorm((3,), epsilon=1e-5)

    def construct(self, pair, triple):
        return self.dense(pair), self.norm(triple), ops.exp(triple)


pair, triple = ops.ones((1, 2)), Tensor([[1.0, 2.0, 4.0]])
exact = Branches()(pair, triple)


def precisions(outputs):
    errors = [(o.float() - e).abs().max().item() for o, e in zip(outputs, exact, strict=True)]
    return ["float32" if error < 1e-6 else "float16" for error in errors]


levels, parameters = {}, set()
for level in ("O0", "O1", "auto", "O2", "O3"):
    model = amp.auto_mixed_precision(Branches(), level)
    levels[level] = precisions(model(pair, triple))
    parameters |= {str(parameter.dtype) for parameter in model.get_parameters()}
levels["to()"] = precisions(Branches().to(mindspore.float16)(pair.half(), triple.half()))
for level, precision in levels.items():
    print(f"{level}: dense, norm, exp as precise as {precision}")
context_manager = hasattr(amp, "autocast")
print("parameters at every level:", *parameters)
print("rewritten_network:", Path("rewritten_network").is_dir())  # the folder comes from O1
# --8<-- [end:levels]


# --8<-- [start:exceptions]
def with_white_list(white_list):
    model = amp.custom_mixed_precision(Branches(), white_list=white_list)
    return precisions(model(pair, triple))


kept = with_white_list([nn.Conv2d])  # only convolutions in half precision
print("only nn.Conv2d: dense, norm, exp as precise as", kept)
operators = [layer for layer in amp.get_white_list() if layer is not nn.Dense]
removed = with_white_list(operators)  # nn.Dense is off the list, its MatMul is not
print("all but nn.Dense:", removed)
print("left out by O2:", *(layer.__name__ for layer in amp.get_black_list()))
# --8<-- [end:exceptions]


# --8<-- [start:loss_scale]
def small_loss(weight):
    h = weight.half()
    return (h * 1e-4 * 1e-4).float().sum()


weight = Tensor([1.0])
unscaled = mindspore.grad(small_loss)(weight)
scaler = amp.DynamicLossScaler(scale_value=1024.0, scale_factor=2, scale_window=2000)
scaled = mindspore.grad(lambda weight: scaler.scale(small_loss(weight)))(weight)
scaled = scaler.unscale(scaled)
print(f"without a scale {unscaled.item():.2e}, with {scaled.item():.2e}")
# --8<-- [end:loss_scale]


# --8<-- [start:overflow]
weight = mindspore.Parameter(Tensor([1.0]))
optimizer = nn.SGD([weight], learning_rate=0.1)
scaler = amp.DynamicLossScaler(scale_value=2.0**16, scale_factor=2, scale_window=2)


def forward():
    return scaler.scale((weight.half() * 2).float().sum())


grad_fn = mindspore.value_and_grad(forward, None, optimizer.parameters)
scales, weights = [], []
for _step in range(5):
    loss, grads = grad_fn()
    grads = scaler.unscale(grads)
    finite = amp.all_finite(grads)
    if finite:  # yours to check: the optimizer would write inf into the weights
        optimizer(grads)
    scaler.adjust(finite)
    scales.append(scaler.scale_value.item())
    weights.append(round(weight.item(), 4))
print("scales", scales)
print("weights", weights)
# --8<-- [end:overflow]


# --8<-- [start:master_weights]
def ten_small_steps(dtype):
    weight = mindspore.Parameter(ops.ones((1,), dtype))
    optimizer = nn.SGD([weight], learning_rate=1e-4)
    for _step in range(10):
        optimizer((ops.ones((1,), dtype),))
    return weight.item()


half_weight = ten_small_steps(mindspore.float16)
full_weight = ten_small_steps(mindspore.float32)
print(f"float16 {half_weight:.4f}, float32 {full_weight:.4f}")
# --8<-- [end:master_weights]


agree = {
    "levels_mixed": levels["O1"],
    "levels_half": levels["to()"],
    "levels_context_manager": context_manager,
    "exceptions_type_alone": removed[0],
    "exceptions_kept": kept,
    "loss_scale_without": unscaled,
    "loss_scale_with": scaled,
    "overflow_scales": scales,
    "overflow_weights": weights,
    "master_weights_float16": half_weight,
    "master_weights_float32": full_weight,
}
