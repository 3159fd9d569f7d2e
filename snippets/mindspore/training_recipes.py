"""What a real training loop adds: batches, evaluation, callbacks, accumulation, clipping, schedules, early stopping."""

import math

import mindspore
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.dataset import NumpySlicesDataset
from mindspore.train import Callback, EarlyStopping, History, Model, Recall

# --8<-- [start:problem]
mindspore.runtime.launch_blocking()  # before the first operator: quicker for small models on CPU
rng = np.random.default_rng(0)
labels = rng.integers(0, 3, size=80)
centres = np.array([[0.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
points = centres[labels] + 0.9 * rng.standard_normal((80, 2))

x, y = Tensor(points, mindspore.float32), Tensor(labels, mindspore.int32)
x_train, y_train = x[:64], y[:64]
x_valid, y_valid = x[64:], y[64:]
print(x_train.shape, y_train.dtype, ops.bincount(y_train).astype(mindspore.int32).tolist())
# --8<-- [end:problem]


# --8<-- [start:classifier]
weights = np.random.default_rng(1).normal(0, 0.3, size=(2 * 16 + 16 * 3,))


def make_model():
    model = nn.SequentialCell(nn.Dense(2, 16), nn.ReLU(), nn.Dense(16, 3))
    first, last = model[0], model[2]
    first.weight.set_data(Tensor(weights[:32].reshape(16, 2), mindspore.float32))
    last.weight.set_data(Tensor(weights[32:].reshape(3, 16), mindspore.float32))
    first.bias.set_data(ops.zeros_like(first.bias))
    last.bias.set_data(ops.zeros_like(last.bias))
    return model


loss_fn = nn.CrossEntropyLoss()
classifier_loss = loss_fn(make_model()(x_train), y_train).item()
print(f"loss before training: {classifier_loss:.4f}")
# --8<-- [end:classifier]


# --8<-- [start:epochs]
def make_loader(x, y, batch_size=16):
    columns = {"x": x.asnumpy(), "y": y.asnumpy()}
    return NumpySlicesDataset(columns, shuffle=False).batch(batch_size)


def evaluate(model, x, y):
    model.set_train(False)
    logits = model(x)
    accuracy = (logits.argmax(axis=1) == y).astype(mindspore.float32).mean()
    return loss_fn(logits, y).item(), accuracy.item()


def make_grad_fn(model, optimizer):
    def forward(x, y):
        return loss_fn(model(x), y)

    return mindspore.value_and_grad(forward, None, optimizer.parameters)


model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1, momentum=0.9)
grad_fn = make_grad_fn(model, optimizer)
epochs = []
for epoch in range(3):
    model.set_train()
    for xb, yb in make_loader(x_train, y_train):
        loss, grads = grad_fn(xb, yb)
        optimizer(grads)
    valid_loss, accuracy = evaluate(model, x_valid, y_valid)
    epochs.append([valid_loss, accuracy])
    print(f"epoch {epoch}: validation loss {valid_loss:.4f}, accuracy {accuracy:.3f}")
# --8<-- [end:epochs]


# --8<-- [start:fit]
model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1, momentum=0.9)
trainer = Model(model, loss_fn, optimizer, metrics={"loss", "accuracy"})
recorder = History()  # ships with MindSpore
trainer.fit(3, make_loader(x_train, y_train), make_loader(x_valid, y_valid), callbacks=recorder)
fit_last = [recorder.history["loss"][-1], recorder.history["accuracy"][-1]]
print(f"last epoch: validation loss {fit_last[0]:.4f}, accuracy {fit_last[1]:.3f}")
# --8<-- [end:fit]


# --8<-- [start:events]
class Tracer(Callback):
    def __init__(self):
        self.events = []

    def on_train_begin(self, run_context):
        self.events.append("train_begin")

    def on_train_epoch_begin(self, run_context):
        self.events.append("epoch_begin")

    def on_train_step_begin(self, run_context):
        self.events.append("step_begin")

    def on_train_step_end(self, run_context):
        self.events.append("step_end")

    def on_train_epoch_end(self, run_context):
        self.events.append("epoch_end")

    def on_train_end(self, run_context):
        self.events.append("train_end")


tracer = Tracer()
model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1)
loader = make_loader(x_train, y_train, batch_size=32)
Model(model, loss_fn, optimizer).train(1, loader, callbacks=tracer)
events = tracer.events
print(*events, sep="\n")
# --8<-- [end:events]


# --8<-- [start:early_stopping]
model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.3, momentum=0.9)
trainer = Model(model, loss_fn, optimizer, metrics={"loss"})
stopper = EarlyStopping(monitor="eval_loss", patience=3, restore_best_weights=True)
trainer.fit(30, make_loader(x_train, y_train), make_loader(x_valid, y_valid), callbacks=stopper)

early_stopping_epochs = stopper.stopped_epoch
early_stopping_loss = evaluate(model, x_valid, y_valid)[0]
print(f"stopped after {early_stopping_epochs} epochs")
print(f"validation loss of the best epoch: {early_stopping_loss:.4f}")
# --8<-- [end:early_stopping]


# --8<-- [start:accumulation]
model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1)
grad_fn = make_grad_fn(model, optimizer)
micro_batches = 4
for _epoch in range(2):
    total = [ops.zeros_like(parameter) for parameter in optimizer.parameters]
    for xb, yb in make_loader(x_train, y_train):
        loss, grads = grad_fn(xb, yb)
        total = [t + grad / micro_batches for t, grad in zip(total, grads, strict=True)]
    optimizer(tuple(total))
accumulated = evaluate(model, x_train, y_train)[0]

