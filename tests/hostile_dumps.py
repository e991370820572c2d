"""Dumps made to hurt: each is a list of pieces, so that a text of 200 MB is written without being in memory."""

from collections.abc import Iterable, Iterator
from itertools import chain, repeat
from typing import NamedTuple

MILLION = 1_000_000
_GRAPH = 'graph {\n  name: "g"\n'
_OP = _GRAPH + '  op {\n    name: "a"\n'
_ATTR = _OP + '    attr {\n      key: "k"\n      value {\n'
_ENDS = "      }\n    }\n  }\n}\n"
_NODE = 'ir_version: 6\ngraph {\n  node {\n    name: "a"\n'
_READABLE = 'graph("g"):\n  %a : [#users=1] = Node[type=A] ('


class Hostile(NamedTuple):
    """A file: its name, what it is made of, and a part of the sentence that refuses it."""

    name: str
    pieces: Iterable[str]
    said: str


def _sub_graphs(count: int) -> Iterator[str]:
    for number in range(count):
        yield '  node {\n    op_type: "subgraph"\n    attribute {\n      name: "graph"\n      g {\n'
        yield f'        name: "{number}"\n      }}\n      type: GRAPH\n    }}\n  }}\n'


def large() -> list[Hostile]:
    """Give the files whose time and memory matter."""
    return [
        Hostile("open.txt", chain(["graph {\n"], repeat("a {\n", MILLION)), "line 65: messages are nested more"),
        Hostile("closed.txt", chain(["graph {\n"], repeat("}\n", MILLION)), "line 3: a closing brace without"),
        Hostile(
            "unbalanced.txt", chain([_GRAPH], repeat('  op {\n    name: "x"\n', MILLION // 2)), "line 129: messages"
        ),
        Hostile("fields.txt", chain([_ATTR], repeat("        i: 7\n", MILLION)), "more than 500000 lines"),
        Hostile("graphs.txt", (f'graph {{\n  name: "{n}"\n}}\n' for n in range(MILLION // 3)), "than its size allows"),
        Hostile(
            "edges.txt",
            chain([_OP, "    output_desc {\n    }\n", "  }\n"], (_user(n) for n in range(90_000)), ["}\n"]),
            "line 3",
        ),
        Hostile(
            "line.txt", chain([_GRAPH, '  op {\n    name: "'], repeat("x" * MILLION, 200)), "line 4: the line is longer"
        ),
        Hostile(
            "name.txt",
            chain([_GRAPH, '  op {\n    name: "'], repeat("x" * MILLION, 60), ['"\n  }\n}\n']),
            "line 4: a name",
        ),
        Hostile("blanks.txt.gz", chain([_GRAPH], repeat(" " * MILLION, 1000)), "more than 48 MiB when unpacked"),
        Hostile("nodes.txt.gz", chain([_GRAPH], (_named(n) for n in range(400_000)), ["}\n"]), "than its size allows"),
        Hostile(
            "graphs.pbtxt", chain(["ir_version: 6\ngraph {\n"], _sub_graphs(300_000), ["}\n"]), "than its size allows"
        ),
        Hostile(
            "lines.txt", chain(['graph("g"):\n'], repeat("  %a : [#users=\n", MILLION)), "line 2: this is no graph"
        ),
        Hostile("inputs.txt", [_READABLE, "inputs = (", "x=%a, " * 600_000, "x=%a))\n"], "line 2: one line has more"),
        Hostile(
            "slots.txt", chain(['graph("g"):\n'], (_far(n) for n in range(2000)), ["  return ()\n"]), "line 6: the text"
        ),
        Hostile("deep.json", ['{"graph":', "[" * 900_000], "nested too deep at offset 72"),
        Hostile(
            "values.json",
            ['{"graph":[{"name":"g","op":[', '"",' * (MILLION + 1), "{}]}]}"],
            "values, more than 1000000",
        ),
        Hostile("inputs.json", ['{"graph":[{"op":[{"input":[', '"",' * 900_000, '""]}]}]}'], "more than 262144 fields"),
        Hostile(
            "text.json.gz", chain(['{"graph":[{"name":"'], repeat("a" * MILLION, 300), ['"}]}']), "more than 48 MiB"
        ),
    ]


def _named(number: int) -> str:
    return f'  op {{\n    name: "n{number:x}"\n  }}\n'


def _user(number: int) -> str:
    return f'  op {{\n    name: "n{number:x}"\n' + '    input: "a:0"\n' * 4 + "  }\n"


def _far(number: int) -> str:
    return f"  %n{number} : [#users=1] = Node[type=A] (inputs = (_input_65535=%n0))\n"


SMALL: dict[str, tuple[str, str, str]] = {
    "outputs that are counted only": (
        "ge_onnx",
        _NODE
        + '    attribute {\n      name: "output_desc_nums"\n      i: 2147483647\n      type: INT\n    }\n  }\n}\n',
        "a node has more than 65536",
    ),
    "an output far away": (
        "ge_onnx",
        _NODE + '    output: "a:999999999"\n  }\n}\n',
        "a node has more than 65536",
    ),
    "JSON without end": (
        "ge_onnx",
        _NODE
        + '    attribute {\n      name: "input_desc_0"\n      s: "'
        + "[" * 9999
        + '"\n      type: STRING\n    }\n  }\n}\n',
        "'input_desc_0' is no JSON object",
    ),
    "a number of 5,000 digits": (
        "ge_proto",
        _ATTR + f"        i: {'9' * 5000}\n" + _ENDS,
        "line 8: 'i' is not a whole",
    ),
    "a text that does not end": ("ge_proto", _ATTR + '        s: "\\"\n' + _ENDS, "line 8: 's' is not a quoted text"),
    "an input from nowhere": (
        "ge_proto",
        _OP + '    input: "b:0"\n  }\n}\n',
        "line 5: input 'b:0' of node 'a' names no",
    ),
    "an input far away": ("ge_proto", _OP + '    input: "a:99999999999"\n  }\n}\n', "line 5: input 'a:99999999999'"),
    "two nodes of a name": (
        "ge_proto",
        _OP + '  }\n  op {\n    name: "a"\n  }\n}\n',
        "line 6: graph 'g' has two nodes",
    ),
    "two graphs of a name": ("ge_proto", _GRAPH + "}\n" + _GRAPH + "}\n", "line 1: two graphs are named 'g'"),
    "a key of nothing": ("ge_proto", _OP + "    attr {\n    }\n  }\n}\n", "line 5: an attribute has no key"),
    "users without end": (
        "ge_readable",
        'graph("g"):\n  %a : [#users=999999999] = Node[type=A] ()\n',
        "line 2: a node has",
    ),
    "a slot far away": (
        "ge_readable",
        _READABLE + "inputs = (_input_999999999=%a))\n",
        "line 2: a node has more than 65536",
    ),
    "a list in a list": (
        "JSON",
        '{"graph":[{"name":"g","op":[{"name":"a","input":[[]]}]}]}',
        "operator 1: 'input' is a list",
    ),
    "digits without end": (
        "JSON",
        '{"graph":[{"name":"g","op":[{"id":' + "9" * 5000 + "}]}]}",
        "this is no JSON: Exceeds",
    ),
    "a list for an object": ("JSON", '{"graph":[[]]}', "a graph is no object"),
}
"""What is wrong: the format, the text, and a part of the sentence."""
