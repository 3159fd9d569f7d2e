"""Build, inspect and change models layer by layer, and see where Module and Cell part."""

import copy
from collections import OrderedDict

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


# --8<-- [start:define]
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(F.relu(self.body(x)))


def fill(model):  # the same numbers in both frameworks
    rng = np.random.default_rng(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.from_numpy(rng.uniform(-1, 1, tuple(parameter.shape))))
    return model


x = torch.tensor([[1.0, 2.0, 3.0]])
output = fill(Net())(x)
print(output)
# --8<-- [end:define]


# --8<-- [start:no_forward]
class Ported(nn.Module):
    def construct(self, x):  # MindSpore's name for it
        return x


try:
    Ported()(x)
except NotImplementedError as error:
    no_forward = type(error).__name__
    print(f"{no_forward}: {error}")
# --8<-- [end:no_forward]

# --8<-- [start:keyword_bias]
layer = nn.Linear(3, 2, bias=False)
keyword_bias = "works"
print("bias:", layer.bias)
# --8<-- [end:keyword_bias]

# --8<-- [start:parameters]
model = Net()
print(model)
for name, parameter in model.named_parameters():
    print(name, tuple(parameter.shape))
own_name = str(model.body.weight.name)
print("the parameter's own name:", own_name)
# --8<-- [end:parameters]

# --8<-- [start:count]
model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
everything = sum(p.numel() for p in model.parameters())
trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)
print("parameters:", everything)
print("trainable:", trainable)
# --8<-- [end:count]

# --8<-- [start:sequential]
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
named = nn.Sequential(OrderedDict([("body", nn.Linear(3, 4)), ("act", nn.ReLU())]))
sequential_names = [name for name, _parameter in model.named_parameters()]
print(sequential_names)
print([name for name, _parameter in named.named_parameters()])
print(len(model), model[0], len(model[:2]))
try:
    print(model(x, x).shape)
except TypeError as error:
    sequential_inputs = type(error).__name__
    print(error)
# --8<-- [end:sequential]


# --8<-- [start:lists]
class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])
        self.lost = [nn.Linear(3, 3)]  # a plain list hides its layers

    def forward(self, x):
        for layer in self.layers:
            x = F.relu(layer(x))
        return self.lost[0](x)


stack = Stack()
list_names = [name for name, _parameter in stack.named_parameters()]
print(list_names)
print("runs, with the lost layer:", tuple(stack(x).shape))
# --8<-- [end:lists]


# --8<-- [start:dicts]
class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({"age": nn.Linear(3, 1), "size": nn.Linear(3, 2)})

    def forward(self, x):
        return {name: head(x) for name, head in self.heads.items()}


heads = fill(Heads())(x)
for name, value in heads.items():
    print(name, tuple(value.shape))
try:
    nn.ModuleDict({"keys": nn.Linear(3, 1)})
except KeyError as error:
    print(type(error).__name__, error.args[0], sep="\n")
# --8<-- [end:dicts]


# --8<-- [start:walk]
class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(3, 3)
        self.blocks = nn.Sequential(Net(), nn.ReLU())

    def forward(self, x):
        return self.blocks(self.stem(x))


outer = Outer()
walk_names = [name for name, _module in outer.named_modules()]
walk_children = [name for name, _module in outer.named_children()]
linears = [name for name, module in outer.named_modules() if isinstance(module, nn.Linear)]
print(walk_names)
print("direct children:", walk_children)
print("linear layers:", linears)
# --8<-- [end:walk]

# --8<-- [start:path]
layer = outer.get_submodule("blocks.0.body")
weight = outer.get_parameter("blocks.0.body.weight")
print(layer)
print(tuple(weight.shape), weight is layer.weight)
# --8<-- [end:path]


# --8<-- [start:own_parameter]
class Standardise(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.full((3,), 2.0))
        self.register_buffer("mean", torch.ones(3))
        self.register_buffer("cache", torch.zeros(3), persistent=False)

    def forward(self, x):
        return (x - self.mean) * self.scale


standardise = Standardise()
print(standardise(x))
print("parameters:", [name for name, _value in standardise.named_parameters()])
print("buffers:", [name for name, _value in standardise.named_buffers()])
own_state = list(standardise.state_dict())
print("state_dict:", own_state)
# --8<-- [end:own_parameter]

# --8<-- [start:buffer_assign]
try:
    standardise.mean = torch.zeros(3)
    buffer_assign = "works"
