"""Errors and clocks under asynchronous execution: what the traceback and the timer really point at."""

import contextlib
import traceback

import mindspore
import numpy as np
from mindspore import Tensor, ops


# --8<-- [start:late]
def failing_line(function):
    """The line of this file where the exception came out, and the first line of its message."""
    try:
        function()
    except (RuntimeError, IndexError, ValueError) as error:
        frames = traceback.extract_tb(error.__traceback__)
        line = [frame.line for frame in frames if frame.filename == __file__][-1]
        return line, str(error).splitlines()[0]
    return "no error", ""


table, index = Tensor(np.ones((3, 2), np.float32)), Tensor([7])


def lookup():
    rows = ops.gather(table, index, 0)  # wrong: there is no row 7
    total = table + 1.0  # right
    print(total.asnumpy())
    return rows


late_line, message = failing_line(lookup)
print("raised at:", late_line)
print("message:", message)
# --8<-- [end:late]


# --8<-- [start:too_late]
mindspore.runtime.launch_blocking()  # after the first operator: silently incomplete


def multiply():
    product = ops.matmul(table, table)  # wrong: (3, 2) times (3, 2)
    total = table + 1.0  # right
    print(total.asnumpy())
    return product


too_late_line, message = failing_line(multiply)
print("raised at:", too_late_line)
print("message:", message)
# --8<-- [end:too_late]


# --8<-- [start:old_error]
left, right = Tensor(np.ones((2, 3), np.float32)), Tensor(np.ones(4, np.float32))
old_error = "no"
for _attempt in range(3000):  # it takes some tries
    with contextlib.suppress(ValueError, RuntimeError):
        (left + right).asnumpy()  # shapes that do not fit
    try:
        (left + left).asnumpy()  # nothing is wrong here
    except (ValueError, RuntimeError) as error:
        old_error = "yes"
        print(type(error).__name__, str(error).split(". ")[0])
        break
print("a correct call reported the error before it:", old_error)
# --8<-- [end:old_error]

agree = {
    "late_line": late_line,
    "too_late_line": too_late_line,
    "old_error": old_error,
}
