"""Predict without a graph, and save a model as a program that needs no class."""

import os

import numpy as np
import torch
from torch import nn


# --8<-- [start:model]
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 4)
        self.bn = nn.BatchNorm1d(4)
        self.drop = nn.Dropout(p=0.5)
        self.fc2 = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc2(self.drop(torch.relu(self.bn(self.fc1(x)))))


rng = np.random.default_rng(0)
drawn = [rng.uniform(0.2, 1, shape) for shape in ((4, 3), 4, 4, 4, 4, 4, (2, 4), 2)]


def make_model():
    model = Net()
    norm = [model.bn.weight, model.bn.bias, model.bn.running_mean, model.bn.running_var]
    tensors = [model.fc1.weight, model.fc1.bias, *norm, model.fc2.weight, model.fc2.bias]
    with torch.no_grad():
        for tensor, values in zip(tensors, drawn, strict=True):
            tensor.copy_(torch.from_numpy(values))
    return model


x = torch.from_numpy(rng.uniform(-1, 1, (6, 3)).astype(np.float32))
# --8<-- [end:model]

# --8<-- [start:inference]
model = make_model()
model.eval()
with torch.inference_mode():  # records nothing
    output = model(x)
print("training mode:", model.training, "| part of a graph:", output.requires_grad)
print(output[0].numpy().round(4).tolist())
print("without inference_mode, part of a graph:", model(x).requires_grad)
# --8<-- [end:inference]

# --8<-- [start:forgotten]
model = make_model()
model.train()  # how a new model starts
with torch.inference_mode():
    noisy = model(x)
forgotten_moved = not np.allclose(model.bn.running_mean.numpy(), drawn[4])
forgotten_same = torch.allclose(noisy, output)
print("same output as in inference mode:", forgotten_same)
print("running mean moved by a prediction:", forgotten_moved)
# --8<-- [end:forgotten]

# --8<-- [start:predict]
model = make_model().eval()
with torch.inference_mode():
    parts = [model(part) for part in x.split(4)]  # PyTorch ships no predict
predicted = torch.cat(parts)
print([tuple(part.shape) for part in parts])
print("same as in one go:", torch.allclose(predicted, output))
print("training mode:", model.training)
# --8<-- [end:predict]

# --8<-- [start:program]
model = make_model().eval()
program = torch.export.export(model, (x,))
torch.export.save(program, "net.pt2")

loaded = torch.export.load("net.pt2").module()  # without the class Net
program_output = loaded(x).detach()
print(sorted(name for name in os.listdir() if name.startswith("net.")))
print("same output:", torch.allclose(program_output, output))
# --8<-- [end:program]

# --8<-- [start:other_batch]
try:
    loaded(x[:2])
    other_batch = "works"
except AssertionError as error:
    other_batch = type(error).__name__
    print(other_batch, str(error).splitlines()[0])
# --8<-- [end:other_batch]

# --8<-- [start:dynamic]
batch = torch.export.Dim("batch")
program = torch.export.export(model, (x,), dynamic_shapes={"x": {0: batch}})
dynamic_program = program.module()
dynamic_output = dynamic_program(x[:2]).detach()
print(tuple(dynamic_output.shape), torch.allclose(dynamic_output, output[:2]))
# --8<-- [end:dynamic]

# --8<-- [start:training_mode]
model = make_model()
model.train()
trained_program = torch.export.export(model, (x,)).module()
with torch.inference_mode():
    training_mode_same = torch.allclose(trained_program(x), output)
print("exported in training mode, same output:", training_mode_same)
try:
    trained_program.eval()
    training_mode_switch = "works"
except NotImplementedError as error:
    training_mode_switch = type(error).__name__
    print(training_mode_switch, str(error))
# --8<-- [end:training_mode]

# --8<-- [start:export_again]
model.eval()
second_program = torch.export.export(model, (x,)).module()
export_again = torch.allclose(second_program(x), model(x))
print("exported again after eval(), same output as the model:", export_again)
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
