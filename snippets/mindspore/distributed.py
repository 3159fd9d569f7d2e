"""Data-parallel training in two processes, started by msrun: collectives, shards, averaged gradients."""

import inspect
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import mindspore
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.communication import comm_func, get_group_size, get_rank, init
from mindspore.dataset import NumpySlicesDataset
from mindspore.mint import distributed as dist
from mindspore.parallel.distributed import DistributedDataParallel
from mindspore.train import Model

# --8<-- [start:plain_process]
try:
    init()
    plain_process = "works"
except RuntimeError as error:
    plain_process = type(error).__name__
    print(plain_process)
    print(str(error).partition(", which")[0])
# --8<-- [end:plain_process]


# --8<-- [start:collectives]
def collectives(rank, size):
    x = Tensor([rank + 1.0])
    total = x.copy()
    dist.all_reduce(total)  # in place, and a sum unless op= says otherwise
    parts = [Tensor([0.0]) for _ in range(size)]
    dist.all_gather(parts, x)
    first = x.copy()
    dist.broadcast(first, 0)
    return {
        "all_reduce": total.tolist(),
        "all_gather": [part.item() for part in parts],
        "broadcast": first.tolist(),
    }


# --8<-- [end:collectives]


# --8<-- [start:gradient_through]
def gradient_through(rank, size):
    all_reduce = ops.AllReduce()  # an operator: returns the sum, also under mindspore.jit

    def returned(x):
        return (all_reduce(x) * (rank + 1)).sum()

    def in_place(x):
        total = x * 1.0
        dist.all_reduce(total)
        return (total * (rank + 1)).sum()

    x = Tensor([1.0])
    return {
        "returned": mindspore.grad(returned)(x).item(),
        "in place": mindspore.grad(in_place)(x).item(),
    }


# --8<-- [end:gradient_through]


# --8<-- [start:starting_weights]
def starting_weights(rank, size):
    def fresh(seed):
        mindspore.set_seed(seed)
        return nn.Dense(1, 1)

    result = {"no seed": nn.Dense(1, 1).weight.item()}
    same, own = fresh(0), fresh(rank)
    result |= {"same seed": same.weight.item(), "own seed": own.weight.item()}
    nn.DistributedGradReducer(own.trainable_params())  # averages gradients, copies no weight
    result["wrapped"] = own.weight.item()

    own = fresh(rank)
    for parameter in own.get_parameters():
        dist.broadcast(parameter, 0)
    result["broadcast"] = own.weight.item()
    return result


# --8<-- [end:starting_weights]


# --8<-- [start:shards]
def shards(rank, size):
    def epochs(n=2, **options):
        options |= {"num_shards": size, "shard_id": rank}
        data = NumpySlicesDataset(np.arange(5), ["i"], **options)
        rows = data.create_dict_iterator(num_epochs=n, output_numpy=True)
        return [[row["i"].item() for row in rows] for _ in range(n)]

    result = {"in order": epochs(1, shuffle=False)[0]}
    mindspore.set_seed(0)
    result["shuffled"] = epochs()
    mindspore.set_seed(rank + 10)  # now each rank cuts its shard from another order
    result["own seed"] = epochs(1)[0]
    return result


# --8<-- [end:shards]


# --8<-- [start:average_gradients]
def problem():
    rng = np.random.default_rng(0)
    features = rng.standard_normal((6, 2)).astype(np.float32)
    x = Tensor(features)
    y = Tensor(features.sum(axis=1, keepdims=True))
    model = nn.Dense(2, 1)
    model.weight.set_data(Tensor([[0.5, -0.5]]))
    model.bias.set_data(Tensor([0.0]))
    return x, y, model


def gradient(model, x, y, scale=1.0):
    def forward(x, y):
        return ops.mse_loss(model(x), y) * scale

    return mindspore.grad(forward, None, model.weight)(x, y)


def average_gradients(rank, size):
    x, y, model = problem()
    own = gradient(model, x[rank::size], y[rank::size])
    mean = own.copy()
    dist.all_reduce(mean)
    mean = mean / size
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
    optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1)
    reducer = nn.DistributedGradReducer(optimizer.parameters, mean=True)

    def forward(x, y):
        return ops.mse_loss(model(x), y)

    grad_fn = mindspore.value_and_grad(forward, None, optimizer.parameters)
    for _step in range(10):
        loss, grads = grad_fn(x, y)
        optimizer(reducer(grads))  # averages the gradients over the ranks, here

    dist.all_reduce(loss)
    return {"weight": model.weight.tolist(), "loss": loss.item() / size}


# --8<-- [end:data_parallel]


# --8<-- [start:ready_made_loop]
def ready_made_loop(rank, size):
    mindspore.set_auto_parallel_context(
        parallel_mode="data_parallel",
        gradients_mean=True,
        parameter_broadcast=True,
    )
    result = {}
    for name, mode in (("eager", mindspore.PYNATIVE_MODE), ("graph", mindspore.GRAPH_MODE)):
        mindspore.set_context(mode=mode)
        x, y, model = problem()
        model.weight.set_data(model.weight + rank)  # the ranks start apart
        arrays = x.asnumpy(), y.asnumpy()
        options = {"shuffle": False, "num_shards": size, "shard_id": rank}
        data = NumpySlicesDataset(arrays, ["x", "y"], **options).batch(3)
        optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1)
        Model(model, nn.MSELoss(), optimizer).train(5, data, dataset_sink_mode=False)
        result[name] = model.weight.tolist()
    mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    return result


# --8<-- [end:ready_made_loop]


