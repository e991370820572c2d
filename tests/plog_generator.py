"""Writes plogs of any size in the shapes of the specification, the same bytes for the same seed.

``share`` is the part of lines that are KernelTrace: 0.02 as in the log of a whole application, 0.85 as in that of a
model alone. An operator prints what one step of a dynamic-shape operator prints; the other lines are what the
neighbouring modules print.
"""

import random
from collections.abc import Iterator
from pathlib import Path

from getrace.clock import plog_second

_BASE = 1_772_705_472
_OPERATORS = ("Add", "MatMul", "Softmax", "LayerNorm", "Gelu", "Cast", "Mul", "GatherV2", "Slice", "Concat")
_RUNTIME = "[INFO] RUNTIME({pid},python3):{time} "
_GE = "[INFO] GE({pid},python3):{time} "
_AICORE = "stream_id=2, task_id={n}, task_type=0 (KERNEL_AICORE)"
_NEIGHBOURS = (
    _GE + "[model_v2_executor.cc:226]{tid} Execute:Start to execute model, iteration {n}",
    _RUNTIME + "[engine.cc:468] {tid} SubmitTask: " + _AICORE,
    _RUNTIME + "[stream.cc:1378] {tid} AddTaskToList: public task, " + _AICORE + ", head={n}, tail={n}",
    _RUNTIME + "[npu_driver.cc:453] {tid} CommandSend: device_id=0, ts_id=0, sq_id=2, reportCount=1, cmdCount=1.",
    "[INFO] HCCL({pid},python3):{time} [op_base.cc:644][{pid}][{tid}]Entry-HcclSend: destRank[{n}], sendBuf[0x12c0]",
    "[INFO] ASCENDCL({pid},python3):{time} [model.cpp:605] {tid} ModelExecute: start to execute, modelId[{n}]",
    '[INFO] FE({pid},python3):{time} [fusion_manager.cc:88]{tid} Optimize:"Optimize graph {n} successfully."',
    _GE + "[scalable_allocator.cc:438]{tid} [allocator_3] AllocImp:try_count:1 size:{n} block_size:65536",
    "[WARNING] RUNTIME({pid},python3):{time} [memory.cc:203]{tid} MemAdvise:feature not supported, ret={n}",
)


def _operator(name: str, ident: int, addr: int, n: int, dims: str) -> Iterator[tuple[str, str]]:
    """Give (place and function, message) of one step of one operator."""
    tracer = "[executor_tracer.cc:74]{tid} OnExecuteEvent:"
    end = "[executor_tracer.cc:64]{tid} OnExecuteEvent:"
    kernel = "[memory_kernel.cc:385]{tid} AllocHbmMem:"
    launch = f"[KernelTrace][LaunchKernelWithHandle_{name}_{ident + 9}]"
    yield tracer, f"[KernelTrace][InferShape_{name}_{ident}]node_type[{name.partition('_')[0]}]"
    yield (
        tracer,
        (
            f"[KernelTrace][InferShape_{name}_{ident}]input original shapes : [ND DT_FLOAT {dims}], "
            f"input storage shapes : [ND DT_FLOAT {dims}]"
        ),
    )
    yield (
        tracer,
        (
            f"[KernelTrace][InferShape_{name}_{ident}]output original shapes: [ND DT_FLOAT {dims}], "
            f"output storage shapes: [ND DT_FLOAT {dims}]"
        ),
    )
    yield (
        tracer,
        f"[KernelTrace][CalcTensorSizeFromShape_{name}_{ident + 1}]Data type: 0, Shape: {dims}, Tensor size: 8224",
    )
    yield (
        kernel,
        (
            f"[KernelTrace][AllocMemHbm_{name}_{ident + 2}][MEM]Alloc memory at stream 0, "
            f"block {addr ^ 0xAAAB << 32:#x}, address {addr:#x}, size 65536, tensor size 8224, index 1"
        ),
    )
    yield end, f"[KernelTrace][AllocMemHbm_{name}_{ident + 2}]"
    yield (
        tracer,
        (
            f"[KernelTrace][CacheableTiling_{name}_{ident + 4}]Tiling key is 0, atomic clean flag is 0, "
            "block_dim is 8, tiling_cond is 0, Tiling cache status: missed, tilingData size: 16 bytes, TilingData: "
            + "0x00 0x08 0x00 0x00 0x00 0x00 0x00 0x00 "
            * 2
        ),
    )
    yield (
        tracer,
        (
            f"{launch}Launch function arguments: Handle 0xaaab10d00000, block dim 8, args {addr ^ 0xFFF0:#x}, "
            "stream 0xaaab10b5a4c0, schedule mode: 0, local mem size: 0"
        ),
    )
    yield tracer, f"{launch}stream_id=3, task_id={n % 65536}, flip_num={n >> 16}, flip_task_id={n}"
    yield tracer, f"{launch}No compiled args"
    yield tracer, (f"{launch}Input/Output addresses: {addr - 65536:#x} {addr:#x} , Input/Output sizes: 8224 8224 ")
    yield tracer, f"{launch}No workspaces"
    yield (
        "[memory_kernel.cc:433]{tid} FreeMemory:",
        (f"[KernelTrace][FreeMemory_{name}_{ident + 12}][MEM]Free memory at stream 0, address {addr:#x}"),
    )
    yield (
        "[single_stream_l2_allocator.cc:71]{tid} BirthRecycle:",
        (f"[KernelTrace][][MEM]Recycle memory at stream 0, address {addr:#x}"),
    )
    yield end, f"[KernelTrace][FreeMemory_{name}_{ident + 12}]"
    for helper in range(3):
        yield end, f"[KernelTrace][IdentityShape_{name}_{ident + 13 + helper}]"


def lines(share: float, seed: int = 1) -> Iterator[str]:
    """Give lines without end."""
    dice = random.Random(seed)
    operators = [f"{dice.choice(_OPERATORS)}_{number}" for number in range(400)]
    shapes = [f"[{dice.choice((1, 2, 8, 32))}, {dice.choice((64, 1024, 4096))}]" for _ in range(64)]
    micros = n = 0
    while True:
        which = dice.randrange(400)
        addr = 0x12C041200000 + 65536 * dice.randrange(4096)
        for place, message in _operator(operators[which], 40 * which, addr, n, shapes[which % 64]):
            n += 1
            others = 1 if dice.random() < (1 - share) / share else 0
            if share < 0.5:
                others = int((1 - share) / share)
            for _ in range(others):
                micros += dice.randrange(3, 12)
                text = dice.choice(_NEIGHBOURS)
                yield text.format(pid=4711, tid=4711 + n % 3, n=n, time=_time(micros))
            micros += dice.randrange(3, 12)
            yield f"[INFO] GE(4711,python3):{_time(micros)} {place.format(tid=4711)}{message}"


def _time(micros: int) -> str:
    second, rest = divmod(micros, 1_000_000)
    return f"{plog_second(_BASE + second)}.{rest // 1000:03d}.{rest % 1000:03d}"


def write_plog(path: Path, size: int, share: float, seed: int = 1) -> int:
    """Write at least ``size`` bytes; give the number of lines."""
    count = written = 0
    with path.open("w", encoding="utf-8") as file:
        for line in lines(share, seed):
            file.write(line + "\n")
            written += len(line) + 1
            count += 1
            if written >= size:
                return count
    return count
