"""Train the same linear regression in every common way, and see where the two frameworks part."""

import inspect
import warnings

import mindspore
import numpy as np
from mindspore import Tensor, mint, nn, ops
from mindspore.dataset import NumpySlicesDataset
from mindspore.experimental import optim
from mindspore.train import Callback, Model

# --8<-- [start:data]
mindspore.runtime.launch_blocking()  # before the first operator: quicker for small models on CPU
rng = np.random.default_rng(0)
x_array = rng.uniform(-2, 2, size=(100, 1)).astype(np.float32)
noise = 0.1 * rng.standard_normal((100, 1))
y_array = (2 * x_array + 1 + noise).astype(np.float32)

x, y = Tensor(x_array), Tensor(y_array)
start = {"weight": [[0.5]], "bias": [0.0]}
print(x.shape, x.dtype)
print(f"first point: ({x[0].item():.3f}, {y[0].item():.3f})")
# --8<-- [end:data]


# --8<-- [start:model]
def make_model():
    model = nn.Dense(1, 1)
    for parameter in model.trainable_params():
        parameter.set_data(Tensor(start[parameter.name]))
    return model


loss_fn = nn.MSELoss()
model = make_model()
for parameter in model.trainable_params():
    print(parameter.name, parameter.tolist())
first_loss = loss_fn(model(x), y)
print(f"loss before training: {first_loss.item():.4f}")
# --8<-- [end:model]

# --8<-- [start:handwritten]
model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.01)


def forward(x, y):
    return loss_fn(model(x), y)


grad_fn = mindspore.value_and_grad(forward, None, optimizer.parameters)
model.set_train()
losses = []
for _step in range(100):
    loss, grads = grad_fn(x, y)
    optimizer(grads)
    losses.append(loss.item())

handwritten = [model.weight.item(), model.bias.item()]
print(f"weight {handwritten[0]:.4f}, bias {handwritten[1]:.4f}")
# --8<-- [end:handwritten]

# --8<-- [start:loss_curve]
loss_curve = losses[::10]
for step, value in zip(range(0, 100, 10), loss_curve, strict=True):
    print(f"step {step:2d}: loss {value:.4f}")
# --8<-- [end:loss_curve]

# --8<-- [start:evaluate]
model.set_train(False)
predictions = model(Tensor([[0.0], [1.0], [3.0]]))
dataset = NumpySlicesDataset({"x": x_array, "y": y_array}, shuffle=False).batch(100)
metrics = Model(model, loss_fn, metrics={"mse", "mae"}).eval(dataset)
mse, mae = metrics["mse"], metrics["mae"]
print("training mode:", model.training)
print("predictions:", [round(value, 3) for value in predictions.flatten().tolist()])
print(f"mse {mse:.4f}, mae {mae:.4f}")
# --8<-- [end:evaluate]

# --8<-- [start:one_step]
model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.01)
train_step = nn.TrainOneStepCell(nn.WithLossCell(model, loss_fn), optimizer)
train_step.set_train()
for _step in range(100):
    loss = train_step(x, y)

one_step = [model.weight.item(), model.bias.item()]
print(f"weight {one_step[0]:.4f}, bias {one_step[1]:.4f}, last loss {loss.item():.4f}")
# --8<-- [end:one_step]


# --8<-- [start:model_train]
def make_dataset():
    return NumpySlicesDataset({"x": x_array, "y": y_array}, shuffle=False).batch(100)


class KeepLosses(Callback):
    def __init__(self):
        self.losses = []

    def on_train_step_end(self, run_context):
        self.losses.append(run_context.original_args().net_outputs.item())


model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.01)
keeper = KeepLosses()
Model(model, loss_fn, optimizer).train(100, make_dataset(), callbacks=[keeper])
fit_losses = keeper.losses

model_train = [model.weight.item(), model.bias.item()]
print(f"weight {model_train[0]:.4f}, bias {model_train[1]:.4f}, losses kept: {len(fit_losses)}")
trained_mode = model.training
print("training mode:", trained_mode)
# --8<-- [end:model_train]


# --8<-- [start:stop_early]
class StopBelow(Callback):
    def __init__(self, limit):
        self.limit = limit
        self.steps = 0

    def on_train_step_end(self, run_context):
        self.steps += 1
        if run_context.original_args().net_outputs.item() < self.limit:
            run_context.request_stop()


