"""The MNIST network of the earlier experiment, as a benchmark workload."""

import itertools
import struct
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from snippets.common.digits import mnist_folder, order, start_weights


# --8<-- [start:network]
class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 5)
        self.conv2 = nn.Conv2d(8, 12, 5)
        self.pool = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(300, 120)
        self.fc2 = nn.Linear(120, 60)
        self.fc3 = nn.Linear(60, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = x.flatten(1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


# --8<-- [end:network]
# --8<-- [start:data]
def read_idx(path):
    data = Path(path).read_bytes()
    dims = data[3]
    shape = struct.unpack(f">{dims}i", data[4 : 4 + 4 * dims])
    return torch.from_numpy(np.frombuffer(data, np.uint8, offset=4 + 4 * dims).reshape(shape).copy())


def digits(split):
    prefix = {"train": "train", "test": "t10k"}[split]
    images = read_idx(f"{mnist_folder()}/{prefix}-images-idx3-ubyte")
    labels = read_idx(f"{mnist_folder()}/{prefix}-labels-idx1-ubyte")
    images = F.pad(images, (2, 2, 2, 2))[:, None].float()
    return TensorDataset((images / 255 - 0.1307) / 0.3081, labels.long())


def batches(dataset, epoch):
    visit = order(epoch, len(dataset)).tolist()
    return DataLoader(dataset, batch_size=128, sampler=visit, drop_last=True)


# --8<-- [end:data]
# --8<-- [start:step]
def make_step(network, optimizer):
    def step(images, labels):
        optimizer.zero_grad()
        loss = F.cross_entropy(network(images), labels)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


# --8<-- [end:step]
# --8<-- [start:workload]
class Workload:
    def __init__(self, compiled=False, channels_last=False):
        self.network = Network()
        if channels_last:
            self.network.to(memory_format=torch.channels_last)
        self.dataset = digits("train")
        self.optimizer = torch.optim.SGD(self.network.parameters(), lr=0.01, momentum=0.9)
        forward = torch.compile(self.network) if compiled else self.network
        self.step = make_step(forward, self.optimizer)

    def start(self):
        shapes = {name: tuple(p.shape) for name, p in self.network.named_parameters()}
        self.network.load_state_dict({n: torch.from_numpy(w) for n, w in start_weights(shapes).items()})

    def parameters(self):
        return {name: p.detach().numpy() for name, p in self.network.named_parameters()}

    def batches(self, epoch):
        return batches(self.dataset, epoch)

    def evaluate(self):
        images, labels = digits("test").tensors
        self.network.eval()
        with torch.inference_mode():
            correct = (self.network(images).argmax(1) == labels).float().mean().item()
        self.network.train()
        return correct


# --8<-- [end:workload]
# --8<-- [start:run]
if __name__ == "__main__":
    workload = Workload()
    workload.start()
    first_batches = itertools.islice(workload.batches(epoch=0), 4)
    losses = [workload.step(*batch).item() for batch in first_batches]
    print("losses", " ".join(f"{loss:.4f}" for loss in losses))
# --8<-- [end:run]

agree = {"run_losses": losses} if __name__ == "__main__" else {}
