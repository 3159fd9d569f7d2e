"""A compiled training step, and the weights that a compiled function sees and changes."""

import mindspore
from mindspore import Parameter, Tensor, nn, ops

# --8<-- [start:train_step]
graphs = []


@ops.constexpr
def counted():  # runs while a graph is compiled, and not again
    graphs.append(1)
    return 1


model = nn.Dense(1, 1, weight_init="ones", bias_init="zeros")
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1)


def forward(x, y):
    return ((model(x) - y) ** 2).mean() * counted()


grad_fn = mindspore.value_and_grad(forward, None, optimizer.parameters)


@mindspore.jit
def train_step(x, y):
    loss, grads = grad_fn(x, y)
    optimizer(grads)
    return loss


x, y = ops.ones((4, 1)), ops.zeros((4, 1))
train_losses = [train_step(x, y).item() for _step in range(3)]
train_graphs = len(graphs)
print("losses:", [round(loss, 4) for loss in train_losses])
print("graphs:", train_graphs)
# --8<-- [end:train_step]


# --8<-- [start:state]
class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.steps = Parameter(Tensor([0.0]), requires_grad=False)
        self.total = Parameter(Tensor([0.0]), requires_grad=False)

    def construct(self, x):
        self.steps = self.steps + 1  # writes into the parameter
        ops.assign(self.total, self.total + x)  # so does this
        return x * self.steps


counter = Counter()
state = [counter(Tensor([10.0])).item()]  # eager
counter.construct = mindspore.jit(counter.construct)
state += [counter(Tensor([10.0])).item() for _call in range(2)]
print("results:", state)
state_steps = [counter.steps.item(), counter.total.item()]
print("steps and total:", state_steps)
# --8<-- [end:state]


# --8<-- [start:set_data]
class Replacing(nn.Cell):
    def __init__(self):
        super().__init__()
        self.steps = Parameter(Tensor([0.0]), requires_grad=False)

    @mindspore.jit
    def construct(self, x):
        self.steps.set_data(self.steps + 1)
        return x * self.steps


replacing = Replacing()
try:
    result = replacing(Tensor([10.0]))
    set_data = "works"
    print("result:", result.item(), "steps:", replacing.steps.item())
except RuntimeError as error:
    set_data = type(error).__name__
    print(set_data, str(error)[:91])
# --8<-- [end:set_data]


# --8<-- [start:loaded]
def after(change):
    """Compiled and eager result after a change of the weight from 1 to 5."""
    layer = nn.Dense(1, 1, weight_init="ones", has_bias=False)
    forward = mindspore.jit(layer)
    forward(x)  # compiled here, with weight 1
    change(layer)
    return [forward(x).item(), layer(x).item()]


def write_slice(layer):
    layer.weight[:] = five


x, five = Tensor([[1.0]]), Tensor([[5.0]])
checkpoint = {"weight": Parameter(five)}
loaded = after(lambda layer: mindspore.load_param_into_net(layer, checkpoint))
loaded_state_dict = after(lambda layer: layer.load_state_dict({"weight": five}))
loaded_replaced = after(lambda layer: layer.weight.set_data(five))
loaded_in_place = after(lambda layer: ops.assign(layer.weight, five))
loaded_copy = after(lambda layer: layer.weight.copy_(five))
loaded_slice = after(write_slice)
print("load_param_into_net:", *loaded)
print("load_state_dict:    ", *loaded_state_dict)
print("set_data:           ", *loaded_replaced)
print("ops.assign:         ", *loaded_in_place)
print("copy_:              ", *loaded_copy)
print("[:] =:              ", *loaded_slice)
# --8<-- [end:loaded]

# --8<-- [start:loaded_graph_mode]
layer = nn.Dense(1, 1, weight_init="ones", has_bias=False)
mindspore.set_context(mode=mindspore.GRAPH_MODE)  # the Cell is compiled, no jit is written
loaded_graph_mode = [layer(x).item()]
mindspore.load_param_into_net(layer, checkpoint)
loaded_graph_mode.append(layer(x).item())
mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
print("before and after loading:", *loaded_graph_mode)
# --8<-- [end:loaded_graph_mode]

# --8<-- [start:recompiled]
layer = nn.Dense(1, 1, weight_init="ones", has_bias=False)
mindspore.jit(layer)(x)
mindspore.load_param_into_net(layer, checkpoint)
recompiled_again = mindspore.jit(layer)(x).item()
print("compiled once more:", recompiled_again)


@mindspore.jit
def new_forward(x):
    return layer(x)


recompiled_new = new_forward(x).item()
print("in a new function:", recompiled_new)
layer = nn.Dense(1, 1, has_bias=False)
mindspore.load_param_into_net(layer, checkpoint)
recompiled_after = mindspore.jit(layer)(x).item()
print("first compiled after loading:", recompiled_after)
# --8<-- [end:recompiled]

agree = {
    "train_step": train_losses,
    "train_step_graphs": train_graphs,
    "state": state,
    "state_steps": state_steps,
    "set_data": set_data,
    "loaded": loaded,
    "loaded_state_dict": loaded_state_dict,
    "loaded_replaced": loaded_replaced,
    "loaded_in_place": loaded_in_place,
    "loaded_copy": loaded_copy,
    "loaded_slice": loaded_slice,
    "loaded_graph_mode": loaded_graph_mode,
    "recompiled_again": recompiled_again,
    "recompiled_new": recompiled_new,
    "recompiled_after": recompiled_after,
}
