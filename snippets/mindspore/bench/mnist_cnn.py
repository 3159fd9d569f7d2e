"""The MNIST network of the earlier experiment, as a benchmark workload."""

import itertools

import mindspore
import mindspore.dataset as ds
from mindspore import Tensor, nn, ops
from mindspore.dataset import transforms, vision

from snippets.common.digits import mnist_folder, order, start_weights


# --8<-- [start:network]
class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 5, pad_mode="valid", has_bias=True)
        self.conv2 = nn.Conv2d(8, 12, 5, pad_mode="valid", has_bias=True)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc1 = nn.Dense(300, 120)
        self.fc2 = nn.Dense(120, 60)
        self.fc3 = nn.Dense(60, 10)

    def construct(self, x):
        x = self.pool(ops.relu(self.conv1(x)))
        x = self.pool(ops.relu(self.conv2(x)))
        x = ops.flatten(x)
        x = ops.relu(self.fc1(x))
        x = ops.relu(self.fc2(x))
        return self.fc3(x)


# --8<-- [end:network]
# --8<-- [start:data]
class Order(ds.Sampler):
    def __init__(self, samples):
        super().__init__()
        self.samples = samples
        self.epoch = 0

    def __iter__(self):
        return iter(order(self.epoch, self.samples).tolist())


def digits(split, sampler=None):
    dataset = ds.MnistDataset(mnist_folder(), split, sampler=sampler, shuffle=None if sampler else False)
    prepare = [vision.Pad(2), vision.Rescale(1 / 255, 0), vision.Normalize([0.1307], [0.3081]), vision.HWC2CHW()]
    dataset = dataset.map(prepare, "image")
    return dataset.map(transforms.TypeCast(mindspore.int32), "label")


def batches(dataset, sampler, epoch):
    sampler.epoch = epoch
    return dataset.create_tuple_iterator(num_epochs=1)


# --8<-- [end:data]
# --8<-- [start:step]
def make_step(network, optimizer, compiled):
    def forward(images, labels):
        return ops.cross_entropy(network(images), labels)

    grad_fn = mindspore.value_and_grad(forward, None, optimizer.parameters)

    def step(images, labels):
        loss, grads = grad_fn(images, labels)
        optimizer(grads)
        return loss

    return mindspore.jit(step) if compiled else step


# --8<-- [end:step]
# --8<-- [start:workload]
class Workload:
    def __init__(self, compiled=False, blocking=False):
        if blocking:
            mindspore.runtime.launch_blocking()
        self.network = Network()
        self.network.set_train()
        samples = ds.MnistDataset(mnist_folder(), "train").get_dataset_size()
        self.sampler = Order(samples)
        self.dataset = digits("train", self.sampler).batch(128, drop_remainder=True)
        self.optimizer = nn.Momentum(self.network.trainable_params(), learning_rate=0.01, momentum=0.9)
        self.step = make_step(self.network, self.optimizer, compiled)

    def start(self):
        shapes = {p.name: p.shape for p in self.network.trainable_params()}
        for name, weight in start_weights(shapes).items():
            self.network.parameters_dict()[name].set_data(Tensor(weight))

    def parameters(self):
        return {p.name: p.asnumpy() for p in self.network.trainable_params()}

    def batches(self, epoch):
        return batches(self.dataset, self.sampler, epoch)

    def evaluate(self):
        images, labels = next(digits("test").batch(10_000).create_tuple_iterator(num_epochs=1))
        self.network.set_train(False)
        predicted = self.network(images).argmax(1)
        self.network.set_train(True)
        return float((predicted == labels).float().mean().asnumpy())


# --8<-- [end:workload]
# --8<-- [start:run]
if __name__ == "__main__":
    workload = Workload()
    workload.start()
    first_batches = itertools.islice(workload.batches(epoch=0), 4)
    losses = [float(workload.step(*batch).asnumpy()) for batch in first_batches]
    print("losses", " ".join(f"{loss:.4f}" for loss in losses))
# --8<-- [end:run]

agree = {"run_losses": losses} if __name__ == "__main__" else {}
