"""What a real training loop adds: batches, evaluation, callbacks, accumulation, clipping, schedules, early stopping."""

import copy
import math

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

# --8<-- [start:problem]
rng = np.random.default_rng(0)
labels = rng.integers(0, 3, size=80)
centres = np.array([[0.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
points = centres[labels] + 0.9 * rng.standard_normal((80, 2))

x, y = torch.tensor(points, dtype=torch.float32), torch.tensor(labels)
x_train, y_train = x[:64], y[:64]
x_valid, y_valid = x[64:], y[64:]
print(x_train.shape, y_train.dtype, torch.bincount(y_train).tolist())
# --8<-- [end:problem]


# --8<-- [start:classifier]
weights = np.random.default_rng(1).normal(0, 0.3, size=(2 * 16 + 16 * 3,))


def make_model():
    model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 3))
    first, last = model[0], model[2]
    with torch.no_grad():
        first.weight.copy_(torch.tensor(weights[:32]).reshape(16, 2))
        last.weight.copy_(torch.tensor(weights[32:]).reshape(3, 16))
        first.bias.zero_()
        last.bias.zero_()
    return model


loss_fn = nn.CrossEntropyLoss()
classifier_loss = loss_fn(make_model()(x_train), y_train).item()
print(f"loss before training: {classifier_loss:.4f}")
# --8<-- [end:classifier]


# --8<-- [start:epochs]
def make_loader(x, y, batch_size=16):
    return DataLoader(TensorDataset(x, y), batch_size=batch_size, shuffle=False)


def evaluate(model, x, y):
    model.eval()
    with torch.inference_mode():
        logits = model(x)
        accuracy = (logits.argmax(dim=1) == y).float().mean()
        return loss_fn(logits, y).item(), accuracy.item()


model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
epochs = []
for epoch in range(3):
    model.train()
    for xb, yb in make_loader(x_train, y_train):
        optimizer.zero_grad()
        loss_fn(model(xb), yb).backward()
        optimizer.step()
    valid_loss, accuracy = evaluate(model, x_valid, y_valid)
    epochs.append([valid_loss, accuracy])
    print(f"epoch {epoch}: validation loss {valid_loss:.4f}, accuracy {accuracy:.3f}")
# --8<-- [end:epochs]


# --8<-- [start:fit]
def fit(model, optimizer, epochs, loader, x_valid, y_valid):
    history = []
    for _epoch in range(epochs):
        model.train()
        for xb, yb in loader:
            optimizer.zero_grad()
            loss_fn(model(xb), yb).backward()
            optimizer.step()
        history.append(list(evaluate(model, x_valid, y_valid)))
    return history


model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
history = fit(model, optimizer, 3, make_loader(x_train, y_train), x_valid, y_valid)
fit_last = history[-1]
print(f"last epoch: validation loss {fit_last[0]:.4f}, accuracy {fit_last[1]:.3f}")
# --8<-- [end:fit]


# --8<-- [start:events]
class Tracer:
    def __init__(self):
        self.events = []

    def __getattr__(self, event):
        return lambda: self.events.append(event)


def train(model, optimizer, epochs, loader, callback):
    callback.train_begin()
    for _epoch in range(epochs):
        callback.epoch_begin()
        for xb, yb in loader:
            callback.step_begin()
            optimizer.zero_grad()
            loss_fn(model(xb), yb).backward()
            optimizer.step()
            callback.step_end()
        callback.epoch_end()
    callback.train_end()


tracer = Tracer()
model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 1, make_loader(x_train, y_train, batch_size=32), tracer)
events = tracer.events
print(*events, sep="\n")
# --8<-- [end:events]


# --8<-- [start:early_stopping]
model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
best, best_state, patience, waited, epoch = math.inf, None, 3, 0, 0
while epoch < 30:
    epoch += 1
    model.train()
    for xb, yb in make_loader(x_train, y_train):
        optimizer.zero_grad()
        loss_fn(model(xb), yb).backward()
        optimizer.step()
    valid_loss, _ = evaluate(model, x_valid, y_valid)
    if valid_loss < best:
        best, best_state, waited = valid_loss, copy.deepcopy(model.state_dict()), 0
    else:
        waited += 1
        if waited == patience:
            break

model.load_state_dict(best_state)
early_stopping_epochs = epoch
early_stopping_loss = evaluate(model, x_valid, y_valid)[0]
print(f"stopped after {early_stopping_epochs} epochs")
print(f"validation loss of the best epoch: {early_stopping_loss:.4f}")
# --8<-- [end:early_stopping]


# --8<-- [start:accumulation]
model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
micro_batches = 4
for _epoch in range(2):
    optimizer.zero_grad()
    for xb, yb in make_loader(x_train, y_train):
        loss = loss_fn(model(xb), yb) / micro_batches
        loss.backward()  # adds to what is in .grad
    optimizer.step()
accumulated = evaluate(model, x_train, y_train)[0]

