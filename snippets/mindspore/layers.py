"""Build, inspect and change models layer by layer, and see where Module and Cell part."""

import copy
from collections import OrderedDict

import mindspore
import mindspore.mint.nn.functional as F
import numpy as np
from mindspore import Parameter, Tensor, nn, ops


# --8<-- [start:define]
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.Dense(3, 4)
        self.head = nn.Dense(4, 2)

    def construct(self, x):
        return self.head(ops.relu(self.body(x)))


def fill(model):  # the same numbers in both frameworks
    rng = np.random.default_rng(0)
    for parameter in model.trainable_params():
        values = rng.uniform(-1, 1, parameter.shape)
        parameter.set_data(Tensor(values, mindspore.float32))
    return model


mindspore.runtime.launch_blocking()  # errors rise in the call that caused them
x = Tensor([[1.0, 2.0, 3.0]])
output = fill(Net())(x)
print(output)
# --8<-- [end:define]


# --8<-- [start:no_forward]
class Ported(nn.Cell):
    def forward(self, x):  # PyTorch's name for it
        return x


try:
    Ported()(x)
except AttributeError as error:
    no_forward = type(error).__name__
    print(f"{no_forward}: {error}")
# --8<-- [end:no_forward]

# --8<-- [start:keyword_bias]
try:
    layer = nn.Dense(3, 2, bias=False)
    keyword_bias = "works"
except TypeError as error:
    keyword_bias = type(error).__name__
    print(f"{keyword_bias}: {error}")
print("bias:", nn.Dense(3, 2, has_bias=False).bias)
# --8<-- [end:keyword_bias]

# --8<-- [start:parameters]
model = Net()
print(model)
for name, parameter in model.parameters_and_names():
    print(name, parameter.shape)
own_name = str(model.body.weight.name)
print("the parameter's own name:", own_name)
# --8<-- [end:parameters]

# --8<-- [start:count]
model = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4))
everything = sum(p.numel() for p in model.get_parameters())
trainable = sum(p.numel() for p in model.trainable_params())
print("parameters:", everything)
print("trainable:", trainable)
# --8<-- [end:count]

# --8<-- [start:sequential]
model = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2))
named = nn.SequentialCell(OrderedDict([("body", nn.Dense(3, 4)), ("act", nn.ReLU())]))
sequential_names = [parameter.name for parameter in model.get_parameters()]
print(sequential_names)
print([parameter.name for parameter in named.get_parameters()])
print(len(model), model[0], len(model[:2]))
try:
    print(model(x, x).shape)
except TypeError as error:
    sequential_inputs = type(error).__name__
    print(error)
# --8<-- [end:sequential]


# --8<-- [start:lists]
class Stack(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(3, 3) for _ in range(2)])
        self.lost = [nn.Dense(3, 3)]  # a plain list hides its layers

    def construct(self, x):
        for layer in self.layers:
            x = ops.relu(layer(x))
        return self.lost[0](x)


stack = Stack()
list_names = [name for name, _parameter in stack.parameters_and_names()]
print(list_names)
print("runs, with the lost layer:", tuple(stack(x).shape))
# --8<-- [end:lists]


# --8<-- [start:dicts]
class Heads(nn.Cell):
    def __init__(self):
        super().__init__()
        self.heads = nn.CellDict({"age": nn.Dense(3, 1), "size": nn.Dense(3, 2)})

    def construct(self, x):
        return {name: head(x) for name, head in self.heads.items()}


heads = fill(Heads())(x)
for name, value in heads.items():
    print(name, value.shape)
try:
    nn.CellDict({"keys": nn.Dense(3, 1)})
except KeyError as error:
    print(type(error).__name__, error.args[0], sep="\n")
# --8<-- [end:dicts]


# --8<-- [start:walk]
class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem = nn.Dense(3, 3)
        self.blocks = nn.SequentialCell(Net(), nn.ReLU())

    def construct(self, x):
        return self.blocks(self.stem(x))


outer = Outer()
walk_names = [name for name, _cell in outer.cells_and_names()]
walk_children = list(outer.name_cells())
linears = [name for name, cell in outer.cells_and_names() if isinstance(cell, nn.Dense)]
print(walk_names)
print("direct children:", walk_children)
print("linear layers:", linears)
# --8<-- [end:walk]

# --8<-- [start:path]
layer = outer.get_sub_cell("blocks.0.body")
weight = outer.parameters_dict()["blocks.0.body.weight"]
print(layer)
print(weight.shape, weight is layer.weight)
# --8<-- [end:path]


