"""Predict without a graph, and save a model as a program that needs no class."""

import os

import mindspore
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.train import Model


# --8<-- [start:model]
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(3, 4)
        self.bn = nn.BatchNorm1d(4)
        self.drop = nn.Dropout(p=0.5)
        self.fc2 = nn.Dense(4, 2)

    def construct(self, x):
        return self.fc2(self.drop(ops.relu(self.bn(self.fc1(x)))))


mindspore.runtime.launch_blocking()  # before the first operator: errors come in the right call
rng = np.random.default_rng(0)
drawn = [rng.uniform(0.2, 1, shape) for shape in ((4, 3), 4, 4, 4, 4, 4, (2, 4), 2)]


def make_model():
    model = Net()
    norm = [model.bn.gamma, model.bn.beta, model.bn.moving_mean, model.bn.moving_variance]
    tensors = [model.fc1.weight, model.fc1.bias, *norm, model.fc2.weight, model.fc2.bias]
    for tensor, values in zip(tensors, drawn, strict=True):
        tensor.set_data(Tensor(values, mindspore.float32))
    return model


x = Tensor(rng.uniform(-1, 1, (6, 3)).astype(np.float32))
# --8<-- [end:model]

# --8<-- [start:inference]
model = make_model()
model.set_train(False)
output = model(x)  # records nothing: only value_and_grad and grad do
print("training mode:", model.training)
print(output[0].asnumpy().round(4).tolist())
# --8<-- [end:inference]

# --8<-- [start:forgotten]
model = make_model()
model.set_train()
noisy = model(x)
forgotten_moved = not np.allclose(model.bn.moving_mean.asnumpy(), drawn[4])
forgotten_same = np.allclose(noisy.asnumpy(), output.asnumpy())
print("same output as in inference mode:", forgotten_same)
print("moving mean moved by a prediction:", forgotten_moved)
# --8<-- [end:forgotten]

# --8<-- [start:predict]
model = make_model()
model.set_train()
predictor = Model(model)
parts = [predictor.predict(part) for part in x.split(4)]  # one batch a call
predicted = ops.cat(parts)
print([part.shape for part in parts])
print("same as in one go:", np.allclose(predicted.asnumpy(), output.asnumpy()))
print("training mode:", model.training)
# --8<-- [end:predict]

# --8<-- [start:program]
model = make_model()
model.set_train(False)
mindspore.export(model, x, file_name="net", file_format="MINDIR")

loaded = nn.GraphCell(mindspore.load("net.mindir"))  # without the class Net
program_output = loaded(x)
print(sorted(name for name in os.listdir() if name.startswith("net.")))
print("same output:", np.allclose(program_output.asnumpy(), output.asnumpy()))
# --8<-- [end:program]

# --8<-- [start:other_batch]
try:
    loaded(x[:2]).asnumpy()
    other_batch = "works"
except RuntimeError as error:
    other_batch = type(error).__name__
    print(other_batch, str(error).splitlines()[0].partition(", but")[0])
# --8<-- [end:other_batch]

# --8<-- [start:dynamic]
any_batch = Tensor(shape=[None, 3], dtype=mindspore.float32)
mindspore.export(model, any_batch, file_name="dynamic", file_format="MINDIR")
dynamic_program = nn.GraphCell(mindspore.load("dynamic.mindir"))
dynamic_output = dynamic_program(x[:2])
print(dynamic_output.shape, np.allclose(dynamic_output.asnumpy(), output[:2].asnumpy()))
# --8<-- [end:dynamic]

# --8<-- [start:training_mode]
model = make_model()
model.set_train()
mindspore.export(model, x, file_name="trained", file_format="MINDIR")
trained_program = nn.GraphCell(mindspore.load("trained.mindir"))
training_mode_same = np.allclose(trained_program(x).asnumpy(), output.asnumpy())
print("exported in training mode, same output:", training_mode_same)
trained_program.set_train(False)  # accepted, and without an effect
after_switch = np.allclose(trained_program(x).asnumpy(), output.asnumpy())
training_mode_switch = "works" if after_switch else "no effect"
print("after set_train(False):", training_mode_switch)
# --8<-- [end:training_mode]

# --8<-- [start:export_again]
model.set_train(False)
mindspore.export(model, x, file_name="second", file_format="MINDIR")
second_program = nn.GraphCell(mindspore.load("second.mindir"))
export_again = np.allclose(second_program(x).asnumpy(), model(x).asnumpy())
print("exported again after set_train(False), same output as the model:", export_again)

fresh = make_model()
fresh.set_train(False)
mindspore.export(fresh, x, file_name="third", file_format="MINDIR")
third_program = nn.GraphCell(mindspore.load("third.mindir"))
export_fresh = np.allclose(third_program(x).asnumpy(), output.asnumpy())
print("a new model, exported in inference mode:", export_fresh)
# --8<-- [end:export_again]

agree = {
    "inference_output": output,
    "forgotten_same": forgotten_same,
    "forgotten_moved": forgotten_moved,
    "predict": predicted,
    "program": program_output,
    "other_batch": other_batch,
    "dynamic": dynamic_output,
    "training_mode_same": training_mode_same,
    "export_again": export_again,
    "training_mode_switch": training_mode_switch,
}
