"""Adam and its kin from the same start on the same loss: what agrees, what does not."""

import torch
from torch import nn

# --8<-- [start:problem]
x = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
y = torch.tensor([1.0, 2.0, 3.0])
start = [1.0, -2.0]


def train(make_optimizer, steps=5, scale=1.0):
    """Where one weight ends after a few steps from `start`."""
    weight = nn.Parameter(torch.tensor(start))
    optimizer = make_optimizer([weight])
    for _step in range(steps):
        optimizer.zero_grad()
        loss = scale * ((x @ weight - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return weight.tolist()


def show(name, weight):
    print(f"{name}: {weight[0]:.4f}, {weight[1]:.4f}")


problem = train(lambda params: torch.optim.SGD(params, lr=0.1), steps=0)
show("start", problem)
# --8<-- [end:problem]

# --8<-- [start:adam]
adam = train(lambda params: torch.optim.Adam(params, lr=0.01, betas=(0.8, 0.99)))
adam_l2 = train(lambda params: torch.optim.Adam(params, lr=0.01, weight_decay=0.1))
show("Adam", adam)
show("Adam, weight_decay=0.1", adam_l2)
adam_betas = "works"
print("betas=:", adam_betas)
# --8<-- [end:adam]

# --8<-- [start:tiny_gradients]
scale = 1e-9  # of the loss, and so of every gradient
tiny_adam = train(lambda params: torch.optim.Adam(params, lr=0.01), scale=scale)
options = {"lr": 0.01, "weight_decay": 0}
tiny_adamw = train(lambda params: torch.optim.AdamW(params, **options), scale=scale)
show("Adam", tiny_adam)
show("AdamW, no decay", tiny_adamw)
# --8<-- [end:tiny_gradients]

# --8<-- [start:amsgrad]
options = {"lr": 0.1, "betas": (0.9, 0.5)}
amsgrad_off = train(lambda params: torch.optim.Adam(params, **options))
amsgrad_adam = train(lambda params: torch.optim.Adam(params, **options, amsgrad=True))
show("off", amsgrad_off)
show("on", amsgrad_adam)
# --8<-- [end:amsgrad]

# --8<-- [start:adamw]
adamw = train(lambda params: torch.optim.AdamW(params, lr=0.01, weight_decay=0.1))
show("AdamW", adamw)
# --8<-- [end:adamw]

# --8<-- [start:rmsprop]
rmsprop = train(lambda params: torch.optim.RMSprop(params, lr=0.01, alpha=0.9, eps=1e-8))
show("RMSprop", rmsprop)
# --8<-- [end:rmsprop]


# --8<-- [start:adagrad]
def adagrad(**options):
    return train(lambda params: torch.optim.Adagrad(params, lr=0.1, **options))


adagrad_plain = adagrad()
adagrad_same = adagrad(initial_accumulator_value=0.1)
adagrad_zero = adagrad(initial_accumulator_value=0)
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
    "adamw_lookalike": adamw,
    "tiny_gradients_adam": tiny_adam,
    "tiny_gradients_adamw": tiny_adamw,
    "amsgrad_off": amsgrad_off,
    "amsgrad_nn": amsgrad_adam,
    "amsgrad_experimental_adam": amsgrad_adam,
    "rmsprop": rmsprop,
    "rmsprop_nn": rmsprop,
    "adagrad_nn": adagrad_plain,
    "adagrad_accumulator": adagrad_same,
    "adagrad_zero": adagrad_zero,
    "tiny_gradients_experimental_adam": tiny_adam,
}
