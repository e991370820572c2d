"""The verbs: one module each, and the table of them. A module is imported when its verb is called, never before."""

from typing import NamedTuple


class Row(NamedTuple):
    """A verb of the table: its module, its line in the help, and the packages beside getrace that it imports."""

    module: str
    help: str
    rooms: tuple[str, ...] = ()


TABLE: dict[str, Row] = {
    "run": Row("getrace.cli.verbs.run", "lower a model and run it on the simulated device", ("runtime", "views")),
    "open": Row("getrace.cli.verbs.open", "look at logs in the terminal", ("views",)),
    "check": Row("getrace.cli.verbs.check", "say whether the evidence is whole, and which switch is missing"),
    "diagnose": Row("getrace.cli.verbs.diagnose", "say what failed first, where, and what to do next"),
    "stats": Row("getrace.cli.verbs.stats", "count kernels and their times"),
    "memory": Row("getrace.cli.verbs.memory", "tell peak, leaks, and the life of each block"),
    "streams": Row("getrace.cli.verbs.streams", "pair sends and waits, and check the order of the streams"),
    "graph": Row("getrace.cli.verbs.graph", "draw the graphs of a model or a dump", ("runtime", "views")),
    "lower": Row("getrace.cli.verbs.lower", "list the kernels of a model, and what each pass did", ("runtime",)),
    "kernels": Row("getrace.cli.verbs.kernels", "list the kernel types of GE, and which of them run", ("runtime",)),
    "convert": Row("getrace.cli.verbs.convert", "write a log again through the codec"),
}
