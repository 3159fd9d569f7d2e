"""Data-parallel training in two processes, started by torchrun: collectives, shards, averaged gradients."""

import inspect
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import _functional_collectives as functional
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

# --8<-- [start:plain_process]
try:
    dist.init_process_group("gloo")
    plain_process = "works"
except ValueError as error:
    plain_process = type(error).__name__
    print(plain_process)
    print(error)
# --8<-- [end:plain_process]


# --8<-- [start:collectives]
def collectives(rank, size):
    x = torch.tensor([rank + 1.0])
    total = x.clone()
    dist.all_reduce(total)  # in place, and a sum unless op= says otherwise
    parts = [torch.zeros(1) for _ in range(size)]
    dist.all_gather(parts, x)
    first = x.clone()
    dist.broadcast(first, 0)
    return {
        "all_reduce": total.tolist(),
        "all_gather": [part.item() for part in parts],
        "broadcast": first.tolist(),
    }


# --8<-- [end:collectives]


# --8<-- [start:gradient_through]
def gradient_through(rank, size):
    x = torch.ones(1, requires_grad=True)
    total = functional.all_reduce(x, "sum", dist.group.WORLD)
    (total * (rank + 1)).sum().backward()
    returned, x.grad = x.grad.item(), None

    total = x * 1.0
    dist.all_reduce(total)  # writes the sum, and the graph does not know of it
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (total * (rank + 1)).sum().backward()
    return {"returned": returned, "in place": x.grad.item(), "warned": bool(caught)}


# --8<-- [end:gradient_through]


# --8<-- [start:starting_weights]
def starting_weights(rank, size):
    def fresh(seed):
        torch.manual_seed(seed)
        return nn.Linear(1, 1)

    result = {"no seed": nn.Linear(1, 1).weight.item()}
    same, own = fresh(0), fresh(rank)
    result |= {"same seed": same.weight.item(), "own seed": own.weight.item()}
    DistributedDataParallel(own)  # broadcasts from rank 0, parameters and buffers
    result["wrapped"] = own.weight.item()

    own = fresh(rank)
    for parameter in own.parameters():
        dist.broadcast(parameter.data, 0)
    result["broadcast"] = own.weight.item()
    return result


# --8<-- [end:starting_weights]


# --8<-- [start:shards]
def shards(rank, size):
    def epochs(sampler, n=2):
        return [list(sampler) for _ in range(n)]

    in_order = DistributedSampler(range(5), size, rank, shuffle=False)
    torch.manual_seed(0)
    shuffled = DistributedSampler(range(5), size, rank)
    result = {"in order": list(in_order), "shuffled": epochs(shuffled)}
    shuffled.set_epoch(1)  # without it every epoch has the order of the first
    result["set_epoch"] = list(shuffled)
    torch.manual_seed(rank + 10)  # the sampler has a seed of its own, and ignores this one
    result["own seed"] = list(DistributedSampler(range(5), size, rank))
    return result


# --8<-- [end:shards]


# --8<-- [start:average_gradients]
def problem():
    rng = np.random.default_rng(0)
    features = rng.standard_normal((6, 2)).astype(np.float32)
    x = torch.from_numpy(features)
    y = torch.from_numpy(features.sum(axis=1, keepdims=True))
    model = nn.Linear(2, 1)
    model.load_state_dict({"weight": torch.tensor([[0.5, -0.5]]), "bias": torch.zeros(1)})
    return x, y, model


def gradient(model, x, y, scale=1.0):
    loss = nn.functional.mse_loss(model(x), y) * scale
    return torch.autograd.grad(loss, model.weight)[0]


def average_gradients(rank, size):
    x, y, model = problem()
    own = gradient(model, x[rank::size], y[rank::size])
    mean = own.clone()
    dist.all_reduce(mean)
    mean /= size
    return {"own": own.tolist(), "mean": mean.tolist()}


# --8<-- [end:average_gradients]


