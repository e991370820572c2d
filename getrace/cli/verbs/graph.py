"""``getrace graph``: the graphs of a model, a dump or a bundle, as a picture; of a model also after one pass."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from getrace.cli.answer import Answer, Tools
from getrace.cli.diagnostics import ExitCode
from getrace.cli.layout import Paint
from getrace.cli.models import find_graphs, find_lowered, is_model
from getrace.dumps.snapshot import GraphSnapshot
from getrace.errors import UsageError

EXAMPLES = (
    "getrace graph add_example --stage all -o g.svg",
    "getrace graph add_example --pass CEM --stage main -o after_cem.svg",
    "getrace graph ge_proto_00000001_graph_0_Build.txt -o build.dot",
    "getrace graph flow_model.om --inner graph1 -o graph1.svg",
)

_STAGES = ("compute", "init", "main", "deinit", "all")


def arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "model", metavar="MODEL|PATH", help="a sample, a .py with build(), .onnx, .om, a dump, or a bundle"
    )
    parser.add_argument(
        "--stage", choices=_STAGES, help="which graph to draw (default: the execute graphs, else compute)"
    )
    parser.add_argument(
        "--pass",
        dest="after",
        metavar="NAME",
        help="the graph after a pass (CEM, ZeroCopy, CopyFlowLaunch ...) or at one of GE's stages; the tooltips mark "
        "what the pass made, rewired and moved",
    )
    parser.add_argument(
        "--inner", metavar="NAME", default="", help="a model inside a flow model or a bundle, by name or number"
    )
    parser.add_argument("--max-nodes", type=int, metavar="N", help="collapse by operator above this number of nodes")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the picture; its ending says the format")


def answer(options: Namespace, tools: Tools) -> Answer:
    """Draw; the counts are those of the graph, whatever was collapsed."""
    from views.graph import draw  # noqa: PLC0415 - brings Graphviz, wanted only here

    if options.after is not None and options.inner:
        raise UsageError("--pass lowers the whole model, --inner takes one out of it", "give one of the two")
    warnings: list[str] = []
    with tools.diagnostics.progress("reading"):
        snapshots = (
            find_graphs(options.model, warnings, options.inner)
            if options.after is None
            else [_after(options.model, options.after, warnings)]
        )
    target = Path(options.output)
    try:
        with tools.diagnostics.progress("drawing"):
            drawing = draw(snapshots, stage=options.stage, out=target, max_nodes=options.max_nodes)
    except OSError as error:
        raise UsageError(
            f"cannot write {target}: {error.strerror}", "choose a file in a folder you may write"
        ) from error
    data = {
        "nodes": drawing.nodes,
        "edges": {"data": drawing.edges_data, "control": drawing.edges_control},
        "collapsed": drawing.collapsed,
        "drawn": drawing.drawn,
        "engine": drawing.engine,
        "layout_ms": drawing.layout_ms,
        "output": str(target),
    }

    def text(paint: Paint) -> Iterator[str]:
        yield f"{paint('bold', str(target))}: {drawing.stage}, {drawing.nodes} nodes"
        yield f"  {drawing.edges_data} data edges, {drawing.edges_control} control edges"
        if drawing.collapsed:
            yield f"  collapsed by operator to {drawing.drawn} nodes ({_why(drawing.nodes, options.max_nodes)})"
        if drawing.engine:
            yield f"  laid out by {drawing.engine} in {drawing.layout_ms:.0f} ms"

    return Answer(ExitCode.FINE, data, text, (), warnings)


def _why(nodes: int, wanted: int | None) -> str:
    from views.graph.layout import NODE_BUDGET  # noqa: PLC0415 - brings Graphviz, wanted only here

    if nodes > (NODE_BUDGET if wanted is None else wanted):
        return "raise the limit with --max-nodes"
    return "the layout engine gave up on all of them"


def _after(text: str, wanted: str, warnings: list[str]) -> GraphSnapshot:
    """Give the graph after a pass: lowered here, or of the dumps, where the stage is all there is to go by."""
    if is_model(text):
        lowered = find_lowered(text)
        warnings += lowered.warnings
        return lowered.after(wanted)
    snapshots = find_graphs(text, warnings)
    names = {wanted.lower(), f"after{wanted}".lower(), f"{wanted}after".lower()}
    found = [snapshot for snapshot in snapshots if snapshot.stage.lower() in names]
    if not found:
        stages = ", ".join(dict.fromkeys(snapshot.stage or "(not named)" for snapshot in snapshots))
        raise UsageError(f"{text} has no stage {wanted!r}", f"its stages are {stages}")
    return found[-1]
