"""Copies between host and device, and inputs whose elements are needed on the host (spec/lowering.md 5.1, 5.2)."""

import pytest
from lowered_kernels import kernels_of, kernels_of_type

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.engines.allocators import allocator
from runtime.engines.builtin import builtin_converters
from runtime.engines.contract import Converter, LowerInput, LowerResult
from runtime.engines.memory import at
from runtime.engines.op_library import OpTraits, builtin_library
from runtime.engines.options import LoweringOptions
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeNode, nd_desc
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.value_holder import ValueHolder
from runtime.lowering.graph_converter import lower
from runtime.values import DType, Placement

ANYWHERE, DEVICE, P2P, HOST = Placement.END, Placement.DEVICE_HBM, Placement.DEVICE_P2P, Placement.HOST


def makes(where: Placement) -> Converter:
    """A converter of an operator ``From`` whose result lies at a place; it is waited for."""

    def convert(_: ComputeNode, lowered: LowerInput) -> LowerResult:
        context = lowered.context
        made = at(context.holders.single("Made", allocator(context, DEVICE)), where)
        context.holders.guarder("FreeMemory", made)
        return LowerResult(lowered.shapes, [made], [made])

    return Converter("From", None, convert)


def makes_on_init(where: Placement) -> Converter:
    """As ``makes``, with all kernels on Init."""

    def convert(node: ComputeNode, lowered: LowerInput) -> LowerResult:
        context = lowered.context

        def build() -> list[ValueHolder]:
            return [context.holders.const(node.op.outputs[0].shape), at(context.holders.single("Made"), where)]

        shape, made = context.selector.on_init_root(build)
        return LowerResult([shape], [made], [made])

    return Converter("From", None, convert)


def wants(where: Placement | None) -> Converter:
    """A converter of an operator ``To`` that wants its input at a place and uses shape and address."""

    def convert(_: ComputeNode, lowered: LowerInput) -> LowerResult:
        used = lowered.context.holders.void("Used", *lowered.shapes, *lowered.addresses)
        return LowerResult(lowered.shapes, lowered.addresses, [used])

    return Converter("To", where, convert)


def moved(
    source: Converter,
    target: Converter,
    dtype: DType = DType.FLOAT,
    depends: bool = False,
    readers: int = 1,
    attrs: dict[str, AttrValue] | None = None,
) -> ExecuteGraph:
    """Lower a model in which ``To`` reads what ``From`` makes."""
    builder = GraphBuilder("g")
    desc = nd_desc((-1,), dtype)
    made = builder.op("From", builder.data("x", (-1,)), name="from", outputs=[desc], engine="test")
    used = [
        builder.op("To", made, name=f"to{index}", outputs=[desc], engine="test", attrs=attrs)
        for index in range(readers)
    ]
    library = builtin_library().extended([OpTraits("To", data_dependency=frozenset({0} if depends else ()))])
    converters = builtin_converters().extended([source, target])
    return lower(builder.output(*used).build(), LoweringOptions(library=library), converters=converters)


SURE = (
    "Main MakeSureTensorAtDevice("
    "SplitRtStreams, SelectL2Allocator, Made, CalcTensorSizeFromStorage, SplitDataTensor, FLOAT)"
)
FREED = "Main FreeMemory(MakeSureTensorAtDevice) after Used, EnsureTensorAtOutMemory"
SIZED = "Main CalcTensorSizeFromStorage(FLOAT, SplitDataTensor)"

TABLE = [
    (ANYWHERE, DEVICE, [SIZED, SURE, FREED]),
    (DEVICE, P2P, [SIZED, SURE, FREED]),
    (P2P, DEVICE, [SIZED, SURE, FREED]),
    (ANYWHERE, HOST, [
        SIZED,
        "Main MakeSureTensorAtHost(SplitRtStreams, CreateHostL2Allocator, Made, CalcTensorSizeFromStorage) after Made",
    ]),
    (HOST, DEVICE, [
        "Main CalcUnalignedTensorSizeFromStorage(FLOAT, SplitDataTensor)",
        ("Main CopyH2D(SplitRtStreams, SelectL2Allocator, Made, CalcUnalignedTensorSizeFromStorage, SplitDataTensor, "
        "FLOAT) after Made"),
        "Main FreeMemory(CopyH2D) after Used, EnsureTensorAtOutMemory",
    ]),
    (DEVICE, HOST, [
        "Main SyncStream(SplitRtStreams) after Made",
        SIZED,
        "Main CopyD2H(Made, CalcTensorSizeFromStorage, CreateHostL2Allocator) after SyncStream",
        "Main FreeMemory(CopyD2H) after Used, EnsureTensorAtOutMemory",
    ]),
]  # fmt: skip


