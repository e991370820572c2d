"""Sequences of tensors (spec/lowering.md 4.11, 11.N): one container per model, one kernel per operator."""

from collections.abc import Sequence

import pytest
from lowered_kernels import kernels_of, kernels_of_type
from one_operator import UNKNOWN, lowered

from getrace.errors import ModelError
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import nd_desc
from runtime.lowering.graph_converter import lower

SCALAR: tuple[int, ...] = ()

HANDLE = [
    "Main GetSequenceHandleShape()",
    "Main CalcTensorSizeFromShape(FLOAT, GetSequenceHandleShape)",
    "Main AllocMemHost(CreateHostL2Allocator, CalcTensorSizeFromShape)",
    "Main BuildTensor(GetSequenceHandleShape, AllocMemHost, BuildTensorAttr)",
]
AT_HOST = "MakeSureTensorAtHostWithoutSync"


def test_a_container_is_created_cleared_behind_each_step_and_destroyed() -> None:
    root = lowered("SequenceConstruct", outputs=(SCALAR,))
    assert kernels_of_type(root, "GetSessionId", "CreateSession", "ClearContainer", "DestroySession") == [
        "Init GetSessionId(ConstData)",
        "Init GetSessionId(ConstData)",
        "Init CreateSession(GetSessionId)",
        "Main ClearContainer(GetSessionId, 1) after OutputData, EnsureTensorAtOutMemory",
        "DeInit DestroySession(CreateSession)",
    ]


def test_two_operators_share_a_container_and_each_reads_the_session() -> None:
    builder = GraphBuilder("g")
    x = builder.data("x", UNKNOWN)
    sequence = builder.op("SequenceConstruct", x, name="a", outputs=[nd_desc(SCALAR)], engine="")
    length = builder.op("SequenceLength", sequence, name="b", outputs=[nd_desc(SCALAR)], engine="")
    root = lower(builder.output(length).build())
    kernels = ("GetSessionId", "CreateSession", "ClearContainer", "SequenceConstructCompute", "SequenceLengthCompute")
    assert kernels_of_type(root, *kernels) == [
        "Init GetSessionId(ConstData)",
        "Init GetSessionId(ConstData)",
        "Init CreateSession(GetSessionId)",
        "Init GetSessionId(ConstData)",
        "Main ClearContainer(GetSessionId, 1) after OutputData, EnsureTensorAtOutMemory",
        "Main SequenceConstructCompute(GetSessionId, 1, 1, SplitDataTensor.1, SplitDataTensor, BuildTensor)",
        "Main SequenceLengthCompute(GetSessionId, 1, AllocMemHost, BuildTensor) after SequenceConstructCompute",
    ]


def test_an_operator_that_stores_nothing_needs_no_container() -> None:
    assert kernels_of_type(lowered("Where", "aicpu_tf_kernel"), "CreateSession", "ClearContainer") == []


@pytest.mark.parametrize(
    ("type_name", "inputs", "compute"),
    [
        (
            "SequenceConstruct",
            (UNKNOWN, UNKNOWN),
            (
                "Main SequenceConstructCompute(GetSessionId, 1, 2, SplitDataTensor.1, "
                "SplitDataTensor, SplitDataTensor.1, "
                "SplitDataTensor, BuildTensor)"
            ),
        ),
        (
            "SequenceInsert",
            (SCALAR, UNKNOWN),
            (
                f"Main SequenceInsertCompute(GetSessionId, 1, 2, {AT_HOST}, {AT_HOST}, SplitDataTensor, BuildTensor) "
                f"after {AT_HOST}, {AT_HOST}"
            ),
        ),
        (
            "SequenceInsert",
            (SCALAR, UNKNOWN, SCALAR),
            (
                f"Main SequenceInsertCompute(GetSessionId, 1, 3, {AT_HOST}, {AT_HOST}, SplitDataTensor, {AT_HOST}, "
                f"BuildTensor) after {AT_HOST}, {AT_HOST}, {AT_HOST}"
            ),
        ),
        (
            "SequenceErase",
            (SCALAR,),
            f"Main SequenceEraseCompute(GetSessionId, 1, 1, {AT_HOST}, BuildTensor) after {AT_HOST}",
        ),
        (
            "SequenceErase",
            (SCALAR, SCALAR),
            (
                f"Main SequenceEraseCompute(GetSessionId, 1, 2, {AT_HOST}, {AT_HOST}, BuildTensor) "
                f"after {AT_HOST}, {AT_HOST}"
            ),
        ),
    ],
)
def test_an_operator_that_changes_a_sequence_gives_a_handle_on_the_host(
    type_name: str, inputs: Sequence[tuple[int, ...]], compute: str
) -> None:
    root = lowered(type_name, inputs=inputs, outputs=(SCALAR,))
    written = kernels_of(root, "op")
    assert [line for line in written if line in HANDLE] == HANDLE
    assert compute in written


