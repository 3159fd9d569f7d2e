"""Functions of functions: gradients with values and auxiliary outputs, Jacobian products in both modes."""

import torch
from torch.func import grad, grad_and_value, jvp, vjp

# --8<-- [start:names]
shared = ["grad", "jvp", "vjp", "jacrev", "jacfwd", "vmap"]
names_shared = [name for name in shared if hasattr(torch.func, name)]
asked = ["hessian", "functional_call", "linearize", "stack_module_state"]
names_more = [name for name in asked if hasattr(torch.func, name)]
print("torch.func:", *names_shared)
print("and also:", *names_more)
# --8<-- [end:names]

# --8<-- [start:grad_of_function]
x = torch.tensor([1.0, 2.0, 3.0])


def energy(x):
    return (x**3).sum()


grad_of_function = grad(energy)(x)
print(grad_of_function)
# --8<-- [end:grad_of_function]

# --8<-- [start:value_too]
first, second = grad_and_value(energy)(x)
value_too_first = "gradient" if first.shape == x.shape else "value"
print(first, second)
# --8<-- [end:value_too]

# --8<-- [start:positions]
a = torch.tensor([1.0, 2.0])
b = torch.tensor([3.0, 4.0])


def product(a, b):
    return (a * b).sum()


positions = grad(product, argnums=(0, 1))(a, b)
print(*positions)
# --8<-- [end:positions]


# --8<-- [start:aux]
def energy_with_aux(x):
    squares = x**2
    return (squares * x).sum(), squares


aux_gradient, aux_squares = grad(energy_with_aux, has_aux=True)(x)
aux_type = type(aux_squares).__name__
print(aux_gradient, aux_type, aux_squares)
# --8<-- [end:aux]


# --8<-- [start:forward_mode]
def wave(x):
    return torch.sin(x) * x.sum()


direction = torch.tensor([1.0, 0.0, 1.0])
forward_mode_value, forward_mode_tangent = jvp(wave, (x,), (direction,))
print(forward_mode_tangent)
# --8<-- [end:forward_mode]

# --8<-- [start:reverse_mode]
reverse_mode_value, pull_back = vjp(wave, x)
(reverse_mode,) = pull_back(direction)
print(reverse_mode)
# --8<-- [end:reverse_mode]


# --8<-- [start:hessian_vector]
def coupled(x):  # the product couples every element with every other
    return x.sum() * (x**2).sum()


_, hessian_vector = jvp(grad(coupled), (x,), (direction,))
print(hessian_vector)
# --8<-- [end:hessian_vector]

agree = {
    "names_shared": names_shared,
    "names_more": ", ".join(names_more) or "none of these",
    "grad_of_function": grad_of_function,
    "value_too": second,
    "value_too_gradient": first,
    "value_too_first": value_too_first,
    "positions": [gradient.tolist() for gradient in positions],
    "aux_gradient": aux_gradient,
    "aux_type": aux_type,
    "aux_squares": aux_squares,
    "forward_mode_value": forward_mode_value,
    "forward_mode_tangent": forward_mode_tangent,
    "reverse_mode_value": reverse_mode_value,
    "reverse_mode": reverse_mode,
    "hessian_vector": hessian_vector,
}
