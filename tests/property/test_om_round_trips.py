"""What a model can say comes back as it was, whatever the graph."""

from typing import Any

from dump_graphs import graphs, names, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from getrace.dumps.om_attrs import entry_bytes, read_entry
from getrace.dumps.om_graphs import read_model_def
from getrace.dumps.om_graphs_writer import model_def_bytes
from getrace.dumps.snapshot import AttrValue, GraphSnapshot
from getrace.dumps.wire import Wire, put_float, put_number, signed, varint
from getrace.errors import InputError

NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1)
FLOATS = st.floats(width=32, allow_nan=False).map(lambda value: float(f"{value:.6g}"))
"""Numbers of six digits, which 32 bits hold."""


def lists(items: st.SearchStrategy[Any]) -> st.SearchStrategy[AttrValue]:
    return st.lists(items, max_size=4).map(tuple)


VALUES: st.SearchStrategy[AttrValue] = st.one_of(
    NUMBERS,
    FLOATS.filter(lambda value: abs(value) < 3e38),
    texts(),
    st.booleans(),
    st.binary(max_size=8),
    lists(NUMBERS),
    lists(texts()),
    st.lists(st.booleans(), max_size=3).map(tuple),
    st.lists(st.binary(max_size=3), max_size=3).map(tuple),
    st.lists(lists(NUMBERS), min_size=1, max_size=3).map(tuple),
)
ATTRS: st.SearchStrategy[dict[str, AttrValue]] = st.dictionaries(
    names().map(lambda name: f"x{name}"), VALUES, max_size=3
)


@settings(max_examples=80, deadline=None)
@given(graphs(ATTRS))
def test_a_model_keeps_nodes_edges_ids_and_attributes(snapshot: GraphSnapshot) -> None:
    content = model_def_bytes(snapshot, "model", {"a": 1})
    assert read_model_def(Wire(content, "x"), snapshot.stage).snapshot == snapshot


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_an_attribute_keeps_its_value_and_its_type(value: AttrValue) -> None:
    wire = Wire(entry_bytes(10, "key", value), "x")
    key, found = read_entry(wire, wire.fields(0, wire.size)[0])
    assert (key, found) == ("key", value)
    assert type(found) is type(value)


@settings(max_examples=200, deadline=None)
@given(st.integers(-(1 << 63), (1 << 64) - 1))
def test_a_number_keeps_its_64_bits(value: int) -> None:
    content = varint(value)
    found, stop = Wire(content, "x").varint(0, len(content))
    assert found == value % (1 << 64)
    assert stop == len(content)
    assert signed(found) == (value if value < 1 << 63 else value - (1 << 64))


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_fields_or_a_sentence(content: bytes) -> None:
    wire = Wire(content, "x")
    found, said = [], None
    try:
        found = wire.fields(0, len(content))
    except InputError as error:
        said = error.message
    assert said is None or said.startswith("x, offset ")
    assert all(stop <= len(content) for _, _, _, stop in found)
    # What was split covers the bytes: the last field ends where they end.
    assert said is not None or not content or found[-1][3] == len(content)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 1 << 20), st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_field_is_found_where_it_was_put(number: int, value: float) -> None:
    content = put_number(1, 7) + put_float(number, value)
    wire = Wire(content, "x")
    fields = wire.fields(0, wire.size)
    assert [field[0] for field in fields] == [1, number]
    assert wire.floats(fields[1]) == (value,)