# --8<-- [start:own_parameter]
class Standardise(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = Parameter(ops.full((3,), 2.0, dtype=mindspore.float32))
        self.register_buffer("mean", ops.ones(3))
        self.register_buffer("cache", ops.zeros(3), persistent=False)

    def construct(self, x):
        return (x - self.mean) * self.scale


standardise = Standardise()
print(standardise(x))
print("parameters:", [name for name, _value in standardise.parameters_and_names()])
print("buffers:", [name for name, _value in standardise.named_buffers()])
own_state = list(standardise.state_dict())
print("state_dict:", own_state)
# --8<-- [end:own_parameter]

# --8<-- [start:buffer_assign]
try:
    standardise.mean = ops.zeros(3)
    buffer_assign = "works"
except TypeError as error:
    buffer_assign = type(error).__name__
    print(str(error).partition(": ")[0])
print("assigning to a buffer:", buffer_assign)
standardise.mean[:] = Tensor([1.0, 2.0, 3.0])  # writing into it
print(standardise(x))
# --8<-- [end:buffer_assign]


# --8<-- [start:compiled_buffer]
class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", ops.zeros(1))
        self.slots = Parameter(ops.zeros(1), requires_grad=False)
        self.steps = Parameter(ops.zeros(1), requires_grad=False)

    def construct(self, x):
        self.calls[:] = self.calls + 1  # works in eager mode, lost in the graph
        self.slots[:] = self.slots + 1  # lost as well
        self.steps = self.steps + 1  # on a Parameter this writes, in both modes
        return x


counter = Counter()
compiled = mindspore.jit(counter)
compiled(x), compiled(x)
counted = [v.item() for v in (counter.calls, counter.slots, counter.steps)]
print("after two compiled calls")
print("buffer, written by index:", counted[0])
print("parameter, written by index:", counted[1])
print("parameter, written as a whole:", counted[2])
# --8<-- [end:compiled_buffer]

# --8<-- [start:rename]
backbone = nn.Dense(3, 3)
alone = [parameter.name for parameter in backbone.get_parameters()]
whole = nn.SequentialCell(OrderedDict([("backbone", backbone)]))
inside = [parameter.name for parameter in backbone.get_parameters()]
print("before:", alone)
print("after: ", inside)
# --8<-- [end:rename]

# --8<-- [start:freeze]
model = Net()
for parameter in model.body.get_parameters():
    parameter.requires_grad = False
print("trains:", [parameter.name for parameter in model.trainable_params()])
print("frozen:", [parameter.name for parameter in model.untrainable_params()])

model = Net()
model.body.set_grad(False)  # sounds like it, does not freeze
switched_off = len(model.untrainable_params())
print("frozen by one call:", switched_off)
# --8<-- [end:freeze]

# --8<-- [start:mode]
model = nn.SequentialCell(nn.Dense(3, 3), nn.SequentialCell(nn.Dropout(p=0.5)))
fresh = model.training
model.set_train()
model[0].set_train(False)  # one layer only
nested = [cell.training for _name, cell in model.cells_and_names()]
print("fresh:", fresh)
print("model, model[0], model[1], model[1][0]:", nested)
model.set_train(False)
still = any(cell.training for _name, cell in model.cells_and_names())
print("after set_train(False):", still)
# --8<-- [end:mode]

# --8<-- [start:head]
model = Net()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1)
model.set_train()
model.head = nn.SequentialCell(nn.Dropout(p=0.1), nn.Dense(4, 5))
head_names = [parameter.name for parameter in model.get_parameters()]
print(head_names)
print("output:", model(x).shape)
head_modes = [model.training, model.head.training]
print("model trains:", head_modes[0], "- new head trains:", head_modes[1])
held = any(p is model.head[1].weight for p in optimizer.parameters)
print("old optimizer knows the new head:", held)
# --8<-- [end:head]

# --8<-- [start:features]
model = fill(Net())
model.head = nn.Identity()
features = ops.relu(model(x))
print(features)
# --8<-- [end:features]

# --8<-- [start:hooks]
model = fill(Net())
shapes = []
model.body.register_forward_hook(lambda cell, args, out: shapes.append(out.shape))
handle = model.body.register_forward_pre_hook(lambda cell, args: (args[0] * 2,))
doubled = model(x)
handle.remove()
plain = model(x)
print("input doubled:", doubled)
print("hook removed:", plain)
print("seen by the other hook:", shapes)

gradients = []
model.head.register_backward_hook(lambda cell, *grads: gradients.extend(grads))
mindspore.grad(lambda x: model(x).sum(), None, model.trainable_params())(x)
(of_input,), (of_output,) = gradients
print("of the head's input:", of_input)
print("of its output:", of_output)
# --8<-- [end:hooks]


# --8<-- [start:compiled_hook]
def double_and_log(cell, args, output):
    calls.append(1)
    return output * 2


