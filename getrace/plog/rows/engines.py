"""Rows of FFTS+, RTS, DSA, custom operators, HCCL and static sub graphs (spec/kerneltrace.md 3.3, 3.4)."""

from getrace.events import engines as e
from getrace.events import models as d
from getrace.plog.row import Row, row

_DAVINCI = "davinci_model_kernel.cc"

_WORDS = tuple(
    row(
        e.FftsWords,
        f"{label}: {{words:w16s}}",
        f"{label}: 0x000012c041100000 0x0000000000000000 ",
        fixed={"label": label},
    )
    for label in ("Tiling data", "All args", "Dynamic in args", "Dynamic out args")
)
_GLUED = "Dynamic in args: Dynamic out args"  # without dynamic inputs GE glues both labels

ENGINES: tuple[Row, ...] = (
    row(
        e.StarsLaunch,
        "Stars launch function arguments: address {args:q}, len {length:u}, stream {handle:q}",
        "Stars launch function arguments: address 0xaaab10d20000, len 64, stream 0xaaab10b5a4c0",
    ),
    row(
        e.CmoLaunch,
        "Launch cmo task with inner_len:{length:u}, src:{addr:u} on stream:{handle:q}",
        "Launch cmo task with inner_len:512, src:20616094744576 on stream:0xaaab10b5a4c0",
    ),
    row(
        e.SdmaContext,
        "idx:{index:u} src_offset:{source_offset:u} dst_offset:{target_offset:u} src_addr:{source:halves} "
        "dst_addr:{target:halves}",
        "idx:0 src_offset:0 dst_offset:128 src_addr:12c0 41100000 dst_addr:12c0 41200000",
    ),
    row(
        e.ThreadDataLength,
        "slice_flag:{slice_flag:u}thread_dim:{thread_dim:u}non_tail_len:{tails:u}",
        "slice_flag:0thread_dim:4non_tail_len:128128",
    ),
    row(e.FftsMemoryOk, "FFTS memory check ok.", "FFTS memory check ok."),
    row(
        e.FftsMemoryOverwritten,
        "FFTS memory may has over write with block index: {index:u}",
        "FFTS memory may has over write with block index: 3",
    ),
    *(
        row(e.FftsArgs, f"FFTS Plus launch {what}: ", f"FFTS Plus launch {what}: ", fixed={"what": what})
        for what in ("static aicore args", "AICore args", "MixL2 args", "AICpu Args")
    ),
    *_WORDS,
    row(
        e.FftsWords,
        f"{_GLUED}: {{words:w16s}}",
        f"{_GLUED}: 0x000012c041100000 ",
        fixed={"label": _GLUED},
    ),
    row(
        e.FftsWords,
        "{words:w16s0}",
        "0x000012c041100000 0x000012c041110000 ",
        fixed={"label": ""},
    ),
    *(
        row(
            e.CustomTensors,
            f"{side} tensor: {{text:text}}",
            f"{side} tensor: [0]: [format: ND, datatype: DT_FLOAT, shape: [2, 64], addr: 20616094744576]",
            fixed={"side": side},
        )
        for side in ("input", "output")
    ),
    row(
        e.HcomArgs,
        "GetHcomOpLaunchArgs: opType:{op_type:i}, dataType:{dtype:label}, group:{group:label}, "
        "input_num:{inputs:u}, output_num:{outputs:u}",
        "GetHcomOpLaunchArgs: opType:2, dataType:DT_FLOAT, group:hccl_world_group, input_num:1, output_num:1",
    ),
)

MODELS: tuple[Row, ...] = (
    row(
        d.FixedMemory,
        "[MEM] fixed_feature_memory hbm_addr {hbm_addr:p}, hbm_size {hbm_size:u}, p2p_addr {p2p_addr:p}, "
        "p2p_size {p2p_size:u}",
        "[MEM] fixed_feature_memory hbm_addr 0x12c041100000, hbm_size 4096, p2p_addr (nil), p2p_size 0",
        place=(_DAVINCI, 235, "InitParam"),
    ),
    row(
        d.UserConstFile,
        "FileConstant use user device memory. file name: {file:label}, addr: {addr:p}, size: {size:u}",
        "FileConstant use user device memory. file name: weight.bin, addr: 0x12c041100000, size: 4096",
        place=(_DAVINCI, 160, "DavinciModelCreate"),
    ),
    row(
        d.DavinciCreated,
        "davinci model init finish. runtime_model_id: {model:u}, rt stream num: {streams:u}, "
        "list: [{stream_ids:listed}]<?, weight_base: {weight:u}, weight_size: {weight_size:u}?>.",
        "davinci model init finish. runtime_model_id: 1, rt stream num: 2, list: [3, 4, ], "
        "weight_base: 20616094744576, weight_size: 1024.",
        "davinci model init finish. runtime_model_id: 1, rt stream num: 0, list: [].",
    ),
    row(
        d.DavinciWorkspaces,
        "davinci model update workspaces address, size: {count:u}. {addresses:typed}.",
        "davinci model update workspaces address, size: 2. [type: 0, address: 0x12c041100000], [type: 17, address: 0].",
    ),
    row(
        d.DavinciExecuted,
        "model execute, runtime_model_id: {model:u}, inputs address and size: [{inputs:regions}], "
        "outputs address and size: [{outputs:regions}].",
        "model execute, runtime_model_id: 1, inputs address and size: [0x12c041100000 (200), ], "
        "outputs address and size: [0x12c041200000 (220), 0 (0), ].",
    ),
    row(
        d.DavinciRunAddresses,
        "GetRunAddress num: {count:u}, {addresses:runs}",
        "GetRunAddress num: 1, [mem_base_type: 2, offset: 200, size: 1000, run_address: 0x12c041100000], ",
    ),
)

ROWS: tuple[Row, ...] = (*ENGINES, *MODELS)
