"""What vmap refuses: Python branches, random numbers, and in MindSpore a lambda."""

import torch
from torch.func import vmap


# --8<-- [start:branch]
def absolute(x):
    if x > 0:
        return x
    return -x


numbers = torch.tensor([-1.0, 2.0])
try:
    branch = vmap(absolute)(numbers).tolist()
except RuntimeError as error:
    branch = type(error).__name__
    print(str(error).partition(",")[0][:90])
branch_where = vmap(lambda x: torch.where(x > 0, x, -x))(numbers)
print(branch, branch_where)
# --8<-- [end:branch]


# --8<-- [start:randomness]
def noisy(x):
    return x + torch.rand(())


def add(x, noise):
    return x + noise


torch.manual_seed(0)
try:
    vmap(noisy)(torch.zeros(4))
    randomness = "works"
except RuntimeError as error:
    randomness = type(error).__name__
    print(str(error).partition(".")[0])
allowed = vmap(noisy, randomness="different")(torch.zeros(4))
print('randomness="different":', len(set(allowed.tolist())), "different values")
noise = torch.rand(4)
randomness_explicit = len(set(vmap(add)(torch.zeros(4), noise).tolist()))
print(randomness, "| drawn outside:", randomness_explicit, "different values")
# --8<-- [end:randomness]


# --8<-- [start:lambda_argument]
batch = torch.arange(6.0).reshape(2, 3)
squares_of_rows = vmap(lambda row: (row**2).sum())(batch)
lambda_argument = "works"
print(lambda_argument, squares_of_rows)
# --8<-- [end:lambda_argument]

agree = {
    "branch": branch,
    "branch_where": branch_where,
    "randomness": randomness,
    "randomness_explicit": randomness_explicit,
    "lambda_argument": lambda_argument,
}