calls = []
model = fill(Net())
model.body.register_forward_hook(double_and_log)
compiled = mindspore.jit(model)
hooked = compiled(x)
compiled(x)
print(hooked)
print("hook's own list after two compiled calls:", len(calls))
# --8<-- [end:compiled_hook]


# --8<-- [start:tied]
class Tied(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 4)
        self.head = nn.Dense(4, 5, has_bias=False)
        self.head.weight = self.embed.embedding_table  # one parameter, two places

    def construct(self, tokens):
        return self.head(self.embed(tokens))


tied = fill(Tied())
weights = tied.trainable_params()
grad_fn = mindspore.grad(lambda tokens: tied(tokens).square().sum(), None, weights)
(tied_gradient,) = grad_fn(Tensor([1, 2]))
print("parameters:", [name for name, _parameter in tied.parameters_and_names()])
tied_state = list(tied.state_dict())
print("state_dict:", tied_state)
print("gradient of both uses together:", round(tied_gradient.abs().sum().item(), 4))
# --8<-- [end:tied]

# --8<-- [start:shared]
twice = nn.Dense(3, 3)
model = nn.SequentialCell(twice, nn.ReLU(), twice)
shared_listed = [parameter.name for parameter in model.get_parameters()]
print("listed as", shared_listed)
print("state_dict:", list(model.state_dict()))
# --8<-- [end:shared]


# --8<-- [start:flatten]
class Digits(nn.Cell):
    def __init__(self, **conv):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 5, **conv)
        self.conv2 = nn.Conv2d(4, 64, 5, **conv)
        self.pool = nn.MaxPool2d(2, 2)
        self.dense = nn.Dense(64 * 4 * 4, 10)

    def construct(self, x):
        x = self.pool(ops.relu(self.conv1(x)))
        x = self.pool(ops.relu(self.conv2(x)))
        return self.dense(x.flatten(start_dim=1))


digit = ops.ones((1, 1, 28, 28))
try:
    ported = str(Digits()(digit).shape)
except ValueError as error:
    ported = type(error).__name__
    print(ported, str(error).splitlines()[0], sep="\n")
fixed = Digits(pad_mode="valid", has_bias=True)(digit).shape
print('with pad_mode="valid":', fixed)
# --8<-- [end:flatten]


# --8<-- [start:arguments]
class TwoInputs(nn.Cell):
    def __init__(self):
        super().__init__()
        self.left = nn.Dense(3, 2)
        self.right = nn.Dense(3, 2)

    def construct(self, x, y=None, *, scale=1.0):
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
layer = nn.Dense(3, 2)
wrong = {}
for what, value in {
    "shape": ops.ones((1, 5)),
    "int64": ops.ones((1, 3), mindspore.int64),
    "NumPy array": np.ones((1, 3), np.float32),
}.items():
    try:
        wrong[what] = str(layer(value).dtype)
    except (ValueError, TypeError) as error:
        wrong[what] = type(error).__name__
        print(f"{what}: {wrong[what]}")
        print(str(error).splitlines()[0][:76])
# --8<-- [end:wrong_input]

# --8<-- [start:functional]
weight, bias = ops.full((2, 3), 0.5, dtype=mindspore.float32), Tensor([1.0, -1.0])
z = Tensor([[-2.0, 0.0, 2.0]])
linear = F.linear(x, weight, bias)  # or ops.dense
print(linear)
activated = [
    nn.ReLU()(z),
    nn.GELU(approximate=False)(z),
    nn.SiLU()(z),
    nn.HSwish()(z),
    nn.SeLU()(z),
    nn.LeakyReLU(0.01)(z),
]
for values in activated:
    print([round(value, 4) for value in values[0].tolist()])
# --8<-- [end:functional]

# --8<-- [start:deepcopy]
model = fill(Net())
twin = copy.deepcopy(model)
model.head.weight.set_data(ops.zeros_like(model.head.weight))
copied = twin.head.weight.abs().sum().item()
print(f"the copy keeps its weights: {copied:.4f}")
print([parameter.name for parameter in twin.get_parameters()])
# --8<-- [end:deepcopy]


# --8<-- [start:copy_weights]
def by_set_data(target, source):
    target.weight.set_data(source.weight)


def by_dict(target, source):
    mindspore.load_param_into_net(target, source.parameters_dict())


def by_state_dict(target, source):
    target.load_state_dict(source.state_dict())


def follows(copy_into):  # whether training the source moves the target
    source, target = nn.Dense(3, 1), nn.Dense(3, 1)
    copy_into(target, source)
    optimizer = nn.SGD(source.trainable_params(), learning_rate=0.1)
    before = target.weight.asnumpy().copy()
    optimizer(mindspore.grad(lambda x: source(x).sum(), None, optimizer.parameters)(x))
    return not np.array_equal(target.weight.asnumpy(), before)