def of_copy(root: ExecuteGraph) -> list[str]:
    """What the producer left for its consumer, without its own kernel and the allocators."""
    own = ("Made", "Allocator")
    return [
        line
        for line in kernels_of(root, "from")
        if not any(word in line.split("(")[0] for word in own) and "FreeMemory(Made)" not in line
    ]


@pytest.mark.parametrize(("here", "there", "kernels"), TABLE)
def test_a_tensor_is_copied_to_where_it_is_wanted(here: Placement, there: Placement, kernels: list[str]) -> None:
    assert of_copy(moved(makes(here), wants(there))) == kernels


@pytest.mark.parametrize("here", [ANYWHERE, DEVICE, P2P, HOST])
def test_a_tensor_is_not_copied_where_it_is_or_where_nobody_minds(here: Placement) -> None:
    assert of_copy(moved(makes(here), wants(here))) == []
    assert of_copy(moved(makes(here), wants(None))) == []


def test_a_copy_serves_all_its_consumers() -> None:
    root = moved(makes(HOST), wants(DEVICE), readers=3)
    assert len(kernels_of_type(root, "CopyH2D")) == 1
    assert kernels_of_type(root, "Used") == ["Main Used(SplitDataTensor, CopyH2D) after CopyH2D"] * 3


def test_whoever_reads_a_copy_waits_for_it_and_no_longer_for_its_source() -> None:
    assert kernels_of(moved(makes(DEVICE), wants(HOST)), "to0") == ["Main Used(SplitDataTensor, CopyD2H) after CopyD2H"]
    assert kernels_of(moved(makes(ANYWHERE), wants(DEVICE)), "to0") == [
        "Main Used(SplitDataTensor, MakeSureTensorAtDevice) after Made"
    ]


@pytest.mark.parametrize("there", [DEVICE, HOST])
def test_the_size_of_strings_is_asked_of_the_tensor(there: Placement) -> None:
    here = HOST if there is DEVICE else DEVICE
    sizes = kernels_of_type(moved(makes(here), wants(there), DType.STRING), "CalcStringTensorSize")
    assert sizes == ["Main CalcStringTensorSize(STRING, SplitDataTensor, Made, SplitRtStreams)"]


def test_what_comes_from_init_is_copied_there_once_and_freed_with_the_model() -> None:
    root = moved(makes_on_init(DEVICE), wants(HOST))
    assert of_copy(root) == [
        "Init SyncStream(SplitRtStreams) after Made",
        "Init CalcTensorSizeFromStorage(FLOAT, (-1,))",
        "Init CopyD2H(Made, CalcTensorSizeFromStorage, CreateHostL2Allocator) after SyncStream",
        "DeInit FreeMemory(CopyD2H)",
    ]
    assert kernels_of(root, "to0") == ["Main Used((-1,), CopyD2H)"]


def test_elements_are_read_on_the_host_while_the_address_stays_where_it_is_wanted() -> None:
    root = moved(makes(DEVICE), wants(DEVICE), depends=True)
    assert of_copy(root) == [
        "Main SyncStream(SplitRtStreams) after Made",
        SIZED,
        "Main CopyD2H(Made, CalcTensorSizeFromStorage, CreateHostL2Allocator) after SyncStream",
        "Main FreeMemory(CopyD2H) after BuildTensor",
        "Main BuildTensor(SplitDataTensor, CopyD2H, BuildTensorAttr)",
        "Main FreeTensorMemory(BuildTensor) after Used, EnsureTensorAtOutMemory",
    ]
    assert kernels_of(root, "to0") == ["Main Used(BuildTensor, Made) after Made, CopyD2H"]


