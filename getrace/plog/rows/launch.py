"""Rows of launches on AI Core and AI CPU (spec/kerneltrace.md 3.5, 3.6, 3.9 K15 to K23)."""

from getrace.events import aicpu as c
from getrace.events import launch as a
from getrace.plog.row import RT2_2023, RT2_2026, Row, row

_BOTH = f"{RT2_2023} {RT2_2026}"

AICORE: tuple[Row, ...] = (
    row(
        a.Launch,
        "Launch function arguments: Handle {binary:q}, block dim {block_dim:x}, args {args:q}, stream {handle:q}, "
        "schedule mode: {schedule_mode:u}, local mem size: {local_memory:u}",
        "Launch function arguments: Handle 0xaaab10d00000, block dim 30, args 0xaaab10d10020, "
        "stream 0xaaab10b5a4c0, schedule mode: 0, local mem size: 0",
    ),
    row(
        a.Launch,
        "Launch function arguments: Handle {binary:q}, block dim {block_dim:x}, args {args:q}, stream {handle:q}",
        "Launch function arguments: Handle 0xfff40004e670, block dim 1, args 0xfff400000130, stream 0xfff400006160",
        dialects=RT2_2023,
    ),
    row(
        a.TaskIds,
        "stream_id={rt_stream:u}, task_id={task:u}, flip_num={flip:u}, flip_task_id={flip_task:u}",
        "stream_id=3, task_id=17, flip_num=0, flip_task_id=17",
        dialects=_BOTH,
    ),
    row(
        a.ArgsLayout,
        "Launch args-args addresses info(Will not pass to the launch func): args-args address base {base:q}, "
        "args-args-size {size:u} ArgsCompiledArgs(address/length): {compiled_at:q}/{compiled_length:u}, "
        "ArgsInputsAddr(address/length): {inputs_at:q}/{inputs_length:u}, "
        "ArgsOutputsAddr(address/length): {outputs_at:q}/{outputs_length:u}, "
        "(with {tensor_lists:u} tensor list behind.), "
        "ShapeBufferAddr(address/length): {shapes_at:q}/{shapes_length:u}, "
        "WorkspacesAddr(address/length): {workspaces_at:q}/{workspaces_length:u}, "
        "TilingData(address/length): {tiling_at:q}/{tiling_length:u}, ",
        "Launch args-args addresses info(Will not pass to the launch func): args-args address base 0xaaab10d10100, "
        "args-args-size 40 ArgsCompiledArgs(address/length): 0xaaab10d100f8/0, "
        "ArgsInputsAddr(address/length): 0xaaab10d10100/16, ArgsOutputsAddr(address/length): 0xaaab10d10110/8, "
        "(with 0 tensor list behind.), ShapeBufferAddr(address/length): 0xaaab10d10118/0, "
        "WorkspacesAddr(address/length): 0xaaab10d10118/0, TilingData(address/length): 0xaaab10d10128/8, ",
    ),
    row(
        a.ArgsLayout,
        "Launch args-args addresses info(Will not pass to the launch func): "
        "ArgsCompiledArgs(address/length): {compiled_at:q}/{compiled_length:u}, "
        "ArgsInputsAddr(address/length): {inputs_at:q}/{inputs_length:u}, "
        "ArgsOutputsAddr(address/length): {outputs_at:q}/{outputs_length:u}, "
        "(with {tensor_lists:u} dynamic io addrs behind.), "
        "ShapeBufferAddr(address/length): {shapes_at:q}/{shapes_length:u}, "
        "WorkspacesAddr(address/length): {workspaces_at:q}/{workspaces_length:u}, "
        "TilingData(address/length): {tiling_at:q}/{tiling_length:u}, ",
        "Launch args-args addresses info(Will not pass to the launch func): "
        "ArgsCompiledArgs(address/length): 0xfff4000002f0/0, ArgsInputsAddr(address/length): 0xfff4000002f0/24, "
        "ArgsOutputsAddr(address/length): 0xfff400000308/8, (with 0 dynamic io addrs behind.), "
        "ShapeBufferAddr(address/length): 0xfff400000310/0, WorkspacesAddr(address/length): 0xfff400000310/64, "
        "TilingData(address/length): 0xfff400000360/320, ",
        dialects=RT2_2023,
    ),
    row(a.CompiledArgs, "Compiled Args({size:u}): {data:bytes}", "Compiled Args(2): 0x0a 0xff "),
    row(a.CompiledArgs, "No compiled args", "No compiled args", dialects=_BOTH, fixed={"data": None, "size": None}),
    row(
        a.LaunchAddresses,
        "Input/Output addresses: {addresses:qs}, Input/Output sizes: {sizes:us}",
        "Input/Output addresses: 0x12c041100000 0 0x12c041200000 , Input/Output sizes: 512 0 544 ",
    ),
    row(
        a.LaunchAddresses,
        "Input/Output addresses: {addresses:qs}",
        "Input/Output addresses: 0x124080044000 0x124080024000 ",
        dialects=RT2_2023,
        fixed={"sizes": None},
    ),
    row(
        a.LaunchAddresses,
        "No inputs/outputs",
        "No inputs/outputs",
        fixed={"addresses": None, "sizes": None},
    ),
    row(
        a.LaunchWorkspaces,
        "Workspace addresses: {addresses:qs}",
        "Workspace addresses: 0x12c041210000 0x12c041220000 ",
        dialects=_BOTH,
    ),
    row(a.LaunchWorkspaces, "No workspaces", "No workspaces", dialects=_BOTH, fixed={"addresses": None}),
    row(
        a.LaunchTiling,
        "Tiling address offset {offset:u}, Tiling data({size:u} bytes): {data:bytes}",
        "Tiling address offset 24, Tiling data(8 bytes): 0x02 0x00 0x00 0x00 0x40 0x00 0x00 0x00 ",
        dialects=_BOTH,
    ),
    row(
        a.LaunchTiling,
        "No tiling data",
        "No tiling data",
        dialects=_BOTH,
        fixed={"offset": None, "size": None, "data": None},
    ),
    row(a.HostInputData, "Host input data: {words:qs0}", "Host input data: 0 0x12c041200000 0 ", "Host input data: "),
    row(a.HostInputInfo, "Host input info: {words:qs0}", "Host input info: 0 ", "Host input info: "),
    row(a.ArgWords, "{words:qs}", "0x12c041100000 0x12c041110000 0 0x4000000002 ", dialects=_BOTH),
)

