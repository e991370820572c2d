"""Shape rules: the shape of an operator's outputs as expressions over symbols, written in json (spec/lowering.md 11.I).

``{"shape": {"inputs": [["s0", 8]], "outputs": [["s0+1", "Div(s0,2)"]]}}``: ``s`` and a number is a dimension of an
input, ``v`` and a number an element of one, null a dimension that nobody needs. GE compiles a rule to machine code;
here its expressions are walked. Quotients stay exact until the end, where GE's doubles are cut off, too.
"""

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, fmod
from typing import Any, Final

from runtime.ops.context import InferShapeContext
from runtime.ops.op_def import GRAPH_FAILED, GRAPH_SUCCESS
from runtime.values import DType

Number = int | Fraction
Symbol = tuple[int, int]
"""Where a symbol comes from: the number of an input, and of a dimension or an element of it."""

_SYMBOL = re.compile(r"[sv][0-9]+")
_LETTERS = re.compile(r"[A-Za-z0-9_+\-*(),\s]*")
_VALUE_TYPES = (DType.INT32, DType.UINT32, DType.INT64)
_SPELLED_FUNCTIONS = "[Div, Floor, Ceil, Pow, Mod]"
_FUNCTIONS: Final[Mapping[str, tuple[int, Callable[..., Number]]]] = {
    "Div": (2, lambda a, b: Fraction(a) / Fraction(b)),
    "Floor": (1, floor),
    "Ceil": (1, ceil),
    "Pow": (2, lambda a, b: Fraction(float(a) ** float(b))),
    "Mod": (2, lambda a, b: Fraction(fmod(a, b))),
}
"""How many arguments each takes, and what it gives."""

_OPERATORS: Final[Mapping[type[ast.AST], Callable[[Number, Number], Number]]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
}


class _BadRuleError(Exception):
    """A rule that cannot be read; the text is GE's."""


@dataclass(frozen=True, slots=True)
class ShapeRule:
    """``ShapeInferenceRule``. ``error`` is GE's text about a rule that cannot be used, else ""."""

    error: str = ""
    symbols: Mapping[str, Symbol] | None = None
    outputs: tuple[tuple[ast.expr, ...], ...] = ()

    def infer(self, context: InferShapeContext) -> int:
        """``InferOnRuntime``: fill the output shapes in. Gives GRAPH_FAILED when a symbol or a division fails."""
        if self.error:
            return GRAPH_FAILED
        try:
            values = {name: _look_up(name, *source, context) for name, source in (self.symbols or {}).items()}
            shapes = [[int(_evaluate(dim, values)) for dim in dims] for dims in self.outputs]
        except (LookupError, ZeroDivisionError, ValueError, OverflowError):
            return GRAPH_FAILED
        for index, dims in enumerate(shapes):
            shape = context.get_output_shape(index)
            shape.set_dim_num(len(dims))
            for position, dim in enumerate(dims):
                shape.set_dim(position, dim)
        return GRAPH_SUCCESS


def shape_rule_from_json(text: str) -> ShapeRule:
    """``FromJsonString``: read a rule. One that cannot be read comes back with its error."""
    try:
        return _read(text)
    except _BadRuleError as bad:
        return ShapeRule(str(bad))


def _read(text: str) -> ShapeRule:
    try:
        rule = json.loads(text)
    except json.JSONDecodeError as bad:
        raise _BadRuleError(f"Error parsing json: {bad}") from None
    if not isinstance(rule, dict) or not isinstance(rule.get("shape"), dict):
        raise _BadRuleError("Missing 'shape' field in rule json.")
    shape = rule["shape"]
    inputs, outputs = (_dims(shape.get(side), side) for side in ("inputs", "outputs"))
    known = _sources(inputs)
    expressions = tuple(tuple(_expressions(index, dims)) for index, dims in enumerate(outputs))
    used = sorted({node.id for dims in expressions for dim in dims for node in _names(dim)})
    for name in used:
        if name not in known:
            raise _BadRuleError(
                f"Error parsing output tensors: Symbol '{name}' used in output but not defined in inputs"
            )
    return ShapeRule("", {name: known[name] for name in used}, expressions)