model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.01)
stopper = StopBelow(1.0)
Model(model, loss_fn, optimizer).train(100, make_dataset(), callbacks=[stopper])
print(f"stopped after {stopper.steps} steps, weight {model.weight.item():.4f}")
stopped_at = [stopper.steps, model.weight.item()]
# --8<-- [end:stop_early]

# --8<-- [start:reuse_dataset]
dataset = make_dataset()
for run in ("first", "second"):
    model = make_model()
    optimizer = nn.SGD(model.trainable_params(), learning_rate=0.01)
    try:
        Model(model, loss_fn, optimizer).train(1, dataset)
        reuse_dataset = "works"
    except RuntimeError as error:
        reuse_dataset = type(error).__name__
    print(f"{run} model on this data set:", reuse_dataset)
# --8<-- [end:reuse_dataset]

# --8<-- [start:compiled]
model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.01)


def forward(x, y):
    return loss_fn(model(x), y)


grad_fn = mindspore.value_and_grad(forward, None, optimizer.parameters)


@mindspore.jit
def compiled_step(x, y):
    loss, grads = grad_fn(x, y)
    optimizer(grads)
    return loss


model.set_train()
for _step in range(100):
    loss = compiled_step(x, y)

compiled = [model.weight.item(), model.bias.item()]
print(f"weight {compiled[0]:.4f}, bias {compiled[1]:.4f}")
# --8<-- [end:compiled]

# --8<-- [start:weights]
ways = {"handwritten": handwritten, "one step": one_step, "Model.train": model_train, "compiled": compiled}
for name, (weight, bias) in ways.items():
    print(f"{name:12} weight {weight:.6f}  bias {bias:.6f}")
apart = np.ptp(list(ways.values()), axis=0).max()
print("all within 1e-6:", bool(apart < 1e-6))
# --8<-- [end:weights]

# --8<-- [start:repeated_backward]
model = make_model()
grad_fn = mindspore.value_and_grad(lambda x, y: loss_fn(model(x), y), None, model.trainable_params())
_loss, grads = grad_fn(x, y)
first = grads[0].item()
_loss, grads = grad_fn(x, y)
second = grads[0].item()
print(f"gradient of the weight: {first:.4f}, then {second:.4f}")
# --8<-- [end:repeated_backward]

# --8<-- [start:accumulate]
model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.01)
grad_fn = mindspore.value_and_grad(lambda x, y: loss_fn(model(x), y), None, optimizer.parameters)
total = [ops.zeros_like(parameter) for parameter in optimizer.parameters]
for inputs, targets in zip(x.split(25), y.split(25), strict=True):
    _loss, grads = grad_fn(inputs, targets)
    total = [so_far + grad / 4 for so_far, grad in zip(total, grads, strict=True)]
optimizer(tuple(total))

accumulated = [model.weight.item(), model.bias.item()]
print(f"after four quarters: weight {accumulated[0]:.6f}, bias {accumulated[1]:.6f}")
# --8<-- [end:accumulate]

# --8<-- [start:fresh_mode]
model = nn.SequentialCell(nn.Dense(1, 1), nn.Dropout(p=0.5))
fresh_mode = model.training
dropped = model[1](ops.ones((1000,))) == 0
print("training mode:", fresh_mode)
print("dropout drops:", bool(dropped.any()))
# --8<-- [end:fresh_mode]

# --8<-- [start:torch_like_optimizer]
model = make_model()
grad_fn = mindspore.value_and_grad(lambda x, y: loss_fn(model(x), y), None, model.trainable_params())
_loss, grads = grad_fn(x, y)
mint.optim.SGD(model.trainable_params(), lr=0.01)(grads)
after_mint = model.weight.item()
optim.SGD(model.trainable_params(), lr=0.01)(grads)
after_optim = model.weight.item()
print(f"mint.optim.SGD: weight {after_mint:.4f}")
print(f"experimental.optim.SGD: weight {after_optim:.4f}")
# --8<-- [end:torch_like_optimizer]

# --8<-- [start:float64]
model = make_model()
try:
    features = str(model(Tensor(x_array.astype(np.float64))).dtype)
except TypeError as error:
    features = type(error).__name__
grad_fn = mindspore.value_and_grad(lambda x, y: loss_fn(model(x), y), None, model.trainable_params())
loss, grads = grad_fn(x, Tensor(y_array.astype(np.float64)))
labels = str(loss.dtype)
print("float64 features:", features)
print("float64 labels: the loss is", labels)
gradient = str(grads[0].dtype)
print("gradient:", gradient)
# --8<-- [end:float64]