def test_memory_of_a_handle_is_shared_by_its_tensor_and_both_are_released() -> None:
    root = lowered("SequenceErase", inputs=(SCALAR,), outputs=(SCALAR,))
    assert kernels_of_type(root, "FreeMemory", "FreeTensorMemory") == [
        "Main FreeMemory(AllocMemHost) after BuildTensor, EnsureTensorAtOutMemory",
        "Main FreeTensorMemory(BuildTensor) after SequenceEraseCompute",
    ]


@pytest.mark.parametrize(
    ("type_name", "inputs", "expected"),
    [
        (
            "SequenceEmpty",
            (),
            [
                "Main InferShape(FindInferShapeFunc)",
                "Main SequenceEmptyCompute(GetSessionId, 1, 3, BuildTensor)",
            ],
        ),
        (
            "SequenceLength",
            (SCALAR,),
            [
                "Main InferShape(SplitDataTensor, FindInferShapeFunc)",
                f"Main SequenceLengthCompute(GetSessionId, 1, {AT_HOST}, BuildTensor) after {AT_HOST}",
            ],
        ),
    ],
)
def test_shapes_of_what_only_looks_at_a_sequence_are_inferred(
    type_name: str, inputs: Sequence[tuple[int, ...]], expected: list[str]
) -> None:
    root = lowered(type_name, inputs=inputs, outputs=(SCALAR,), attrs={"dtype": 3})
    assert kernels_of_type(root, "InferShape", f"{type_name}Compute") == expected


def test_a_tensor_of_a_sequence_tells_its_shape_and_address_only_then() -> None:
    root = lowered("SequenceAt", inputs=(SCALAR, SCALAR))
    kernels = ("SequenceAtCompute", "BuildInferShapeFromTensorCompute", "BuildAddrFromTensorCompute")
    hosts = f"{AT_HOST}, {AT_HOST}"
    assert kernels_of_type(root, *kernels, "EnsureTensorAtOutMemory") == [
        f"Main SequenceAtCompute(GetSessionId, 1, {hosts}) after {hosts}",
        f"Main BuildInferShapeFromTensorCompute(SequenceAtCompute) after {hosts}",
        f"Main BuildAddrFromTensorCompute(SequenceAtCompute, SelectL2Allocator) after {hosts}",
        (
            "Main EnsureTensorAtOutMemory(BuildInferShapeFromTensorCompute, "
            "BuildAddrFromTensorCompute, BuildTensorAttr, "
            "SplitRtStreams, OutputData) after SequenceAtCompute, BuildInferShapeFromTensorCompute, "
            "BuildAddrFromTensorCompute"
        ),
    ]


@pytest.mark.parametrize(
    ("inputs", "split"),
    [
        ((UNKNOWN,), "GetSplitVecWithInput(1, 1, SplitDataTensor)"),
        ((UNKNOWN, UNKNOWN), "GetSplitVecWithInput(1, 2, SplitDataTensor, SplitDataTensor, MakeSureTensorAtDevice)"),
    ],
)
def test_a_tensor_is_cut_on_the_device_before_its_pieces_are_stored(
    inputs: Sequence[tuple[int, ...]], split: str
) -> None:
    root = lowered("SplitToSequence", inputs=inputs, outputs=(SCALAR,), attrs={"axis": 1, "keepdims": 0})
    assert [line for line in kernels_of(root, "op") if "Sp" in line.split("(")[0]] == [
        f"Main {split}",
        "Main CalcTensorSizeFromSpecifiedShape(FLOAT, GetSplitVecWithInput)",
        "Main AllocSpecifiedMem(SelectL2Allocator, CalcTensorSizeFromSpecifiedShape)",
        "Main FreeSpecifiedMem(AllocSpecifiedMem) after SplitToSequenceDoCompute, StoreSplitTensorToSequence",
        (
            "Main SplitToSequenceDoCompute(1, SplitDataTensor, MakeSureTensorAtDevice, GetSplitVecWithInput, "
            "AllocSpecifiedMem)"
        ),
        (
            f"Main StoreSplitTensorToSequence(GetSessionId, 1, AllocSpecifiedMem, "
            f"GetSplitVecWithInput, {len(inputs)}, 0, "
            "1, SplitDataTensor, BuildTensor) after SplitToSequenceDoCompute"
        ),
    ]


@pytest.mark.parametrize(
    ("type_name", "inputs", "least"),
    [
        ("SequenceConstruct", (), 1),
        ("SequenceInsert", (SCALAR,), 2),
        ("SequenceErase", (), 1),
        ("SequenceAt", (SCALAR,), 2),
        ("SequenceLength", (), 1),
        ("SplitToSequence", (), 1),
    ],
)
def test_a_sequence_operator_with_too_few_inputs_is_refused_in_ges_words(
    type_name: str, inputs: Sequence[tuple[int, ...]], least: int
) -> None:
    with pytest.raises(ModelError, match=f"Input num err, it is at least {least}"):
        lowered(type_name, inputs=inputs, outputs=(SCALAR,))