except TypeError as error:
    buffer_assign = type(error).__name__
    print(str(error).partition(": ")[0])
print("assigning to a buffer:", buffer_assign)
standardise.mean[:] = torch.tensor([1.0, 2.0, 3.0])  # writing into it
print(standardise(x))
# --8<-- [end:buffer_assign]


# --8<-- [start:compiled_buffer]
class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))
        self.slots = nn.Parameter(torch.zeros(1), requires_grad=False)
        self.steps = nn.Parameter(torch.zeros(1), requires_grad=False)

    def forward(self, x):
        self.calls[:] = self.calls + 1
        self.slots[:] = self.slots + 1
        self.steps.copy_(self.steps + 1)
        return x


counter = Counter()
compiled = torch.compile(counter, backend="eager")
compiled(x), compiled(x)
counted = [v.item() for v in (counter.calls, counter.slots, counter.steps)]
print("after two compiled calls")
print("buffer, written by index:", counted[0])
print("parameter, written by index:", counted[1])
print("parameter, written as a whole:", counted[2])
# --8<-- [end:compiled_buffer]

# --8<-- [start:rename]
backbone = nn.Linear(3, 3)
alone = [name for name, _parameter in backbone.named_parameters()]
whole = nn.Sequential(OrderedDict([("backbone", backbone)]))
inside = [name for name, _parameter in backbone.named_parameters()]
print("before:", alone)
print("after: ", inside)
# --8<-- [end:rename]

# --8<-- [start:freeze]
model = Net()
for parameter in model.body.parameters():
    parameter.requires_grad = False
print("trains:", [name for name, p in model.named_parameters() if p.requires_grad])
print("frozen:", [name for name, p in model.named_parameters() if not p.requires_grad])

model = Net()
model.body.requires_grad_(False)  # the same for a whole layer
switched_off = sum(not parameter.requires_grad for parameter in model.parameters())
print("frozen by one call:", switched_off)
# --8<-- [end:freeze]

# --8<-- [start:mode]
model = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.Dropout(p=0.5)))
fresh = model.training
model.train()
model[0].eval()  # one layer only
nested = [module.training for module in model.modules()]
print("fresh:", fresh)
print("model, model[0], model[1], model[1][0]:", nested)
model.eval()
print("after eval():", any(module.training for module in model.modules()))
# --8<-- [end:mode]

# --8<-- [start:head]
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.train()
model.head = nn.Sequential(nn.Dropout(p=0.1), nn.Linear(4, 5))
head_names = [name for name, _parameter in model.named_parameters()]
print(head_names)
print("output:", tuple(model(x).shape))
head_modes = [model.training, model.head.training]
print("model trains:", head_modes[0], "- new head trains:", head_modes[1])
held = any(p is model.head[1].weight for p in optimizer.param_groups[0]["params"])
print("old optimizer knows the new head:", held)
# --8<-- [end:head]

# --8<-- [start:features]
model = fill(Net())
model.head = nn.Identity()
features = F.relu(model(x))
print(features)
# --8<-- [end:features]

# --8<-- [start:hooks]
model = fill(Net())
shapes = []
model.body.register_forward_hook(lambda module, args, out: shapes.append(tuple(out.shape)))
handle = model.body.register_forward_pre_hook(lambda module, args: (args[0] * 2,))
doubled = model(x)
handle.remove()
plain = model(x)
print("input doubled:", doubled.detach())
print("hook removed:", plain.detach())
print("seen by the other hook:", shapes)

gradients = []
model.head.register_full_backward_hook(lambda module, *grads: gradients.extend(grads))
model(x).sum().backward()
(of_input,), (of_output,) = gradients
print("of the head's input:", of_input)
print("of its output:", of_output)
# --8<-- [end:hooks]


# --8<-- [start:compiled_hook]
def double_and_log(module, args, output):
    calls.append(1)
    return output * 2


calls = []
model = fill(Net())
model.body.register_forward_hook(double_and_log)
compiled = torch.compile(model, backend="eager")
hooked = compiled(x)
compiled(x)
print(hooked)
print("hook's own list after two compiled calls:", len(calls))
# --8<-- [end:compiled_hook]


# --8<-- [start:tied]
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 4)
        self.head = nn.Linear(4, 5, bias=False)
        self.head.weight = self.embed.weight  # one parameter, two places

    def forward(self, tokens):
        return self.head(self.embed(tokens))


