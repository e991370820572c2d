"""Large ge_proto and ge_onnx dumps as GE would write them: a chain of operators with some side inputs.

The shape is that of the specification's measured file: 2 kB and about 120 lines an operator (spec/formats.md 3.4).
"""

from collections.abc import Iterator
from pathlib import Path

OP_BYTES = 2_000

_ATTR = '    attr {{\n      key: "{key}"\n      value {{\n        {value}\n      }}\n    }}\n'
_DESC = (
    "    {side}_desc {{\n      dtype: DT_FLOAT16\n      shape {{\n        dim: 32\n        dim: {dim}\n      }}\n"
    '      layout: "NCHW"\n      attr {{\n        key: "format_for_int"\n        value {{\n          i: 0\n        }}\n'
    '      }}\n      attr {{\n        key: "origin_format"\n        value {{\n          s: "NCHW"\n        }}\n'
    '      }}\n      device_type: "NPU"\n    }}\n'
)
_KEYS = ("OwnerGraphIsUnknown", "_fe_imply_type", "_ge_attr_op_kernel_lib_name", "_kernelname", "_lxfusion_engine_name")


def proto_op(number: int, graph: int = 0) -> str:
    """Give one operator with two inputs, an output, and a control input now and then."""
    parts = [f'  op {{\n    name: "n{graph}_{number}"\n    type: "{"Add" if number % 3 else "Cast"}"\n']
    parts += [f'    input: "n{graph}_{number - back}:0"\n' for back in (1, 2) if number >= back]
    if number >= 7 and number % 7 == 0:
        parts.append(f'    input: "n{graph}_{number - 7}:-1"\n')
    parts += [_ATTR.format(key=key, value=f's: "value {number} of {key}"') for key in _KEYS]
    parts.append(_ATTR.format(key="workspace_list", value="list {\n          i: 1\n          i: 2\n        }"))
    parts.append(f"    id: {number}\n    stream_id: {number % 4}\n")
    parts += [_DESC.format(side="input", dim=number) for back in (1, 2) if number >= back]
    parts.append(_DESC.format(side="output", dim=number))
    return "".join((*parts, "  }\n"))


def proto_lines(size: int, graphs: int = 1) -> Iterator[str]:
    """Give a dump of about ``size`` bytes with as many graphs."""
    each = max(size // graphs // OP_BYTES, 1)
    for graph in range(graphs):
        yield f'graph {{\n  name: "g{graph}"\n'
        yield from (proto_op(number, graph) for number in range(each))
        yield '  attr {\n    key: "graph_number"\n    value {\n' + f"      i: {graph}\n" + "    }\n  }\n}\n"


def write_proto(path: Path, size: int) -> None:
    """Write a dump of about ``size`` bytes."""
    with path.open("w", encoding="ascii") as file:
        file.writelines(proto_lines(size))