# --8<-- [start:uneven_shards]
def uneven_shards(rank, size):
    x, y, model = problem()
    x, y = x[:3], y[:3]  # two samples for rank 0, one for rank 1
    own_x, own_y = x[rank::size], y[rank::size]
    weight = len(own_x) * size / len(x)
    plain = gradient(model, own_x, own_y)
    weighted = gradient(model, own_x, own_y, weight)
    for value in (plain, weighted):
        dist.all_reduce(value)
    return {"plain": (plain / size).tolist(), "weighted": (weighted / size).tolist()}


# --8<-- [end:uneven_shards]


# --8<-- [start:data_parallel]
def data_parallel(rank, size):
    x, y, model = problem()
    x, y = x[rank::size], y[rank::size]
    parallel = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(parallel.parameters(), lr=0.1)

    for _step in range(10):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(parallel(x), y)
        loss.backward()  # averages the gradients over the ranks as it goes
        optimizer.step()

    mean = loss.detach()
    dist.all_reduce(mean, op=dist.ReduceOp.AVG)
    return {"weight": model.weight.tolist(), "loss": mean.item()}


# --8<-- [end:data_parallel]


# --8<-- [start:ready_made_loop]
def ready_made_loop(rank, size):
    x, y, model = problem()
    model.weight.data += rank  # the ranks start apart
    data = TensorDataset(x, y)
    sampler = DistributedSampler(data, size, rank, shuffle=False)
    loader = DataLoader(data, batch_size=3, sampler=sampler)
    parallel = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(parallel.parameters(), lr=0.1)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(parallel(xb), yb).backward()
            optimizer.step()
    return {"eager": model.weight.tolist()}


# --8<-- [end:ready_made_loop]


# --8<-- [start:on_cpu]
def on_cpu(rank, size):
    def attempt(call):
        try:
            call()
        except (RuntimeError, TypeError, ValueError) as error:
            return f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"
        return "works"

    one, two = torch.ones(1), torch.ones(2)
    whole = torch.ones(1, dtype=torch.int32)
    return {
        "integers": attempt(lambda: dist.all_reduce(whole)),
        "maximum": attempt(lambda: dist.all_reduce(one, op=dist.ReduceOp.MAX)),
        "barrier": attempt(dist.barrier),
        "reduce_scatter": attempt(lambda: dist.reduce_scatter_single(one, two)),
        "DistributedDataParallel": attempt(lambda: DistributedDataParallel(nn.Linear(1, 1))),
    }


# --8<-- [end:on_cpu]


# --8<-- [start:program]
jobs = [collectives, gradient_through, starting_weights, shards]
jobs += [average_gradients, uneven_shards, data_parallel, ready_made_loop, on_cpu]


def main(jobs):
    dist.init_process_group("gloo")  # "nccl" for GPUs
    rank, size = dist.get_rank(), dist.get_world_size()
    results = {job.__name__: job(rank, size) for job in jobs}
    Path(f"rank{rank}.json").write_text(json.dumps(results))
    dist.destroy_process_group()


header = """\
import json
import warnings
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import _functional_collectives as functional
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

"""
functions = [problem, gradient, *jobs, main]
call = f"main([{', '.join(job.__name__ for job in jobs)}])"
source = [header, *(inspect.getsource(function) for function in functions), call]
Path("train.py").write_text("\n".join(source) + "\n")
print(f"train.py: {len(functions)} functions and a call of main")
# --8<-- [end:program]

# --8<-- [start:launch]
command = ["torchrun", "--nproc-per-node", "2", "--standalone", "train.py"]
# torchrun stands beside python; PATH need not name that folder.
path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
subprocess.run(command, env=os.environ | {"PATH": path}, capture_output=True, check=True)

ranks = [json.loads(Path(f"rank{rank}.json").read_text()) for rank in range(2)]
print(" ".join(command))
for rank, result in enumerate(ranks):
    print(f"rank {rank}:", result["collectives"])
    print(f"rank {rank}: gradient", result["gradient_through"])
# --8<-- [end:launch]

# --8<-- [start:same_start]
same_start = {}
for case in ranks[0]["starting_weights"]:
    weights = [result["starting_weights"][case] for result in ranks]
    same_start[case] = weights[0] == weights[1]
    print(f"{case}: both ranks have the same weights: {same_start[case]}")
