"""What vmap refuses: Python branches, random numbers, and in MindSpore a lambda."""

import mindspore
from mindspore import Tensor, mint, ops, vmap

# --8<-- [start:branch]
mindspore.runtime.launch_blocking()  # before the first operator: quicker for small models on CPU


def absolute(x):
    if x > 0:
        return x
    return -x


numbers = Tensor([-1.0, 2.0])
try:
    branch = vmap(absolute)(numbers).tolist()
except ValueError as error:
    branch = type(error).__name__
    print(str(error).partition(",")[0][:90])


def absolute_where(x):
    return ops.where(x > 0, x, -x)


branch_where = vmap(absolute_where)(numbers)
print(branch, branch_where)
# --8<-- [end:branch]


# --8<-- [start:randomness]
def noisy(x):
    return x + ops.rand(1)[0]


def noisy_mint(x):
    return x + mint.rand(1)[0]


def add(x, noise):
    return x + noise


mindspore.set_seed(0)
try:
    vmap(noisy)(ops.zeros((4,)))
    randomness = "works"
except RuntimeError as error:
    randomness = type(error).__name__
    print(str(error).splitlines()[0])
try:
    vmap(noisy_mint)(ops.zeros((4,)))
except ValueError as error:
    print(type(error).__name__, str(error).splitlines()[0])
noise = ops.rand(4)
randomness_explicit = len(set(vmap(add)(ops.zeros((4,)), noise).tolist()))
print(randomness, "| drawn outside:", randomness_explicit, "different values")
# --8<-- [end:randomness]


# --8<-- [start:lambda_argument]
batch = ops.arange(6.0).reshape(2, 3)
try:
    vmap(lambda row: (row**2).sum())(batch)
    lambda_argument = "works"
except TypeError as error:
    lambda_argument = type(error).__name__
    print(str(error).partition(".")[0])


def square(row):
    return (row**2).sum()


print(lambda_argument, vmap(square)(batch))
# --8<-- [end:lambda_argument]

agree = {
    "branch": branch,
    "branch_where": branch_where,
    "randomness": randomness,
    "randomness_explicit": randomness_explicit,
    "lambda_argument": lambda_argument,
}
