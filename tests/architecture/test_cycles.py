"""No module needs itself to be imported."""

from graphlib import CycleError, TopologicalSorter

from source_tree import modules, own_imports


def test_no_imports_run_in_a_circle() -> None:
    order = TopologicalSorter({name: own_imports(module, late=False) for name, module in modules().items()})
    circle: list[str] = []
    try:
        order.prepare()
    except CycleError as error:
        circle = error.args[1]
    assert circle == []