# --8<-- [end:same_start]

# --8<-- [start:seen]
for rank, result in enumerate(ranks):
    print(f"rank {rank}:", result["shards"])

seen = set(ranks[0]["shards"]["own seed"]) | set(ranks[1]["shards"]["own seed"])
first, second = ranks[0]["shards"]["shuffled"]
print(f"two seeds: {len(seen)} of 5 samples seen; new order in epoch 2: {first != second}")
# --8<-- [end:seen]

# --8<-- [start:one_process]
x, y, model = problem()
whole = gradient(model, x, y)
print("one process", whole.numpy().round(4))
for rank, result in enumerate(ranks):
    own, mean = (np.array(result["average_gradients"][key]) for key in ("own", "mean"))
    print(f"rank {rank}: own", own.round(4), "mean", mean.round(4))

uneven = gradient(model, x[:3], y[:3])
print("one process, three samples", uneven.numpy().round(4))
for key, value in ranks[0]["uneven_shards"].items():
    print(f"two ranks, {key} mean", np.array(value).round(4))
# --8<-- [end:one_process]

# --8<-- [start:same_weights]
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _step in range(10):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()

print("one process", model.weight.detach().numpy().round(4), f"loss {loss.item():.4f}")
for rank, result in enumerate(ranks):
    trained, loop = result["data_parallel"], result["ready_made_loop"]["eager"]
    print(f"rank {rank}", np.array(trained["weight"]).round(4), f"loss {trained['loss']:.4f}")
    print(f"rank {rank}, started apart", np.array(loop).round(4))
# --8<-- [end:same_weights]

# --8<-- [start:limits]
limits = ranks[0]["on_cpu"]
for name, outcome in limits.items():
    print(f"{name}: {outcome}")
# --8<-- [end:limits]

agree = {
    "plain_process": plain_process,
    "collectives_all_reduce": [result["collectives"]["all_reduce"] for result in ranks],
    "collectives_all_gather": [result["collectives"]["all_gather"] for result in ranks],
    "collectives_broadcast": [result["collectives"]["broadcast"] for result in ranks],
    "gradient_through_returned": [result["gradient_through"]["returned"] for result in ranks],
    "gradient_through_in_place": [result["gradient_through"]["in place"] for result in ranks],
    "shards_in_order": [result["shards"]["in order"] for result in ranks],
    "seen_with_two_seeds": len(seen),
    "seen_new_order": first != second,
    "starting_weights_no_seed_equal": same_start["no seed"],
    "starting_weights_same_seed_equal": same_start["same seed"],
    "starting_weights_own_seed_equal": same_start["own seed"],
    "same_start_wrapped": same_start["wrapped"],
    "same_start_broadcast": same_start["broadcast"],
    "average_gradients": [result["average_gradients"]["mean"] for result in ranks],
    "average_gradients_own": [result["average_gradients"]["own"] for result in ranks],
    "one_process": whole,
    "one_process_difference": np.abs(np.array(ranks[0]["average_gradients"]["mean"]) - whole.numpy()).max(),
    "one_process_uneven": uneven,
    "uneven_shards_plain": ranks[0]["uneven_shards"]["plain"],
    "uneven_shards_weighted": ranks[0]["uneven_shards"]["weighted"],
    "data_parallel_weight": [result["data_parallel"]["weight"] for result in ranks],
    "data_parallel_loss": ranks[0]["data_parallel"]["loss"],
    "same_weights": model.weight,
    "ready_made_loop_rank0": ranks[0]["ready_made_loop"]["eager"],
    "ready_made_loop_ranks_equal": ranks[0]["ready_made_loop"] == ranks[1]["ready_made_loop"],
    "limits_integers": limits["integers"],
    "limits_maximum": limits["maximum"],
    "limits_barrier": limits["barrier"],
    "limits_reduce_scatter": limits["reduce_scatter"],
    "limits_wrapper": limits["DistributedDataParallel"],
    "on_cpu_tried": list(limits),
    "program_jobs": [job.__name__ for job in jobs],
    "launch_ranks": len(ranks),
}
