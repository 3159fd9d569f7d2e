"""Whole Jacobians and Hessians, by rows and by columns."""

import mindspore
from mindspore import Tensor, grad, jacfwd, jacrev, ops

# --8<-- [start:jacobians]
mindspore.runtime.launch_blocking()  # before the first operator: quicker for small models on CPU
x = Tensor([1.0, 2.0, 3.0])


def sums(x):
    return ops.stack((x.sum(), (x**2).sum()))


by_rows = jacrev(sums)(x)  # one backward pass for each output
by_columns = jacfwd(sums)(x)  # one forward pass for each input
jacobians = [by_rows.tolist(), by_columns.tolist()]
print(by_rows)
# --8<-- [end:jacobians]


# --8<-- [start:second_order]
def coupled(x):  # the product couples every element with every other
    return x.sum() * (x**2).sum()


second_order = jacfwd(grad(coupled))(x)
print(second_order)
# --8<-- [end:second_order]

agree = {
    "jacobians": jacobians,
    "second_order": second_order,
}