def test_elements_that_nobody_frees_give_a_tensor_that_nobody_frees() -> None:
    root = moved(makes(ANYWHERE), wants(DEVICE), depends=True)
    assert kernels_of_type(root, "BuildTensor") == [
        "Main BuildTensor(SplitDataTensor, MakeSureTensorAtHost, BuildTensorAttr)"
    ]
    assert kernels_of_type(root, "FreeTensorMemory") == []


def test_elements_of_a_constant_are_read_from_init_and_its_weight_is_sunk_only_if_wanted() -> None:
    builder = GraphBuilder("g")
    c = builder.const("c", (2,), bytes(16), DType.INT64)
    shaped = builder.op("Reshape", builder.data("x", (-1,)), c, name="reshape", engine="local")
    root = lower(builder.output(shaped).build())
    assert kernels_of(root, "c") == [
        "Init SplitConstTensor(ConstTensor, 0)",
        "Main BuildTensor(SplitConstTensor, SplitConstTensor.1, BuildTensorAttr)",
    ]
    assert kernels_of_type(root, "SinkWeightData") == []


def test_an_older_compiler_names_the_inputs_whose_elements_are_read() -> None:
    attrs: dict[str, AttrValue] = {
        "_op_infer_depends": ("axis",),
        "_input_name_key": ("axis",),
        "_input_name_value": (0,),
    }
    assert len(kernels_of_type(moved(makes(HOST), wants(HOST), attrs=attrs), "BuildTensor")) == 1
    others: dict[str, AttrValue] = {**attrs, "_op_infer_depends": ("x",)}
    assert kernels_of_type(moved(makes(HOST), wants(HOST), attrs=others), "BuildTensor") == []


def test_an_input_that_the_definition_lacks_is_refused_when_elements_may_be_read() -> None:
    attrs: dict[str, AttrValue] = {"_ir_inputs_key": (), "_ir_inputs_value": ()}
    with pytest.raises(
        ModelError, match="Failed to get data dependent flag for node to0, src node from, input index 0"
    ):
        moved(makes(HOST), wants(HOST), depends=True, attrs=attrs)
    assert of_copy(moved(makes(HOST), wants(HOST), attrs=attrs)) == []


def test_an_input_of_the_caller_needs_no_wait_unless_an_operator_writes_to_it() -> None:
    def read_by(**attrs: AttrValue) -> list[str]:
        builder = GraphBuilder("g")
        named: dict[str, AttrValue] = {
            "_input_name_key": ("x",),
            "_input_name_value": (0,),
            "_output_name_key": ("x",),
            "_output_name_value": (0,),
        }
        op = builder.op("To", builder.data("x", (-1,)), name="to", engine="test", attrs={**named, **attrs})
        root = lower(builder.output(op).build(), converters=builtin_converters().extended([wants(HOST)]))
        return [line.split("(")[0] for line in kernels_of(root, "x") if "MakeSure" in line]

    assert read_by() == ["Main MakeSureTensorAtHostWithoutSync"]
    assert read_by(reference=True) == ["Main MakeSureTensorAtHost"]


def test_a_raw_tensor_is_made_once_per_output_and_refers_to_memory_that_is_freed() -> None:
    def convert(node: ComputeNode, lowered: LowerInput) -> LowerResult:
        raw = lowered.walk.raw_input(node, 0, DEVICE)[0]
        return LowerResult(lowered.shapes, lowered.addresses, [lowered.context.holders.void("Used", raw)])

    root = moved(makes(DEVICE), Converter("To", DEVICE, convert), readers=2)
    assert kernels_of_type(root, "BuildRefTensor", "Used") == [
        "Main BuildRefTensor(SplitDataTensor, Made, BuildTensorAttr)",
        "Main Used(BuildRefTensor) after Made",
        "Main Used(BuildRefTensor) after Made",
    ]


def test_a_copy_to_the_device_runs_on_the_stream_of_its_consumer() -> None:
    builder = GraphBuilder("g")
    shape = builder.op("Shape", builder.data("x", (-1,)), name="shape", engine="local")
    relu = builder.op("Relu", shape, name="relu")
    relu.node.op.stream_id = 1
    root = lower(builder.output(relu).build())
    assert kernels_of_type(root, "CopyH2D")[0].startswith("Main CopyH2D(SplitRtStreams.1, SelectL2Allocator, ")