# --8<-- [start:on_cpu]
def on_cpu(rank, size):
    def attempt(call):
        try:
            call()
        except (RuntimeError, TypeError, ValueError) as error:
            lines = [text for line in str(error).splitlines() if (text := line.strip("- :"))]
            return f"{type(error).__name__}: {lines[0]}"
        return "works"

    one, two = Tensor([1.0]), Tensor([1.0, 1.0])
    whole = Tensor([1], mindspore.int32)
    calls = {
        "integers": (lambda: ops.AllReduce()(whole), lambda: dist.all_reduce(whole)),
        "maximum": (lambda: ops.AllReduce("max")(one), lambda: dist.all_reduce(one, op="max")),
        "barrier": (lambda: ops.Barrier()(), dist.barrier),
        "reduce_scatter": (
            lambda: ops.ReduceScatter()(two),
            lambda: dist.reduce_scatter_tensor(one, two),
        ),
    }
    result = {}
    for name, (operator, function) in calls.items():
        result[f"{name}, ops"] = attempt(operator)
        result[f"{name}, mint"] = attempt(function)
    result["DistributedDataParallel"] = attempt(lambda: DistributedDataParallel(nn.Dense(1, 1)))
    result["comm_func"] = attempt(lambda: comm_func.all_reduce(one))
    result["init_process_group"] = attempt(dist.init_process_group)
    return result


# --8<-- [end:on_cpu]


# --8<-- [start:program]
jobs = [collectives, gradient_through, starting_weights, shards]
jobs += [average_gradients, uneven_shards, data_parallel, ready_made_loop, on_cpu]


def main(jobs):
    mindspore.runtime.launch_blocking()  # an error is raised by the call that caused it
    init()  # "mccl" on CPU, "hccl" on Ascend
    rank, size = get_rank(), get_group_size()
    results = {job.__name__: job(rank, size) for job in jobs}
    Path(f"rank{rank}.json").write_text(json.dumps(results))


header = """\
import json
from pathlib import Path

import mindspore
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.communication import comm_func, get_group_size, get_rank, init
from mindspore.dataset import NumpySlicesDataset
from mindspore.mint import distributed as dist
from mindspore.parallel.distributed import DistributedDataParallel
from mindspore.train import Model

"""
functions = [problem, gradient, *jobs, main]
call = f"main([{', '.join(job.__name__ for job in jobs)}])"
source = [header, *(inspect.getsource(function) for function in functions), call]
Path("train.py").write_text("\n".join(source) + "\n")
print(f"train.py: {len(functions)} functions and a call of main")
# --8<-- [end:program]

# --8<-- [start:launch]
command = ["msrun", "--worker_num=2", "--local_worker_num=2", "--join=True", "--log_dir=logs"]
with socket.socket() as probe:  # the default port, 8118, may be in use
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
# msrun starts whatever `python` comes first on PATH.
path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
arguments = [*command, f"--master_port={port}", "train.py"]
subprocess.run(arguments, env=os.environ | {"PATH": path}, capture_output=True, check=True)

ranks = [json.loads(Path(f"rank{rank}.json").read_text()) for rank in range(2)]
print(*command, "--master_port=… train.py")
print(*sorted(log.name for log in Path("logs").iterdir()))
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
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1)


def forward(x, y):
    return ops.mse_loss(model(x), y)


grad_fn = mindspore.value_and_grad(forward, None, optimizer.parameters)
for _step in range(10):
    loss, grads = grad_fn(x, y)
    optimizer(grads)

print("one process", model.weight.numpy().round(4), f"loss {loss.item():.4f}")
for rank, result in enumerate(ranks):
    trained, loop = result["data_parallel"], result["ready_made_loop"]
    print(f"rank {rank}", np.array(trained["weight"]).round(4), f"loss {trained['loss']:.4f}")
    for mode, weight in loop.items():
        print(f"rank {rank}, started apart, {mode}", np.array(weight).round(4))
# --8<-- [end:same_weights]

# --8<-- [start:limits]
limits = ranks[0]["on_cpu"]
for name, outcome in limits.items():
    print(f"{name}: {outcome}")
# --8<-- [end:limits]

# --8<-- [start:documented]
for api in (
    *(init, ops.AllReduce, ops.AllGather, ops.Broadcast, ops.ReduceScatter),
    *(nn.DistributedGradReducer, DistributedDataParallel),
    *(dist.all_reduce, dist.init_process_group),
):
    platforms = api.__doc__.partition("Supported Platforms:")[2].split("\n")[1].strip()
    print(f"{api.__module__.partition('.')[2]}.{api.__name__}: {platforms}")
# --8<-- [end:documented]


def short(name):
    found = {key: outcome.partition(":")[0] for key, outcome in limits.items() if key.startswith(name)}
    return ", ".join(f"{key.partition(', ')[2]}: {outcome}" for key, outcome in found.items())


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
    "ready_made_loop_rank0": ranks[0]["ready_made_loop"]["graph"],
    "ready_made_loop_ranks_equal": ranks[0]["ready_made_loop"]["eager"] == ranks[1]["ready_made_loop"]["eager"],
    "limits_integers": short("integers"),
    "limits_maximum": short("maximum"),
    "limits_barrier": short("barrier"),
    "limits_reduce_scatter": short("reduce_scatter"),
    "limits_wrapper": limits["DistributedDataParallel"].partition(":")[0],
    "on_cpu_tried": list(dict.fromkeys(name.partition(",")[0] for name in limits))[:5],
    "program_jobs": [job.__name__ for job in jobs],
    "launch_ranks": len(ranks),
}