_ARGS = (
    " Launch {kind} args offset:  soNameAddrOffset: {{so_name:u}} kernelNameAddrOffset: {{kernel_name:u}} "
    "hostInputInfoNum: {{hosts:u}} kernelOffsetInfoNum: {{kernels:u}}{{host_offsets:hosts}}{{kernel_offsets:kernels}}"
)
_TF = (
    "Launch tf function arguments: op_name {op:label}, stream {handle:q}, args_ex {args:q}, io_num {io:u} , "
    "host input size {host_size:u}"
)
_W16_SAMPLE = "0x0000124080019200 0x0000124080044000 "

AICPU: tuple[Row, ...] = (
    row(
        c.CcLaunch,
        "Launch cc function arguments: op_name {op:label}, block_dim {block_dim:u}, stream {handle:q}, "
        "args_ex {args:q} flag {flag:u}",
        "Launch cc function arguments: op_name add1, block_dim 1, stream 0xaaab10b5a4c0, args_ex 0xaaab10d20000 flag 0",
    ),
    row(
        c.TfLaunch,
        _TF,
        "Launch tf function arguments: op_name add1, stream 0xaaab10b5a4c0, args_ex 0xaaab10d20000, io_num 3 , "
        "host input size 0",
    ),
    row(
        c.AicpuArgs,
        _ARGS.format(kind="aicpu"),
        " Launch aicpu args offset:  soNameAddrOffset: 776 kernelNameAddrOffset: 784 hostInputInfoNum: 1 "
        "kernelOffsetInfoNum: 2 host[0] addr offset is 8 data offset is 64 kernel[0] addr offset is 80 "
        "data offset is 104 kernel[1] addr offset is 88 data offset is 744",
    ),
    row(
        c.AicpuAddresses,
        " Launch aicpu inputs/outputs addresses: {addresses:w16s}, Launch aicpu inputs/outputs sizes: {sizes:xs}",
        f" Launch aicpu inputs/outputs addresses: {_W16_SAMPLE}, Launch aicpu inputs/outputs sizes: 200 120 ",
    ),
    row(
        c.AicpuAddresses,
        " Launch aicpu inputs/outputs addresses:  No inputs/outputs",
        " Launch aicpu inputs/outputs addresses:  No inputs/outputs",
        fixed={"addresses": None, "sizes": None},
    ),
    row(
        c.TfLaunch2023,
        _TF
        + _ARGS.format(kind="tf")
        + " Launch aicpu inputs/outputs addresses: {addresses:w16s}, stream_id={rt_stream:u}, task_id={task:u}, "
        "flip_num={flip:u}, flip_task_id={flip_task:u}",
        "Launch tf function arguments: op_name Unique, stream 0xfff400006160, args_ex 0xfff4001a0fb0, io_num 2 , "
        "host input size 0 Launch tf args offset:  soNameAddrOffset: 776 kernelNameAddrOffset: 784 "
        "hostInputInfoNum: 0 kernelOffsetInfoNum: 1 kernel[0] addr offset is 80 data offset is 104 "
        f"Launch aicpu inputs/outputs addresses: {_W16_SAMPLE}, "
        "stream_id=2, task_id=4, flip_num=0, flip_task_id=4",
        dialects=RT2_2023,
    ),
)

ROWS: tuple[Row, ...] = (*AICORE, *AICPU)