model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _epoch in range(2):
    optimizer.zero_grad()
    loss_fn(model(x_train), y_train).backward()
    optimizer.step()
full_batch = evaluate(model, x_train, y_train)[0]

accumulation = [accumulated, full_batch]
print(f"four micro batches {accumulated:.6f}, one full batch {full_batch:.6f}")
# --8<-- [end:accumulation]


# --8<-- [start:clipping]
model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
norms = []
for xb, yb in make_loader(x_train, y_train):
    optimizer.zero_grad()
    loss_fn(model(xb), yb).backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.2)
    norms.append(norm.item())
    optimizer.step()

clipping_loss = evaluate(model, x_train, y_train)[0]
print("norms before clipping:", [round(norm, 3) for norm in norms])
print(f"loss {clipping_loss:.4f}")
# --8<-- [end:clipping]


# --8<-- [start:schedule]
def rate(step, warmup=4, total=12):
    if step < warmup:
        return (step + 1) / warmup
    return 0.5 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
rates = []
for _epoch in range(3):
    for xb, yb in make_loader(x_train, y_train):
        optimizer.zero_grad()
        loss_fn(model(xb), yb).backward()
        rates.append(scheduler.get_last_lr()[0])
        optimizer.step()
        scheduler.step()  # after every batch: the schedule counts steps

schedule_loss = evaluate(model, x_train, y_train)[0]
print("learning rates:", [round(value, 3) for value in rates[:6]], "…")
print(f"loss {schedule_loss:.4f}")
# --8<-- [end:schedule]


# --8<-- [start:custom_step]
def clipped_step(model, optimizer, xb, yb, max_norm=0.2):
    optimizer.zero_grad()
    loss = loss_fn(model(xb), yb)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss


model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
model.train()
for xb, yb in make_loader(x_train, y_train):
    loss = clipped_step(model, optimizer, xb, yb)

custom_step = loss.item()
print(f"last loss {custom_step:.4f}")
# --8<-- [end:custom_step]


# --8<-- [start:uneven_batches]
model = make_model()
model.eval()
batch_losses, batch_sizes = [], []
with torch.inference_mode():
    for xb, yb in make_loader(x_train[:20], y_train[:20]):  # batches of 16 and 4
        batch_losses.append(loss_fn(model(xb), yb).item())
        batch_sizes.append(len(xb))
    over_all = loss_fn(model(x_train[:20]), y_train[:20]).item()

uneven_batches_mean = np.mean(batch_losses)
uneven_batches_weighted = np.average(batch_losses, weights=batch_sizes)
print(f"loss over all 20 points:     {over_all:.4f}")
print(f"mean of the batch means:     {uneven_batches_mean:.4f}")
print(f"weighted by the batch sizes: {uneven_batches_weighted:.4f}")
# --8<-- [end:uneven_batches]


# --8<-- [start:own_metric]
model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
fit(model, optimizer, 3, make_loader(x_train, y_train), x_valid, y_valid)
with torch.inference_mode():
    predicted = model(x_valid).argmax(dim=1)

own_metric = [((predicted == k) & (y_valid == k)).sum().item() / (y_valid == k).sum().item() for k in range(3)]
print("recall of each class:", [round(value, 3) for value in own_metric])
# --8<-- [end:own_metric]


# --8<-- [start:whole_step]
model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
compiled = torch.compile(model, backend="eager")  # captures the graph; the default also optimises it
for _epoch in range(2):
    for xb, yb in make_loader(x_train, y_train):
        optimizer.zero_grad()
        loss_fn(compiled(xb), yb).backward()
        optimizer.step()

whole_step = evaluate(model, x_train, y_train)[0]
print(f"loss {whole_step:.4f}")
# --8<-- [end:whole_step]


# --8<-- [start:lambda_in_step]
loss_of_lambda = torch.func.grad_and_value(lambda x, y: loss_fn(compiled(x), y))


@torch.compile(backend="eager")
def lambda_step(x, y):
    return loss_of_lambda(x, y)[1]


lambda_in_step = "works" if lambda_step(x_train, y_train).item() else ""
print(lambda_in_step)
# --8<-- [end:lambda_in_step]

agree = {
    "lambda_in_step": lambda_in_step,
    "problem": x.numpy(),
    "classifier_loss": classifier_loss,
    "epochs": epochs,
    "fit_last": fit_last,
    "events": events,
    "accumulation": accumulation,
    "clipping_norms": norms,
    "clipping_loss": clipping_loss,
    "schedule_rates": rates,
    "schedule_loss": schedule_loss,
    "early_stopping_epochs": early_stopping_epochs,
    "early_stopping_loss": early_stopping_loss,
    "custom_step": custom_step,
    "uneven_batches_true": over_all,
    "uneven_batches_mean": uneven_batches_mean,
    "uneven_batches_weighted": uneven_batches_weighted,
    "own_metric": own_metric,
    "whole_step": whole_step,
}
