"""What makes a compiled function compile again, counted."""

import mindspore
from mindspore import Tensor, nn, ops

# --8<-- [start:shapes]
graphs = []


@ops.constexpr
def counted():  # runs while a graph is compiled, and not again
    graphs.append(1)
    return 1


def double(x):
    return x * 2 * counted()


def count_shapes(function, sizes):
    graphs.clear()
    counts = []
    for size in sizes:
        function(ops.ones((size,)))
        counts.append(len(graphs))
    return counts


sizes = [2, 2, 3, 4, 5, 2]
shapes = count_shapes(mindspore.jit(double), sizes)
print("sizes:       ", sizes)
print("compilations:", shapes)
# --8<-- [end:shapes]


# --8<-- [start:dynamic]
class Double(nn.Cell):
    @mindspore.jit
    def construct(self, x):
        return x * 2 * counted()


any_length = Tensor(shape=[None], dtype=mindspore.float32)


@mindspore.enable_dynamic(x=any_length)
@mindspore.jit
def double_any(x):
    return x * 2 * counted()


@mindspore.jit(dynamic=1)
def double_auto(x):
    return x * 2 * counted()


dynamic = count_shapes(double_any, sizes)
print("enable_dynamic:", dynamic)
dynamic_auto = count_shapes(double_auto, sizes)
print("jit(dynamic=1):", dynamic_auto)
net = Double()
net.set_inputs(any_length)
dynamic_marked = count_shapes(net, sizes)[-1]
print("set_inputs:", dynamic_marked)
# --8<-- [end:dynamic]

# --8<-- [start:scalars]
graphs.clear()


@mindspore.jit
def scale(x, factor):
    return x * factor * counted()


scalars = []
x = ops.ones((2,))
for factor in (0.1, 0.2, 0.3, 0.4, 0.1):
    scale(x, factor)
    scalars.append(len(graphs))
print("float argument: ", scalars)
graphs.clear()
for factor in (0.1, 0.2, 0.3, 0.4, 0.1):
    scale(x, Tensor(factor))
scalars_tensor = len(graphs)
print("tensor argument:", scalars_tensor)
# --8<-- [end:scalars]


# --8<-- [start:modes]
class Dropped(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(p=0.5)

    @mindspore.jit
    def construct(self, x):
        return self.dropout(x) * counted()


graphs.clear()
net = Dropped()
modes = []
for training in (True, False, True, False):
    net.set_train(training)
    net(x)
    modes.append(len(graphs))
print("train, eval, train, eval:", modes)
# --8<-- [end:modes]

# --8<-- [start:again]
graphs.clear()
for _step in range(3):
    again = mindspore.jit(double)(x)
again_graphs = len(graphs)
print("compiled inside the loop:", again_graphs)
# --8<-- [end:again]

# --8<-- [start:limit]
sizes = list(range(1, 13))
limit = count_shapes(mindspore.jit(double), sizes)[-1]
print("sizes:", len(sizes), "compilations:", limit)
# --8<-- [end:limit]

agree = {
    "shapes": shapes,
    "dynamic": dynamic[-1],
    "dynamic_marked": dynamic_marked,
    "scalars": scalars,
    "scalars_tensor": scalars_tensor,
    "modes": modes,
    "again": again,
    "again_graphs": again_graphs,
    "limit": limit,
}
