"""What a clock sees when operators run after the call returned."""

import time

import mindspore
import numpy as np
from mindspore import Tensor, ops

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

agree = {
    "timing_result": timing_result,
    "timing_call_computes": timing_call_computes,
    "synchronize": synchronize,
}
