"""A whole small program: a convolutional network on real MNIST digits, from files to accuracy."""

from pathlib import Path

import numpy as np
import torch
from torch import nn

from snippets.common.digits import mnist_folder, start_weights


# --8<-- [start:read_digits]
def read_digits(split, count):
    folder = Path(mnist_folder())
    images = (folder / f"{split}-images-idx3-ubyte").read_bytes()
    labels = (folder / f"{split}-labels-idx1-ubyte").read_bytes()
    x = np.frombuffer(images, np.uint8, offset=16).reshape(-1, 1, 28, 28)[:count]
    y = np.frombuffer(labels, np.uint8, offset=8)[:count]
    return x.astype(np.float32) / 255, y


x, y = read_digits("train", 16)
x, y = torch.tensor(x), torch.tensor(y, dtype=torch.int64)
read_digits_mean = x.mean().item()
print(tuple(x.shape), y[:8].tolist())
# --8<-- [end:read_digits]


# --8<-- [start:network]
class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 5)
        self.conv2 = nn.Conv2d(32, 64, 5)
        self.pool = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(64 * 4 * 4, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x)))
        return self.fc2(torch.relu(self.fc1(x.flatten(1))))


model = Network()
parameters = dict(model.named_parameters())
start = start_weights({name: tuple(p.shape) for name, p in parameters.items()})
with torch.no_grad():
    for name, p in parameters.items():
        p.copy_(torch.tensor(start[name]))
network_parameters = sum(p.numel() for p in model.parameters())
print("parameters:", network_parameters)
# --8<-- [end:network]

# --8<-- [start:train_network]
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
losses = []
model.train()
for xb, yb in zip(x.split(8), y.split(8), strict=True):
    optimizer.zero_grad()
    loss = loss_fn(model(xb), yb)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

model.eval()
with torch.inference_mode():
    accuracy = (model(x).argmax(dim=1) == y).float().mean().item()
print("losses:", [round(value, 4) for value in losses])
print("accuracy on these digits:", accuracy)
# --8<-- [end:train_network]

agree = {
    "read_digits_mean": read_digits_mean,
    "network_parameters": network_parameters,
    "train_network_losses": losses,
    "train_network_accuracy": accuracy,
}
