"""From graphs of ONNX to graphs of Ascend: inputs, constants, operators one after the other, results.

It owns names and edges. Rules say what an operator becomes; who feeds it, and what it is called, is said here.

Source: spec/formats.md 5.1 (3), 5.2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from getrace.dumps.onnx_model import DEFAULT_DOMAIN, OnnxGraph, OnnxNode, OnnxTensor, OnnxValue
from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.frontend.onnx.branches import Branch, branches_of, captured
from runtime.frontend.onnx.constants import FILE_CONSTANT, constant_node, constant_of, read_tensor
from runtime.frontend.onnx.element_types import dtype_or_open
from runtime.frontend.onnx.opsets import BUILT_IN, Plugins
from runtime.frontend.onnx.pieces import Piece, Ref, SmallGraph
from runtime.frontend.onnx.registered import EXPANDED
from runtime.frontend.onnx.results import OPEN, agreed, described
from runtime.frontend.onnx.rules import Rule, rule_of, rules_by_name
from runtime.frontend.placing import engine_of
from runtime.graph.compute_graph import ComputeGraph, ComputeNode, OpDesc, TensorDesc
from runtime.values import MAX_DIMS, DType, Shape

NET_OUTPUT: Final = "Node_Output"
"""GE's name of the node that collects the results."""

OUTPUT_NAMES: Final = "attr_model_out_nodes_name"
"""Attribute of a graph: names of the model's results, ``<node>:<index>:<name in ONNX>`` (spec/formats.md 5.2)."""

_ORIGINS: Final = "_datadump_original_op_names"
_ORIGINAL_TYPE: Final = "original_type"


@dataclass(slots=True)
class Weave:
    """What all graphs of a model share: plugins, rules, the model's folder, and counters of GE's names.

    ``files`` holds the tensor of each constant whose elements lie in another file.
    """

    plugins: Plugins
    folder: Path | None
    rules: Mapping[str, Rule] = field(default_factory=rules_by_name)
    warnings: list[str] = field(default_factory=list)
    files: dict[str, OnnxTensor] = field(default_factory=dict)
    expanded: int = 0
    unnamed: int = 0


def weave_model(weave: Weave, graph: OnnxGraph, name: str) -> ComputeGraph:
    """Translate the graph of a model. Raises ModelError for one without results, or that does not hang together."""
    if not graph.nodes and not graph.outputs:
        raise ModelError("The model has no output node", "export it again")
    if not graph.outputs:
        raise ModelError("the model has no output", "name a result in the graph's outputs")
    weaver = _Weaver(weave, graph, ComputeGraph(name), "")
    constants = {tensor.name for tensor in graph.initializers}
    for index, value in enumerate(value for value in graph.inputs if value.name not in constants):
        weaver.data(value.name, value.name, _described(value), {"index": index})
    weaver.constants()
    weaver.operators()
    weaver.results()
    return weaver.made


def _described(value: OnnxValue) -> TensorDesc:
    dtype = dtype_or_open(value.dtype)
    if dtype is DType.UNDEFINED:
        raise ModelError(f"input '{value.name}' is no tensor of a type that GE knows", "cast it outside the model")
    if value.dims is not None and len(value.dims) > MAX_DIMS:
        raise ModelError(f"input '{value.name}' has {len(value.dims)} dimensions", f"GE takes up to {MAX_DIMS}")
    return described(OPEN if value.dims is None else Shape(value.dims), dtype)