follow = {way.__name__: follows(way) for way in (by_set_data, by_dict, by_state_dict)}
for name, value in follow.items():
    print(f"{name}: the target moves along: {value}")
follow_copy = follows(lambda target, source: target.weight.set_data(source.weight.copy()))
print("set_data of a copy: the target moves along:", follow_copy)
# --8<-- [end:copy_weights]

# --8<-- [start:names]
asked = [
    "parameters", "named_parameters", "modules", "named_modules", "children", "get_submodule",
    "train", "eval", "requires_grad_", "zero_grad", "half",
    "buffers", "register_buffer", "apply", "to", "state_dict", "register_forward_hook",
]  # fmt: skip
missing = [name for name in asked if not hasattr(nn.Cell, name)]
print("missing:", *missing[:6])
print(*missing[6:])
try:
    Net().named_parameters()
except AttributeError as error:
    print(f"{type(error).__name__}: {error}")
print("children:", len(list(Net().cells())))
half = Net().to(mindspore.float16).body.weight.dtype
print("half:", half)
# --8<-- [end:names]


# --8<-- [start:classifier]
class Classifier(nn.Cell):
    def __init__(self, classes=3):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.bn1 = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 8, 3, pad_mode="pad", padding=1, has_bias=True)
        self.pool = nn.MaxPool2d(2, 2)
        self.drop = nn.Dropout(p=0.2)
        self.fc = nn.Dense(8 * 2 * 2, classes)

    def construct(self, x):
        x = self.pool(ops.relu(self.bn1(self.conv1(x))))
        x = self.pool(ops.relu(self.conv2(x)))
        return self.fc(self.drop(x.flatten(start_dim=1)))


classifier = Classifier()
state = classifier.state_dict()
order = ["conv1.weight", "conv1.bias", "bn1.gamma", "bn1.beta", "bn1.moving_mean"]
order += ["bn1.moving_variance", "conv2.weight", "conv2.bias", "fc.weight", "fc.bias"]
rng = np.random.default_rng(0)
for name in order:
    numbers = rng.uniform(0.1, 0.3, state[name].shape)
    state[name] = Tensor(numbers.astype(np.float32))
classifier.load_state_dict(state)

photos = Tensor(rng.standard_normal((4, 1, 16, 16)).astype(np.float32))
classifier.set_train(False)
logits = classifier(photos)
print(order[2:6])
print(logits[0])
# --8<-- [end:classifier]

# --8<-- [start:classifier_train]
labels = Tensor([0, 1, 2, 0], mindspore.int32)
groups = [{"params": classifier.trainable_params()}]  # a group: gamma and beta decay too
optimizer = nn.SGD(groups, learning_rate=0.05, momentum=0.9, weight_decay=0.1)
loss_fn = nn.CrossEntropyLoss()
grad_fn = mindspore.value_and_grad(
    lambda photos, labels: loss_fn(classifier(photos), labels), None, optimizer.parameters
)
classifier.set_train()
classifier.drop.set_train(False)  # dropout draws other numbers in each framework
curve = []
for _step in range(3):
    loss, grads = grad_fn(photos, labels)
    optimizer(grads)
    curve.append(loss.item())
print("losses:", [round(value, 4) for value in curve])
running = classifier.bn1.moving_mean
print("running mean:", running.asnumpy())
# --8<-- [end:classifier_train]

agree = {
    "define": output,
    "parameters": [f"{name} {p.shape}" for name, p in Net().parameters_and_names()],
    "parameters_own_name": own_name,
    "no_forward": no_forward,
    "keyword_bias": keyword_bias,
    "rename": inside[0],
    "count_all": everything,
    "count_trainable": trainable,
    "sequential": sequential_names,
    "sequential_inputs": sequential_inputs,
    "lists": list_names,
    "dicts": [value.asnumpy().ravel()[0] for value in heads.values()],
    "walk": walk_names,
    "walk_children": walk_children,
    "walk_linear": linears,
    "path": outer.parameters_dict()["blocks.0.body.weight"].shape,
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
    "functional_activations": ops.cat(activated),
    "deepcopy": copied,
    "copy_weights_one": follow["by_set_data"],
    "copy_weights_all": follow["by_dict"],
    "copy_weights_state_dict": follow["by_state_dict"],
    "names_missing": len(missing),
    "names_half": str(half).rpartition(".")[2].lower(),
    "classifier": logits,
    "classifier_train": curve,
    "classifier_train_running_mean": running,
}