model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1)
grad_fn = make_grad_fn(model, optimizer)
for _epoch in range(2):
    loss, grads = grad_fn(x_train, y_train)
    optimizer(grads)
full_batch = evaluate(model, x_train, y_train)[0]

accumulation = [accumulated, full_batch]
print(f"four micro batches {accumulated:.6f}, one full batch {full_batch:.6f}")
# --8<-- [end:accumulation]


# --8<-- [start:clipping]
model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.5, momentum=0.9)
grad_fn = make_grad_fn(model, optimizer)
norms = []
for xb, yb in make_loader(x_train, y_train):
    loss, grads = grad_fn(xb, yb)
    norm = sum((grad**2).sum() for grad in grads).sqrt()
    norms.append(norm.item())
    optimizer(ops.clip_by_global_norm(grads, clip_norm=0.2))

clipping_loss = evaluate(model, x_train, y_train)[0]
print("norms before clipping:", [round(norm, 3) for norm in norms])
print(f"loss {clipping_loss:.4f}")
# --8<-- [end:clipping]


# --8<-- [start:schedule]
def rate(step, warmup=4, total=12):
    if step < warmup:
        return (step + 1) / warmup
    return 0.5 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


rates = [0.2 * rate(step) for step in range(12)]  # one number for every step
model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=rates, momentum=0.9)
grad_fn = make_grad_fn(model, optimizer)
for _epoch in range(3):
    for xb, yb in make_loader(x_train, y_train):
        loss, grads = grad_fn(xb, yb)
        optimizer(grads)  # takes the next number of the list

schedule_loss = evaluate(model, x_train, y_train)[0]
print("learning rates:", [round(value, 3) for value in rates[:6]], "…")
print(f"loss {schedule_loss:.4f}")
# --8<-- [end:schedule]


# --8<-- [start:custom_step]
class ClippedStep(nn.TrainOneStepCell):
    def __init__(self, network, optimizer, max_norm=0.2):
        super().__init__(network, optimizer)
        self.max_norm = max_norm

    def construct(self, *inputs):
        loss, grads = mindspore.value_and_grad(self.network, None, self.weights)(*inputs)
        self.optimizer(ops.clip_by_global_norm(grads, self.max_norm))
        return loss


model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.5, momentum=0.9)
clipped_step = ClippedStep(nn.WithLossCell(model, loss_fn), optimizer)
clipped_step.set_train()
for xb, yb in make_loader(x_train, y_train):
    loss = clipped_step(xb, yb)

custom_step = loss.item()
print(f"last loss {custom_step:.4f}")
# --8<-- [end:custom_step]


# --8<-- [start:uneven_batches]
model = make_model()
trainer = Model(model, loss_fn, metrics={"loss"})
loader = make_loader(x_train[:20], y_train[:20])  # batches of 16 and 4
uneven_batches_mean = trainer.eval(loader)["loss"]

batch_losses, batch_sizes = [], []
for xb, yb in loader:
    batch_losses.append(loss_fn(model(xb), yb).item())
    batch_sizes.append(len(xb))
over_all = loss_fn(model(x_train[:20]), y_train[:20]).item()

uneven_batches_weighted = np.average(batch_losses, weights=batch_sizes)
print(f"loss over all 20 points:     {over_all:.4f}")
print(f"Model.eval reports:          {uneven_batches_mean:.4f}")
print(f"weighted by the batch sizes: {uneven_batches_weighted:.4f}")
# --8<-- [end:uneven_batches]


# --8<-- [start:own_metric]
model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1, momentum=0.9)
trainer = Model(model, loss_fn, optimizer, metrics={"recall": Recall()})
trainer.train(3, make_loader(x_train, y_train))

own_metric = trainer.eval(make_loader(x_valid, y_valid))["recall"].tolist()
print("recall of each class:", [round(value, 3) for value in own_metric])
# --8<-- [end:own_metric]


# --8<-- [start:whole_step]
model = make_model()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1, momentum=0.9)
grad_fn = make_grad_fn(model, optimizer)


@mindspore.jit
def train_step(x, y):
    loss, grads = grad_fn(x, y)
    optimizer(grads)
    return loss


for _epoch in range(2):
    for xb, yb in make_loader(x_train, y_train):
        loss = train_step(xb, yb)

whole_step = evaluate(model, x_train, y_train)[0]
print(f"loss {whole_step:.4f}")
# --8<-- [end:whole_step]


# --8<-- [start:lambda_in_step]
grad_of_lambda = mindspore.value_and_grad(lambda x, y: loss_fn(model(x), y), None, optimizer.parameters)


@mindspore.jit
def lambda_step(x, y):
    return grad_of_lambda(x, y)[0]


try:
    lambda_in_step = "works" if lambda_step(x_train, y_train).item() else ""
except TypeError as error:
    lambda_in_step = type(error).__name__
    print(str(error).partition(".")[0])
print(lambda_in_step)
# --8<-- [end:lambda_in_step]


# --8<-- [start:sink_mode]
sink_mode = []
for dataset_sink_mode in (False, True):
    model = make_model()
    optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1, momentum=0.9)
    trainer = Model(model, loss_fn, optimizer)
    trainer.train(2, make_loader(x_train, y_train), dataset_sink_mode=dataset_sink_mode)
    sink_mode.append(evaluate(model, x_train, y_train)[0])

print(f"without sink {sink_mode[0]:.4f}, with sink {sink_mode[1]:.4f}")
# --8<-- [end:sink_mode]

agree = {
    "lambda_in_step": lambda_in_step,
    "problem": x.asnumpy(),
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
