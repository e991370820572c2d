"""What engines read of an operator before they write a kernel: tasks, attributes, names under which they are found."""

import struct

import pytest
from one_operator import KNOWN, UNKNOWN, model_of

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.engines.aicpu.task import AicpuTask, KernelType, default_ext_info, read_task
from runtime.engines.builtin_devices import DEVICE_ENGINES
from runtime.engines.dsa.task import read_dsa_task
from runtime.engines.hccl.op_attr import read_op_attr
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.usual_tasks import usual_tasks
from runtime.kernels.payloads_dsa import DsaSqe
from runtime.kernels.payloads_hccl import HcomOpAttr
from runtime.values import DType, Placement

HBM, HOST = Placement.DEVICE_HBM, Placement.HOST


def node_of(type_name: str, engine: str = "", attrs: dict[str, AttrValue] | None = None) -> ComputeNode:
    return model_of(type_name, engine, (UNKNOWN, UNKNOWN, KNOWN), (UNKNOWN,), attrs).node("op")


def test_every_engine_wants_its_inputs_where_ge_says() -> None:
    assert {converter.name: converter.placement for converter in DEVICE_ENGINES} == {
        "aicpu_tf_kernel": HBM,
        "aicpu_ascend_kernel": HBM,
        "DNN_VM_HOST_CPU_OP_STORE": HOST,
        "DSAEngine": HBM,
        "dvpp_ops_kernel": HBM,
        "DNN_VM_RTS_OP_STORE": HBM,
        "DNN_VM_RTS_FFTS_PLUS_OP_STORE": HBM,
        "Cmo": HBM,
        "HcomBroadcast": HBM,
        "HcomSend": HBM,
        "HcomAllReduce": HBM,
        "HcomAllGather": HBM,
        "HcomReduceScatter": HBM,
        "HcomReduce": HBM,
        "HcomAllToAllV": HBM,
        "HcomAllToAllVC": HBM,
        "HcomAllToAll": HBM,
        "HcomAllGatherV": HBM,
        "HcomReduceScatterV": HBM,
        "HcomReceive": HBM,
        "SequenceEmpty": HOST,
        "SequenceConstruct": None,
        "SequenceInsert": HOST,
        "SequenceErase": HOST,
        "SequenceAt": HOST,
        "SequenceLength": HOST,
        "SplitToSequence": HBM,
    }


@pytest.mark.parametrize(
    ("engine", "attrs", "tasks"),
    [
        ("AIcoreEngine", {}, ("ALL_KERNEL",)),
        ("aicpu_tf_kernel", {}, ("KERNEL_EX",)),
        ("aicpu_tf_kernel", {"_unknown_shape_type": 4}, ("KERNEL_EX", "KERNEL_EX")),
        ("aicpu_ascend_kernel", {"_unknown_shape_type": 4}, ("KERNEL", "KERNEL")),
        ("aicpu_ascend_kernel", {"_unknown_shape_type": 3}, ("KERNEL",)),
        ("DNN_VM_HOST_CPU_OP_STORE", {"_unknown_shape_type": 4}, ("KERNEL",)),
        ("DSAEngine", {}, ("DSA",)),
        ("DNN_VM_GE_LOCAL_OP_STORE", {}, ()),
    ],
)
def test_an_engines_compiler_leaves_its_usual_tasks(
    engine: str, attrs: dict[str, AttrValue], tasks: tuple[str, ...]
) -> None:
    assert usual_tasks(engine, attrs) == tasks


def test_extended_information_lists_the_class_room_for_shapes_and_the_session() -> None:
    content = default_ext_info(node_of("Unique", attrs={"_unknown_shape_type": 3}))
    entries, at = [], 0
    while at < len(content):
        kind, length = struct.unpack_from("<iI", content, at)
        entries.append((kind, content[at + 8 : at + 8 + length]))
        at += 8 + length
    assert entries == [(0, b"\x03\0\0\0"), (1, bytes(3 * 68)), (2, bytes(68)), (3, bytes(17))]


def test_a_task_that_says_nothing_is_one_of_the_built_in_library() -> None:
    node = node_of("Unique", "aicpu_ascend_kernel")
    task = read_task(node, "KERNEL", "no task")
    ext_info = default_ext_info(node)
    assert task == AicpuTask(
        bytes(20 + 4 * 8), ext_info, b"", "RunCpuKernel", "libaicpu_kernels.so", KernelType.AI_CPU, None
    )


def test_a_task_is_what_the_model_says_of_it() -> None:
    attrs: dict[str, AttrValue] = {
        "aicpu_args": b"args",
        "aicpu_ext_info": b"ext",
        "aicpu_task_info": b"definition",
        "aicpu_kernel_name": "Mine",
        "aicpu_so_name": "libmine.so",
        "aicpu_kernel_type": 7,
        "cust_aicpu_kernel": b"so",
    }
    assert read_task(node_of("Unique", "aicpu_tf_kernel", attrs), "KERNEL_EX", "no task") == AicpuTask(
        b"args", b"ext", b"definition", "Mine", "libmine.so", KernelType.CUST_AI_CPU, b"so"
    )


def test_the_block_of_a_tensorflow_operator_is_a_fixed_structure() -> None:
    assert len(read_task(node_of("Unique", "aicpu_tf_kernel"), "KERNEL_EX", "no task").args) == 112


def test_a_random_number_task_keeps_the_fields_of_its_queue_entry() -> None:
    attrs: dict[str, AttrValue] = {
        "workspace_bytes": (48,),
        "dsa_seed": "7",
        "dsa_seed_by_address": 1,
        "dsa_input1": "0.5",
        "dsa_distribution": 2,
        "dsa_input_valid": 3,
    }
    task = read_dsa_task(node_of("DSAStatelessRandomUniform", "DSAEngine", attrs), 3)
    assert (task.workspaces, task.seed, task.seed_by_address, task.count, task.input1) == ((48,), "7", 1, "", "0.5")
    assert task.sqe == DsaSqe(distribution=2, input_valid=3, kernel_credit=100)


@pytest.mark.parametrize(
    ("type_name", "attrs", "expected"),
    [
        (
            "HcomReduceScatter",
            {"rank_size": 4, "reduction": "prod", "group": "pair"},
            HcomOpAttr("HcomReduceScatter", DType.FLOAT, "pair", "prod", rank_size=4),
        ),
        ("HcomBroadcast", {"root_rank": 2}, HcomOpAttr("HcomBroadcast", DType.FLOAT, "hccl_world_group", root=2)),
        (
            "HcomReceive",
            {"src_rank": 1, "sr_tag": 5},
            HcomOpAttr("HcomReceive", DType.FLOAT, "hccl_world_group", peer=1, tag=5),
        ),
        ("HcomAllToAllV", {"reduction": "sum"}, HcomOpAttr("HcomAllToAllV", DType.FLOAT, "hccl_world_group")),
    ],
)
def test_a_collective_carries_the_attributes_of_its_kind(
    type_name: str, attrs: dict[str, AttrValue], expected: HcomOpAttr
) -> None:
    assert read_op_attr(node_of(type_name, attrs=attrs)) == expected


def test_a_task_with_a_wrong_text_is_refused() -> None:
    node = node_of("Unique", "aicpu_ascend_kernel", {"aicpu_kernel_name": 7})
    with pytest.raises(ModelError, match="attribute 'aicpu_kernel_name' of node op is not a text"):
        read_task(node, "KERNEL", "no task")
