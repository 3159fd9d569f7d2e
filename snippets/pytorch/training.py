"""Train the same linear regression in every common way, and see where the two frameworks part."""

import inspect
import warnings

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

# --8<-- [start:data]
rng = np.random.default_rng(0)
x_array = rng.uniform(-2, 2, size=(100, 1)).astype(np.float32)
noise = 0.1 * rng.standard_normal((100, 1))
y_array = (2 * x_array + 1 + noise).astype(np.float32)

x, y = torch.from_numpy(x_array), torch.from_numpy(y_array)
start = {"weight": [[0.5]], "bias": [0.0]}
print(x.shape, x.dtype)
print(f"first point: ({x[0].item():.3f}, {y[0].item():.3f})")
# --8<-- [end:data]


# --8<-- [start:model]
def make_model():
    model = nn.Linear(1, 1)
    model.load_state_dict({name: torch.tensor(value) for name, value in start.items()})
    return model


loss_fn = nn.MSELoss()
model = make_model()
for name, parameter in model.named_parameters():
    print(name, parameter.tolist())
first_loss = loss_fn(model(x), y)
print(f"loss before training: {first_loss.item():.4f}")
# --8<-- [end:model]

# --8<-- [start:handwritten]
model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

model.train()
losses = []
for _step in range(100):
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    optimizer.step()
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
model.eval()
with torch.inference_mode():
    predictions = model(torch.tensor([[0.0], [1.0], [3.0]]))
    errors = model(x) - y
    mse, mae = errors.square().mean().item(), errors.abs().mean().item()
print("training mode:", model.training)
print("predictions:", [round(value, 3) for value in predictions.flatten().tolist()])
print(f"mse {mse:.4f}, mae {mae:.4f}")
# --8<-- [end:evaluate]


# --8<-- [start:one_step]
def train_step(model, optimizer, x, y):  # PyTorch has no class for this: a function does it
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.detach()


model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
model.train()
for _step in range(100):
    loss = train_step(model, optimizer, x, y)

one_step = [model.weight.item(), model.bias.item()]
print(f"weight {one_step[0]:.4f}, bias {one_step[1]:.4f}, last loss {loss.item():.4f}")
# --8<-- [end:one_step]


# --8<-- [start:model_train]
def fit(model, loader, loss_fn, optimizer, epochs):  # PyTorch ships no such function
    model.train()
    losses = []
    for _epoch in range(epochs):
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = loss_fn(model(inputs), targets)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


loader = DataLoader(TensorDataset(x, y), batch_size=100)
model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
fit_losses = fit(model, loader, loss_fn, optimizer, epochs=100)

model_train = [model.weight.item(), model.bias.item()]
print(f"weight {model_train[0]:.4f}, bias {model_train[1]:.4f}, losses kept: {len(fit_losses)}")
trained_mode = model.training
print("training mode:", trained_mode)
# --8<-- [end:model_train]

# --8<-- [start:stop_early]
model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
model.train()
steps = 0
for _epoch in range(100):
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    optimizer.step()
    steps += 1
    if loss.item() < 1.0:
        break
print(f"stopped after {steps} steps, weight {model.weight.item():.4f}")
stopped_at = [steps, model.weight.item()]
# --8<-- [end:stop_early]

# --8<-- [start:reuse_dataset]
for run in ("first", "second"):
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    try:
        fit(model, loader, loss_fn, optimizer, epochs=1)
        reuse_dataset = "works"
    except RuntimeError as error:
        reuse_dataset = type(error).__name__
    print(f"{run} model on this loader:", reuse_dataset)
# --8<-- [end:reuse_dataset]

# --8<-- [start:compiled]
model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
# Captures the model as one graph and runs it. The default backend also writes C++ and compiles it.
compiled_model = torch.compile(model, backend="eager", fullgraph=True)
compiled_model.train()
for _step in range(100):
    optimizer.zero_grad()
    loss = loss_fn(compiled_model(x), y)
    loss.backward()
    optimizer.step()

compiled = [model.weight.item(), model.bias.item()]
print(f"weight {compiled[0]:.4f}, bias {compiled[1]:.4f}")
# --8<-- [end:compiled]

