"""What a clock sees when operators run after the call returned."""

import time

import numpy as np
import torch

# --8<-- [start:timing]
square = torch.from_numpy(np.full((700, 700), 0.001, np.float32))
(square @ square).numpy()  # warm up: the first call is never typical
start = time.perf_counter()
product = square @ square
returned = time.perf_counter() - start
timing_result = product[0, 0].numpy()  # on CPU the result is already there
finished = time.perf_counter() - start

timing_call_computes = returned > finished / 2
print(f"one element: {timing_result:.6f}")
print("most of the time was spent in the call:", timing_call_computes)
# --8<-- [end:timing]


# --8<-- [start:synchronize]
try:
    torch.cuda.synchronize()  # waits on CUDA; a CPU build refuses it
    synchronize = "works"
except AssertionError as error:
    synchronize = type(error).__name__
    print(error)
print("synchronize:", synchronize)
# --8<-- [end:synchronize]

agree = {
    "timing_result": timing_result,
    "timing_call_computes": timing_call_computes,
    "synchronize": synchronize,
}