def _dims(given: Any, side: str) -> list[list[str]]:
    """Read one side as texts, "" for null."""
    spelled = f"Invalid 'shape.{side}' field: {json.dumps(given, separators=(',', ':'))} "
    if given is None:
        return []
    if not isinstance(given, list):
        raise _BadRuleError(f"{spelled}field must be an array or null.")
    for dims in given:
        if dims is not None and not isinstance(dims, list):
            raise _BadRuleError(f"{spelled}element must be an array of dimension expressions.")
        if any(dim is not None and not _is_dim(dim) for dim in dims or ()):
            raise _BadRuleError(f"{spelled}dimension expression must be a string or integer.")
    return [["" if dim is None else str(dim) for dim in dims or ()] for dims in given]


def _is_dim(dim: Any) -> bool:
    return isinstance(dim, str) or (isinstance(dim, int) and not isinstance(dim, bool))


def _sources(inputs: Sequence[Sequence[str]]) -> dict[str, Symbol]:
    """Say where each symbol comes from; the first place counts."""
    known: dict[str, Symbol] = {}
    for index, dims in enumerate(inputs):
        for position, dim in enumerate(dims):
            if dim == "" or dim.lstrip("-").isdigit():
                continue
            if not _SYMBOL.fullmatch(dim):
                raise _BadRuleError(
                    f"Error parsing input symbols: Invalid input[{index}].size({position}): {dim}, "
                    "symbol dimension must start with 's' or 'v' and follow with a number"
                )
            known.setdefault(dim, (index, position))
    return known


def _expressions(index: int, dims: Sequence[str]) -> Iterator[ast.expr]:
    for position, dim in enumerate(dims):
        if dim == "":
            raise _BadRuleError(
                f"Error parsing output tensors: Invalid output[{index}].size({position}): empty dimension"
            )
        yield _parsed(dim)


def _parsed(dim: str) -> ast.expr:
    bad = f"Error parsing output tensors: Invalid dim expr '{dim}': "
    if not _LETTERS.fullmatch(dim):
        raise _BadRuleError(f"{bad}Expression contains invalid characters")
    try:
        expression = ast.parse(dim.strip(), mode="eval").body
    except SyntaxError:
        raise _BadRuleError("syntax error") from None
    for node in ast.walk(expression):
        if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS):
            name = ast.unparse(node.func)
            raise _BadRuleError(f"{bad}Invalid function: {name}, supported {_SPELLED_FUNCTIONS}")
        if not _is_sound(node):
            raise _BadRuleError("syntax error")
    return expression


def _is_sound(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return len(args) == _FUNCTIONS[name][0]
        case ast.Constant(value=value):
            return isinstance(value, int)
        case ast.BinOp() | ast.Name() | ast.UnaryOp() | ast.USub() | ast.expr_context():
            return True
        case _:
            return type(node) in _OPERATORS


def _names(expression: ast.expr) -> Iterator[ast.Name]:
    called = {node.func for node in ast.walk(expression) if isinstance(node, ast.Call)}
    return (node for node in ast.walk(expression) if isinstance(node, ast.Name) and node not in called)


def _look_up(name: str, index: int, offset: int, context: InferShapeContext) -> int:
    """Give a symbol's value. Raises LookupError for one that is not there."""
    if name[0] == "s":
        return context.get_input_shape(index).get_dim(offset)
    tensor = context.get_input_tensor(index)
    if tensor is None or tensor.get_data_type() not in _VALUE_TYPES:
        raise LookupError(name)
    return int(tensor.get_data().tolist()[offset])


def _evaluate(node: ast.expr, values: Mapping[str, int]) -> Number:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand, values)
        case ast.BinOp(left=left, op=operator, right=right):
            return _OPERATORS[type(operator)](_evaluate(left, values), _evaluate(right, values))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _FUNCTIONS[name][1](*(_evaluate(arg, values) for arg in args))
    raise ValueError(ast.unparse(node))
