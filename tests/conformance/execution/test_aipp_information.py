"""What an executor says of AIPP: spec/execution.md 1.11 and scenario MX-26 of 8.2."""

from collections.abc import Mapping

import pytest
from session_models import executor_on, machine_for_tests

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.executors.aipp import AippDims, AippInformation, InputAippType, parse_dims, read_aipp
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph

SETTINGS: AttrValue = (("src_image_size_w", 224),)
BOTH: Mapping[str, AttrValue] = {"aipp": SETTINGS, "_data_related_aipp_mode": "static_aipp"}


def model(*attrs: Mapping[str, AttrValue]) -> ComputeGraph:
    """One input per set of attributes, all of them added up."""
    graph = GraphBuilder("pictures")
    inputs = [graph.data(f"x{index}", (-1,)) for index in range(len(attrs))]
    for data, said in zip(inputs, attrs, strict=True):
        data.node.op.attrs.update(said)
    total = inputs[0]
    for index, each in enumerate(inputs[1:]):
        total = graph.op("AddExample", total, each, name=f"add{index}")
    return graph.output(total).build()


def read(*attrs: Mapping[str, AttrValue]) -> AippInformation:
    return read_aipp(model(*attrs))


def test_MX_26_both_attributes_give_the_settings() -> None:
    executor = executor_on(machine_for_tests(), model({}, BOTH))
    assert executor.get_aipp().info(1) == (0, SETTINGS)
    assert executor.get_aipp().type(1) == (InputAippType.DATA_WITH_STATIC_AIPP, 0xFFFFFFFF)


@pytest.mark.parametrize(
    ("present", "name"), [("aipp", "ATTR_NAME_AIPP"), ("_data_related_aipp_mode", "ATTR_DATA_RELATED_AIPP_MODE")]
)
def test_MX_26_one_attribute_alone_stops_the_build(present: str, name: str) -> None:
    with pytest.raises(ModelError) as caught:
        executor_on(machine_for_tests(), model({present: BOTH[present]}, {}))
    assert caught.value.message == (
        "[Get][Attrs]Op:x0, index:0, error message:Both ATTR_NAME_AIPP and ATTR_DATA_RELATED_AIPP_MODE attributes are "
        f"needed on the data node, but only {name} is obtained at the time."
    )


def test_MX_26_an_unknown_index_has_no_aipp() -> None:
    aipp = read({}, BOTH)
    for index in (0, 7):
        assert aipp.info(index) == (145015, None)
        assert aipp.type(index) == (InputAippType.DATA_WITHOUT_AIPP, 4294967295)
        assert aipp.origin_input(index) == (145015, None)


def test_dynamic_aipp_names_the_input_that_carries_its_settings() -> None:
    dynamic = {**BOTH, "_data_related_aipp_mode": "dynamic_aipp", "_data_aipp_data_name_map": ("x0:x2",)}
    assert read(dynamic, {}, {}).type(0) == (InputAippType.DATA_WITH_DYNAMIC_AIPP, 2)
    node = {**BOTH, "_data_related_aipp_mode": "dynamic_aipp_conf"}
    assert read(node, {}).type(0) == (InputAippType.DYNAMIC_AIPP_NODE, 4294967295)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({"_data_related_aipp_mode": "sideways"}, "[Get][Attr]Get invalid mode:sideways, op:x0, type:Data."),
        (
            {"_data_related_aipp_mode": "dynamic_aipp", "_data_aipp_data_name_map": ("x0:nobody",)},
            "[Find][AippData]Cannot find AippData node for index:0, op:x0",
        ),
        (
            {"_data_related_aipp_mode": "dynamic_aipp"},
            "[Find][AippData]Cannot find AippData node for index:0, op:x0",
        ),
    ],
)
def test_a_mode_that_means_nothing_is_refused(said: Mapping[str, AttrValue], text: str) -> None:
    with pytest.raises(ModelError) as caught:
        read({**BOTH, **said}, {})
    assert caught.value.message == text


def test_dims_are_six_fields() -> None:
    whole = "NHWC:DT_UINT8:data:150528:4:1,224,224,3"
    assert parse_dims(whole) == AippDims("NHWC", "DT_UINT8", "data", 150528, (1, 224, 224, 3))
    for broken in ("NHWC:DT_UINT8:data:150528:4", whole + ":", "NHWC:DT_UINT8:data:x:4:1,2,3,4", "a:b:c:1:2:1"):
        assert parse_dims(broken) is None


def test_dims_of_an_input() -> None:
    said = {
        **BOTH,
        "_aipp_inputs": ("NHWC:DT_UINT8:in:12:2:3,4",),
        "_aipp_outputs": ("NCHW:DT_FLOAT:out:48:2:4,3",),
    }
    aipp = read(said, {**BOTH, "_aipp_inputs": ("NHWC:DT_UINT8",)})
    before, after = AippDims("NHWC", "DT_UINT8", "in", 12, (3, 4)), AippDims("NCHW", "DT_FLOAT", "out", 48, (4, 3))
    assert aipp.origin_input(0) == (0, before)
    assert aipp.all_dims(0) == (0, [before], [after])
    assert aipp.origin_input(1) == (145016, None)
    assert aipp.all_dims(1) == (145016, [], [])