# --8<-- [start:weights]
ways = {"handwritten": handwritten, "one step": one_step, "fit": model_train, "compiled": compiled}
for name, (weight, bias) in ways.items():
    print(f"{name:12} weight {weight:.6f}  bias {bias:.6f}")
apart = np.ptp(list(ways.values()), axis=0).max()
print("all within 1e-6:", bool(apart < 1e-6))
# --8<-- [end:weights]

# --8<-- [start:repeated_backward]
model = make_model()
loss_fn(model(x), y).backward()
first = model.weight.grad.item()
loss_fn(model(x), y).backward()  # no zero_grad in between
second = model.weight.grad.item()
print(f"gradient of the weight: {first:.4f}, then {second:.4f}")
# --8<-- [end:repeated_backward]

# --8<-- [start:accumulate]
model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
optimizer.zero_grad()
for inputs, targets in zip(x.split(25), y.split(25), strict=True):
    loss = loss_fn(model(inputs), targets) / 4
    loss.backward()
optimizer.step()

accumulated = [model.weight.item(), model.bias.item()]
print(f"after four quarters: weight {accumulated[0]:.6f}, bias {accumulated[1]:.6f}")
# --8<-- [end:accumulate]

# --8<-- [start:fresh_mode]
model = nn.Sequential(nn.Linear(1, 1), nn.Dropout(p=0.5))
fresh_mode = model.training
dropped = model[1](torch.ones(1000)) == 0
print("training mode:", fresh_mode)
print("dropout drops:", bool(dropped.any()))
# --8<-- [end:fresh_mode]

# --8<-- [start:torch_like_optimizer]
model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loss_fn(model(x), y).backward()
optimizer.step()
after_optim = model.weight.item()
print(f"torch.optim.SGD: weight {after_optim:.4f}")
# --8<-- [end:torch_like_optimizer]

# --8<-- [start:float64]
model = make_model()
try:
    features = str(model(torch.from_numpy(x_array.astype(np.float64))).dtype)
except RuntimeError as error:
    features = type(error).__name__
loss = loss_fn(model(x), torch.from_numpy(y_array.astype(np.float64)))
loss.backward()
labels = str(loss.dtype)
print("float64 features:", features)
print("float64 labels: the loss is", labels)
gradient = str(model.weight.grad.dtype)
print("gradient:", gradient)
# --8<-- [end:float64]

# --8<-- [start:loss_value]
model = make_model()
loss = loss_fn(model(x), y)
try:
    loss_array = type(loss.numpy()).__name__
except RuntimeError as error:
    loss_array = type(error).__name__
print("as an array:", loss_array)
print("detached:", type(loss.detach().numpy()).__name__)
print("as a number:", type(loss.item()).__name__, round(loss.item(), 4))
# --8<-- [end:loss_value]

# --8<-- [start:forward_outside]
model = make_model()
prediction = model(x)
loss = loss_fn(prediction, y)
loss.backward()
outside = model.weight.grad.item()
print(f"gradient of the weight: {outside:.4f}")
# --8<-- [end:forward_outside]

# --8<-- [start:vector_loss]
model = make_model()
each = nn.MSELoss(reduction="none")
try:
    each(model(x), y).backward()
    vector_loss = f"{model.weight.grad.item():.2f}"
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
    torch.optim.SGD([*one.parameters(), *other.parameters()], lr=0.01)
    two_models = "works"
except ValueError as error:
    two_models = type(error).__name__
print("two models, one optimizer:", two_models)
both = nn.ModuleList([one, other])
print("in a parent:", [name for name, _parameter in both.named_parameters()])
# --8<-- [end:two_models]

# --8<-- [start:unused_parameters]
pair = nn.ModuleList([make_model(), make_model()])
optimizer = torch.optim.SGD(pair.parameters(), lr=0.1, weight_decay=0.1)
loss_fn(pair[0](x), y).backward()  # the second model has no part in the loss
optimizer.step()
print("unused gradient:", pair[1].weight.grad)
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
    "model_train_own_lines": own_lines(fit),
    "stop_early": stopped_at,
    "reuse_dataset": reuse_dataset,
    "compiled": compiled,
    "weights": list(ways.values()),
    "weights_apart": apart,
    "repeated_backward": [first, second],
    "accumulate": accumulated,
    "fresh_mode": fresh_mode,
    "torch_like_optimizer_mint": after_optim,
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
