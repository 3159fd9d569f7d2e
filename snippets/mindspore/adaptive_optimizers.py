"""Adam and its kin from the same start on the same loss: what agrees, what does not."""

import mindspore
from mindspore import Parameter, Tensor, nn
from mindspore.experimental import optim

# --8<-- [start:problem]
mindspore.runtime.launch_blocking()  # before the first operator: quicker for tiny models
x = Tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
y = Tensor([1.0, 2.0, 3.0])
start = [1.0, -2.0]


def train(make_optimizer, steps=5, scale=1.0):
    """Where one weight ends after a few steps from `start`."""
    weight = Parameter(Tensor(start), name="weight")
    optimizer = make_optimizer([weight])

    def loss_fn():
        return scale * ((x @ weight - y) ** 2).mean()

    grad_fn = mindspore.value_and_grad(loss_fn, None, optimizer.parameters)
    for _step in range(steps):
        loss, grads = grad_fn()
        optimizer(grads)
    return weight.tolist()


def show(name, weight):
    print(f"{name}: {weight[0]:.4f}, {weight[1]:.4f}")


problem = train(lambda params: nn.SGD(params, learning_rate=0.1), steps=0)
show("start", problem)
# --8<-- [end:problem]

# --8<-- [start:adam]
adam = train(lambda params: nn.Adam(params, learning_rate=0.01, beta1=0.8, beta2=0.99))
adam_l2 = train(lambda params: nn.Adam(params, learning_rate=0.01, weight_decay=0.1))
show("Adam", adam)
show("Adam, weight_decay=0.1", adam_l2)
try:
    nn.Adam([Parameter(Tensor(start), name="weight")], betas=(0.8, 0.99))
    adam_betas = "works"
except KeyError as error:
    adam_betas = type(error).__name__
    print("betas=:", adam_betas, error.args[0].partition(", supported")[0])
# --8<-- [end:adam]

# --8<-- [start:tiny_gradients]
scale = 1e-9  # of the loss, and so of every gradient
tiny_adam = train(lambda params: nn.Adam(params, 0.01), scale=scale)
tiny_experimental = train(lambda params: optim.Adam(params, lr=0.01), scale=scale)
options = {"lr": 0.01, "weight_decay": 0.0}
tiny_adamw = train(lambda params: optim.AdamW(params, **options), scale=scale)
show("nn.Adam", tiny_adam)
show("experimental.optim.Adam", tiny_experimental)
show("experimental.optim.AdamW, no decay", tiny_adamw)
# --8<-- [end:tiny_gradients]

# --8<-- [start:amsgrad]
amsgrad_off = train(lambda params: nn.Adam(params, 0.1, beta2=0.5))
amsgrad_nn = train(lambda params: nn.Adam(params, 0.1, beta2=0.5, use_amsgrad=True))
options = {"lr": 0.1, "betas": (0.9, 0.5)}
amsgrad_adam = train(lambda params: optim.Adam(params, **options, amsgrad=True))
show("off", amsgrad_off)
show("nn.Adam, on", amsgrad_nn)
show("experimental.optim.Adam, on", amsgrad_adam)
# --8<-- [end:amsgrad]

# --8<-- [start:adamw]
adamw = train(lambda params: optim.AdamW(params, lr=0.01, weight_decay=0.1))
options = {"learning_rate": 0.01, "eps": 1e-8, "weight_decay": 0.1}
adamw_lookalike = train(lambda params: nn.AdamWeightDecay(params, **options))
show("experimental.optim.AdamW", adamw)
show("nn.AdamWeightDecay", adamw_lookalike)
# --8<-- [end:adamw]

# --8<-- [start:rmsprop]
rmsprop = train(lambda params: optim.RMSprop(params, lr=0.01, alpha=0.9, eps=1e-8))
rmsprop_nn = train(lambda params: nn.RMSProp(params, 0.01, decay=0.9, epsilon=1e-8))
show("experimental.optim.RMSprop", rmsprop)
show("nn.RMSProp", rmsprop_nn)
# --8<-- [end:rmsprop]


# --8<-- [start:adagrad]
def adagrad(**options):
    return train(lambda params: nn.Adagrad(params, learning_rate=0.1, **options))


adagrad_plain = adagrad()
adagrad_same = adagrad(accum=0.1)
adagrad_zero = adagrad(accum=0.0)
show("as it comes", adagrad_plain)
show("accumulator from 0.1", adagrad_same)
show("accumulator from 0", adagrad_zero)
# --8<-- [end:adagrad]

agree = {
    "problem": problem,
    "adam": adam,
    "adam_l2": adam_l2,
    "adam_betas": adam_betas,
    "adamw": adamw,
    "adamw_lookalike": adamw_lookalike,
    "tiny_gradients_adam": tiny_adam,
    "tiny_gradients_adamw": tiny_adamw,
    "amsgrad_off": amsgrad_off,
    "amsgrad_nn": amsgrad_nn,
    "amsgrad_experimental_adam": amsgrad_adam,
    "rmsprop": rmsprop,
    "rmsprop_nn": rmsprop_nn,
    "adagrad_nn": adagrad_plain,
    "adagrad_accumulator": adagrad_same,
    "adagrad_zero": adagrad_zero,
    "tiny_gradients_experimental_adam": tiny_experimental,
}
