"""A whole small program: a convolutional network on real MNIST digits, from files to accuracy."""

from pathlib import Path

import mindspore
import numpy as np
from mindspore import Tensor, nn, ops

from snippets.common.digits import mnist_folder, start_weights

# --8<-- [start:read_digits]
mindspore.runtime.launch_blocking()  # before the first operator: quicker for small models on CPU


def read_digits(split, count):
    folder = Path(mnist_folder())
    images = (folder / f"{split}-images-idx3-ubyte").read_bytes()
    labels = (folder / f"{split}-labels-idx1-ubyte").read_bytes()
    x = np.frombuffer(images, np.uint8, offset=16).reshape(-1, 1, 28, 28)[:count]
    y = np.frombuffer(labels, np.uint8, offset=8)[:count]
    return x.astype(np.float32) / 255, y


x, y = read_digits("train", 16)
x, y = Tensor(x), Tensor(y, mindspore.int32)
read_digits_mean = x.mean().item()
print(x.shape, y[:8].tolist())
# --8<-- [end:read_digits]


# --8<-- [start:network]
class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 5, pad_mode="valid", has_bias=True)
        self.conv2 = nn.Conv2d(32, 64, 5, pad_mode="valid", has_bias=True)
        self.pool = nn.MaxPool2d(2, stride=2)
        self.fc1 = nn.Dense(64 * 4 * 4, 128)
        self.fc2 = nn.Dense(128, 10)

    def construct(self, x):
        x = self.pool(ops.relu(self.conv1(x)))
        x = self.pool(ops.relu(self.conv2(x)))
        return self.fc2(ops.relu(self.fc1(x.flatten(start_dim=1))))


model = Network()
parameters = dict(model.parameters_and_names())
start = start_weights({name: p.shape for name, p in parameters.items()})
for name, p in parameters.items():
    p.set_data(Tensor(start[name]))
network_parameters = sum(p.size for p in model.trainable_params())
print("parameters:", network_parameters)
# --8<-- [end:network]

# --8<-- [start:train_network]
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(model.trainable_params(), learning_rate=0.001)


def forward(x, y):
    return loss_fn(model(x), y)


grad_fn = mindspore.value_and_grad(forward, None, optimizer.parameters)
losses = []
model.set_train()
for xb, yb in zip(x.split(8), y.split(8), strict=True):
    loss, grads = grad_fn(xb, yb)
    optimizer(grads)
    losses.append(loss.item())

model.set_train(False)
accuracy = (model(x).argmax(axis=1) == y).float().mean().item()
print("losses:", [round(value, 4) for value in losses])
print("accuracy on these digits:", accuracy)
# --8<-- [end:train_network]

agree = {
    "read_digits_mean": read_digits_mean,
    "network_parameters": network_parameters,
    "train_network_losses": losses,
    "train_network_accuracy": accuracy,
}