tied = fill(Tied())
tied(torch.tensor([1, 2])).square().sum().backward()
tied_gradient = tied.embed.weight.grad
print("parameters:", [name for name, _parameter in tied.named_parameters()])
tied_state = list(tied.state_dict())
print("state_dict:", tied_state)
print("gradient of both uses together:", round(tied_gradient.abs().sum().item(), 4))
# --8<-- [end:tied]

# --8<-- [start:shared]
twice = nn.Linear(3, 3)
model = nn.Sequential(twice, nn.ReLU(), twice)
shared_listed = [name for name, _parameter in model.named_parameters()]
print("listed as", shared_listed)
print("state_dict:", list(model.state_dict()))
# --8<-- [end:shared]


# --8<-- [start:flatten]
class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 5)
        self.conv2 = nn.Conv2d(4, 64, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.dense = nn.Linear(64 * 4 * 4, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        return self.dense(x.flatten(start_dim=1))


digit = torch.ones(1, 1, 28, 28)
ported = str(tuple(Digits()(digit).shape))
print(ported)
fixed = tuple(Digits()(digit).shape)
print("without padding, as it is:", fixed)
# --8<-- [end:flatten]


# --8<-- [start:arguments]
class TwoInputs(nn.Module):
    def __init__(self):
        super().__init__()
        self.left = nn.Linear(3, 2)
        self.right = nn.Linear(3, 2)

    def forward(self, x, y=None, *, scale=1.0):
        hidden = self.left(x)
        if y is not None:
            hidden = hidden + self.right(y)
        return hidden * scale, {"hidden": hidden}


two = fill(TwoInputs())
scaled, parts = two(x, y=x, scale=2.0)
print(scaled, parts["hidden"], sep="\n")
print(two(x=x)[0])
# --8<-- [end:arguments]

# --8<-- [start:wrong_input]
layer = nn.Linear(3, 2)
wrong = {}
for what, value in {
    "shape": torch.ones(1, 5),
    "int64": torch.ones(1, 3, dtype=torch.int64),
    "NumPy array": np.ones((1, 3), np.float32),
}.items():
    try:
        wrong[what] = str(layer(value).dtype)
    except (RuntimeError, TypeError) as error:
        wrong[what] = type(error).__name__
        print(f"{what}: {wrong[what]}")
        print(str(error).splitlines()[0][:76])
# --8<-- [end:wrong_input]

# --8<-- [start:functional]
weight, bias = torch.full((2, 3), 0.5), torch.tensor([1.0, -1.0])
z = torch.tensor([[-2.0, 0.0, 2.0]])
linear = F.linear(x, weight, bias)
print(linear)
activated = [
    nn.ReLU()(z),
    nn.GELU()(z),
    nn.SiLU()(z),
    nn.Hardswish()(z),
    nn.SELU()(z),
    nn.LeakyReLU(0.01)(z),
]
for values in activated:
    print([round(value, 4) for value in values[0].tolist()])
# --8<-- [end:functional]

# --8<-- [start:deepcopy]
model = fill(Net())
twin = copy.deepcopy(model)
with torch.no_grad():
    model.head.weight.zero_()
copied = twin.head.weight.detach().abs().sum().item()
print(f"the copy keeps its weights: {copied:.4f}")
print([name for name, _parameter in twin.named_parameters()])
# --8<-- [end:deepcopy]


# --8<-- [start:copy_weights]
def by_copy(target, source):
    with torch.no_grad():
        target.weight.copy_(source.weight)


def by_state_dict(target, source):
    target.load_state_dict(source.state_dict())


def by_data(target, source):
    target.weight.data = source.weight.data


def follows(copy_into):  # whether training the source moves the target
    source, target = nn.Linear(3, 1), nn.Linear(3, 1)
    copy_into(target, source)
    optimizer = torch.optim.SGD(source.parameters(), lr=0.1)
    before = target.weight.detach().numpy().copy()
    source(x).sum().backward()
    optimizer.step()
    return not np.array_equal(target.weight.detach().numpy(), before)


follow = {way.__name__: follows(way) for way in (by_copy, by_state_dict)}
for name, value in follow.items():
    print(f"{name}: the target moves along: {value}")
follow_data = follows(by_data)
print("by_data: the target moves along:", follow_data)
# --8<-- [end:copy_weights]

# --8<-- [start:names]
asked = [
    "parameters", "named_parameters", "modules", "named_modules", "children", "get_submodule",
    "train", "eval", "requires_grad_", "zero_grad", "half",
    "buffers", "register_buffer", "apply", "to", "state_dict", "register_forward_hook",
]  # fmt: skip
missing = [name for name in asked if not hasattr(nn.Module, name)]
print("missing:", *missing)
print("named_parameters:", len(list(Net().named_parameters())))
print("children:", len(list(Net().children())))
half = Net().half().body.weight.dtype
print("half:", half)
# --8<-- [end:names]


# --8<-- [start:classifier]
class Classifier(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, stride=2, padding=1)
        self.bn1 = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 8, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.drop = nn.Dropout(0.2)
        self.fc = nn.Linear(8 * 2 * 2, classes)

    def forward(self, x):
        x = self.pool(F.relu(self.bn1(self.conv1(x))))
        x = self.pool(F.relu(self.conv2(x)))
        return self.fc(self.drop(x.flatten(start_dim=1)))


classifier = Classifier()
state = classifier.state_dict()
order = [name for name in state if "num_batches" not in name]
rng = np.random.default_rng(0)
for name in order:
    numbers = rng.uniform(0.1, 0.3, tuple(state[name].shape))
    state[name] = torch.from_numpy(numbers.astype(np.float32))
classifier.load_state_dict(state)

photos = torch.from_numpy(rng.standard_normal((4, 1, 16, 16)).astype(np.float32))
classifier.eval()
logits = classifier(photos).detach()
print(order[2:6])
print(logits[0])
# --8<-- [end:classifier]

# --8<-- [start:classifier_train]
labels = torch.tensor([0, 1, 2, 0])
optimizer = torch.optim.SGD(classifier.parameters(), lr=0.05, momentum=0.9, weight_decay=0.1)
loss_fn = nn.CrossEntropyLoss()
classifier.train()
classifier.drop.eval()  # dropout draws other numbers in each framework
curve = []
for _step in range(3):
    optimizer.zero_grad()
    loss = loss_fn(classifier(photos), labels)
    loss.backward()
    optimizer.step()
    curve.append(loss.item())
print("losses:", [round(value, 4) for value in curve])
running = classifier.bn1.running_mean
print("running mean:", running)
# --8<-- [end:classifier_train]

agree = {
    "define": output,
    "parameters": [f"{name} {tuple(p.shape)}" for name, p in Net().named_parameters()],
    "parameters_own_name": own_name,
    "no_forward": no_forward,
    "keyword_bias": keyword_bias,
    "rename": inside[0],
    "count_all": everything,
    "count_trainable": trainable,
    "sequential": sequential_names,
    "sequential_inputs": sequential_inputs,
    "lists": list_names,
    "dicts": [value.detach().numpy().ravel()[0] for value in heads.values()],
    "walk": walk_names,
    "walk_children": walk_children,
    "walk_linear": linears,
    "path": tuple(outer.get_parameter("blocks.0.body.weight").shape),
    "own_parameter": own_state,
    "buffer_assign": buffer_assign,
    "buffer_assign_written": standardise(x),
    "compiled_buffer_buffer": counted[0],
    "compiled_buffer_parameter_index": counted[1],
    "compiled_buffer_parameter": counted[2],
    "freeze_one_call": switched_off,
    "mode_fresh": fresh,
    "mode_nested": nested,
    "head": head_names,
    "head_new_layer_trains": head_modes[1],
    "head_old_optimizer": held,
    "features": features,
    "hooks_doubled": doubled,
    "hooks_plain": plain,
    "hooks_gradient": of_input,
    "hooks_gradient_output": of_output,
    "compiled_hook": hooked,
    "compiled_hook_side_effect": len(calls),
    "tied": tied_gradient,
    "tied_state": len(tied_state),
    "shared_listed": shared_listed,
    "flatten_line_by_line": ported,
    "flatten_fixed": fixed,
    "arguments": scaled,
    "wrong_input_shape": wrong["shape"],
    "wrong_input_dtype": wrong["int64"],
    "wrong_input_numpy": wrong["NumPy array"],
    "functional": linear,
    "functional_activations": torch.cat(activated),
    "deepcopy": copied,
    "copy_weights_one": follow["by_copy"],
    "copy_weights_all": follow["by_state_dict"],
    "copy_weights_state_dict": follow["by_state_dict"],
    "names_missing": len(missing),
    "names_half": str(half).rpartition(".")[2].lower(),
    "classifier": logits,
    "classifier_train": curve,
    "classifier_train_running_mean": running,
}
