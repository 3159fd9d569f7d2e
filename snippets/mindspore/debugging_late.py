"""Errors and clocks under asynchronous execution: what the traceback and the timer really point at."""

import contextlib
import time
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

# --8<-- [start:timing]
square = Tensor(np.full((700, 700), 0.001, np.float32))
ops.matmul(square, square).asnumpy()  # warm up: the first call is never typical
start = time.perf_counter()
product = ops.matmul(square, square)
returned = time.perf_counter() - start
timing_result = product[0, 0].asnumpy()  # waits for the result
finished = time.perf_counter() - start

timing_call_computes = returned > finished / 2
print(f"one element: {timing_result:.6f}")
print("most of the time was spent in the call:", timing_call_computes)
# --8<-- [end:timing]

# --8<-- [start:synchronize]
try:
    mindspore.runtime.synchronize()  # waits on Ascend; on CPU it logs an error and does not wait
    synchronize = "works"
except RuntimeError as error:
    synchronize = type(error).__name__
print("synchronize:", synchronize)
# --8<-- [end:synchronize]

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
    "timing_result": timing_result,
    "timing_call_computes": timing_call_computes,
    "synchronize": synchronize,
    "too_late_line": too_late_line,
    "old_error": old_error,
}