class _Weaver:
    """One graph while it is made. ``prefix`` comes before the names of nodes in a branch."""

    def __init__(self, weave: Weave, graph: OnnxGraph, made: ComputeGraph, prefix: str) -> None:
        self._weave = weave
        self._graph = graph
        self.made = made
        self._prefix = prefix
        self._values: dict[str, Ref] = {}

    def data(self, value: str, name: str, desc: TensorDesc, attrs: dict[str, AttrValue]) -> None:
        """Add an input of the graph."""
        op = OpDesc(self._prefix + name, "Data", (desc,), (desc,), engine_of("Data"), attrs=attrs)
        self._know(value, Ref(self.made.add(op)))

    def constants(self) -> None:
        """Add the constants, in the order of their names as GE's map has them."""
        for number, tensor in enumerate(sorted(self._graph.initializers, key=lambda tensor: tensor.name)):
            name = f"{self._prefix}{tensor.name}_Initializer_{number}"
            self._constant(tensor.name, constant_of(tensor, name, self._weave.folder), tensor)

    def operators(self) -> None:
        """Add the operators, in the order of the file."""
        for node in self._graph.nodes:
            label = self._prefix + (node.name or self._unnamed(node))
            if node.domain == DEFAULT_DOMAIN and node.op_type in BUILT_IN:
                value = node.attrs.get("value")
                tensor = value if isinstance(value, OnnxTensor) else None
                self._constant(_only(node, label), constant_node(node, label, self._weave.folder), tensor)
            elif node.domain == DEFAULT_DOMAIN and node.op_type == "If":
                self._choice(node, label)
            else:
                self._operator(node, label)

    def results(self) -> tuple[TensorDesc, ...]:
        """Add the node that collects the results, and give what they are."""
        found = [self._value(value.name, "the model's output") for value in self._graph.outputs]
        descs = tuple(replace(ref.desc, name="") for ref in found)
        net_output = self.made.add(OpDesc(self._prefix + NET_OUTPUT, "NetOutput", descs, descs, engine_of("NetOutput")))
        for slot, ref in enumerate(found):
            self.made.connect(_node_of(ref), ref.index, net_output, slot)
        self.made.attrs[OUTPUT_NAMES] = tuple(
            f"{_node_of(ref).name}:{ref.index}:{value.name}"
            for ref, value in zip(found, self._graph.outputs, strict=True)
        )
        return descs

    def _constant(self, value: str, op: OpDesc, tensor: OnnxTensor | None) -> None:
        self._know(value, Ref(self.made.add(op)))
        if op.type == FILE_CONSTANT and tensor is not None:
            self._weave.files[op.name] = tensor

    def _unnamed(self, node: OnnxNode) -> str:
        self._weave.unnamed += 1
        return f"{node.op_type}_{self._weave.unnamed - 1}"

    def _operator(self, node: OnnxNode, label: str) -> None:
        plugin, opset = self._weave.plugins.plugin(node)
        rule = rule_of(self._weave.rules, node.op_type, plugin)
        inputs = [self._value(name, f"node '{label}'") if name else None for name in node.inputs]
        while inputs and inputs[-1] is None:
            inputs.pop()
        read = partial(read_tensor, folder=self._weave.folder)
        small = SmallGraph(node, label, opset, plugin, inputs, read)
        if rule is None:
            raise small.wrong("becomes several operators in GE; which ones is not known here", "replace the operator")
        results = rule(small)
        self._weave.warnings.extend(small.warnings)
        self._settle(small)
        named = {self._of_node(small, ref): name for ref, name in zip(results, node.outputs, strict=False) if name}
        if any(node.outputs[len(results) :]):
            raise small.wrong(f"has {len(node.outputs)} results; Ascend's operator gives {len(results)}")
        for ref, name in named.items():
            self._know(name, ref)

    def _settle(self, small: SmallGraph) -> None:
        """Put the pieces into the graph: one keeps the operator's name, several get names of GE's kind."""
        original = f"{small.node.domain}::{small.opset}::{small.node.op_type}"
        for piece in small.pieces:
            piece.op.name = small.label
            if small.plugin.type == EXPANDED:
                piece.op.attrs[_ORIGINAL_TYPE] = original
            if len(small.pieces) > 1:
                piece.op.name = f"{EXPANDED}_{small.label}_{piece.suffix}_{self._weave.expanded}"
                piece.op.attrs[_ORIGINS] = (small.label,)
                self._weave.expanded += 1
            piece.node = self.made.add(piece.op)
            for slot, ref in enumerate(piece.inputs):
                if ref is not None:
                    self.made.connect(_node_of(ref), ref.index, piece.node, slot)

    @staticmethod
    def _of_node(small: SmallGraph, ref: Ref) -> Ref:
        node = _node_of(ref)
        if ref.index >= len(node.op.outputs):
            raise small.wrong(f"has no result {ref.index}")
        return Ref(node, ref.index)

    def _choice(self, node: OnnxNode, label: str) -> None:
        """Add an If and its branches; the If is described as its branches agree."""
        then, other = branches_of(node, label)
        names = captured(then.graph, other.graph)
        if len(node.inputs) != 1:
            raise ModelError(f"node '{label}' of type If has {len(node.inputs)} inputs", "it takes the condition")
        refs = [self._value(name, f"node '{label}'") for name in (*node.inputs, *names)]
        op = OpDesc(label, "If", tuple(replace(ref.desc, name="") for ref in refs), (), engine_of("If"))
        owner = self.made.add(op)
        for slot, ref in enumerate(refs):
            self.made.connect(_node_of(ref), ref.index, owner, slot)
        given = [self._branch(owner, branch, names) for branch in (then, other)]
        if len(given[0]) != len(given[1]) or len(given[0]) != len(node.outputs):
            raise ModelError(
                f"the branches of node '{label}' give {len(given[0])} and {len(given[1])} results, "
                f"the node {len(node.outputs)}",
                "all three are the same in a model that is right",
            )
        op.outputs = tuple(_both(one, two, label) for one, two in zip(*given, strict=True))
        for index, name in enumerate(node.outputs):
            if name:
                self._know(name, Ref(owner, index))

    def _branch(self, owner: ComputeNode, branch: Branch, names: Sequence[str]) -> tuple[TensorDesc, ...]:
        if branch.graph.inputs:
            raise ModelError(
                f"branch '{branch.name}' has inputs of its own", "a branch of ONNX takes values from outside"
            )
        graph = self.made.add_subgraph(owner, ComputeGraph(branch.name))
        inner = _Weaver(self._weave, branch.graph, graph, f"{branch.name}/")
        for index, name in enumerate(names):
            desc = owner.op.inputs[index + 1]
            inner.data(name, name, desc, {"index": index, "_parent_node_index": index + 1})
        inner.constants()
        inner.operators()
        return inner.results()

    def _value(self, name: str, reader: str) -> Ref:
        found = self._values.get(name)
        if found is None:
            raise ModelError(f"{reader} reads '{name}', which nothing before it makes", "sort the model, or repair it")
        return found

    def _know(self, name: str, ref: Ref) -> None:
        """Remember who makes a value, and join what the model says of it with what is known."""
        if name in self._values:
            raise ModelError(f"two nodes make the value '{name}'", "give each value its own name")
        info = self._graph.infos.get(name)
        if info is not None and _node_of(ref).type not in ("Data", "Const", FILE_CONSTANT):
            if info.dims is not None and len(info.dims) > MAX_DIMS:
                raise ModelError(f"value '{name}' has {len(info.dims)} dimensions", f"GE takes up to {MAX_DIMS}")
            op = _node_of(ref).op
            joined = agreed(ref.desc, dtype_or_open(info.dtype), info.dims)
            op.outputs = (*op.outputs[: ref.index], joined, *op.outputs[ref.index + 1 :])
        self._values[name] = ref


def _node_of(ref: Ref) -> ComputeNode:
    source = ref.source.node if isinstance(ref.source, Piece) else ref.source
    assert source is not None, "a piece is settled before it is asked for its node"
    return source


def _only(node: OnnxNode, label: str) -> str:
    if len(node.outputs) != 1 or not node.outputs[0]:
        raise ModelError(f"node '{label}' of type {node.op_type} has {len(node.outputs)} results", "it makes one")
    return node.outputs[0]


def _both(one: TensorDesc, two: TensorDesc, label: str) -> TensorDesc:
    """What is known of a result of an If whichever branch runs."""
    if one.dtype != two.dtype:
        text = f"the branches of node '{label}' give {one.dtype.ge_name} and {two.dtype.ge_name}"
        raise ModelError(text, "both branches give the same types")
    if one.shape == two.shape:
        return one
    if OPEN in (one.shape, two.shape) or len(one.shape) != len(two.shape):
        return described(OPEN, one.dtype)
    dims = (left if left == right else -1 for left, right in zip(one.shape, two.shape, strict=True))
    return described(Shape(dims), one.dtype)