# --8<-- [start:loss_value]
model = make_model()
grad_fn = mindspore.value_and_grad(lambda x, y: loss_fn(model(x), y), None, model.trainable_params())
loss, _grads = grad_fn(x, y)
loss_array = type(loss.asnumpy()).__name__
print("as an array:", loss_array)
print("as a number:", type(loss.item()).__name__, round(loss.item(), 4))
# --8<-- [end:loss_value]

# --8<-- [start:forward_outside]
model = make_model()
prediction = model(x)
grad_fn = mindspore.value_and_grad(lambda: loss_fn(prediction, y), None, model.trainable_params())
loss, grads = grad_fn()
outside = grads[0].item()
print(f"gradient of the weight: {outside:.4f}")
# --8<-- [end:forward_outside]

# --8<-- [start:vector_loss]
model = make_model()
each = nn.MSELoss(reduction="none")
grad_fn = mindspore.value_and_grad(lambda x, y: each(model(x), y), None, model.trainable_params())
try:
    _loss, grads = grad_fn(x, y)
    vector_loss = f"{grads[0].item():.2f}"
except RuntimeError as error:
    vector_loss = type(error).__name__
print("gradient of a loss per point:", vector_loss)
# --8<-- [end:vector_loss]

# --8<-- [start:label_shape]
model = make_model()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    flat_loss = loss_fn(model(x), y.reshape(100)).item()
label_warning = caught[0].category.__name__ if caught else "none"
print(f"labels of shape (100, 1): {loss_fn(model(x), y).item():.4f}")
print(f"labels of shape (100,): {flat_loss:.4f}, warning: {label_warning}")
# --8<-- [end:label_shape]

# --8<-- [start:two_models]
one, other = make_model(), make_model()
try:
    nn.SGD([*one.trainable_params(), *other.trainable_params()], learning_rate=0.01)
    two_models = "works"
except ValueError as error:
    two_models = type(error).__name__
print("two models, one optimizer:", two_models)
both = nn.CellList([one, other])
print("in a parent:", [parameter.name for parameter in both.trainable_params()])
# --8<-- [end:two_models]

# --8<-- [start:unused_parameters]
pair = nn.CellList([make_model(), make_model()])
optimizer = nn.SGD(pair.trainable_params(), learning_rate=0.1, weight_decay=0.1)
grad_fn = mindspore.value_and_grad(lambda x, y: loss_fn(pair[0](x), y), None, optimizer.parameters)
_loss, grads = grad_fn(x, y)  # the second model has no part in the loss
optimizer(grads)
print("unused gradient:", grads[2])
print(f"unused weight after the step: {pair[1].weight.item():.4f}")
# --8<-- [end:unused_parameters]


def dtype_name(name):
    return name.rpartition(".")[2].lower()


def own_lines(thing):
    return len([line for line in inspect.getsource(thing).splitlines() if line.strip()])


agree = {
    "data_x": x,
    "data_y": y,
    "model_weight": make_model().weight,
    "model_loss": first_loss,
    "handwritten": handwritten,
    "losses": losses,
    "loss_curve": loss_curve,
    "evaluate_predictions": predictions,
    "evaluate_metrics": [mse, mae],
    "one_step": one_step,
    "model_train": model_train,
    "model_train_losses": fit_losses,
    "model_train_mode": trained_mode,
    "model_train_own_lines": own_lines(KeepLosses),
    "stop_early": stopped_at,
    "reuse_dataset": reuse_dataset,
    "compiled": compiled,
    "weights": list(ways.values()),
    "weights_apart": apart,
    "repeated_backward": [first, second],
    "accumulate": accumulated,
    "fresh_mode": fresh_mode,
    "torch_like_optimizer_mint": after_mint,
    "torch_like_optimizer_experimental": after_optim,
    "float64_features": features,
    "float64_labels": dtype_name(labels),
    "float64_gradient": dtype_name(gradient),
    "loss_value_array": loss_array,
    "loss_value_item": first_loss.item(),
    "forward_outside": outside,
    "vector_loss": vector_loss,
    "label_shape_loss": flat_loss,
    "label_shape_warning": label_warning,
    "two_models": two_models,
    "unused_parameters": pair[1].weight.item(),
}
