"""The node tests of the onnx package: how many GE takes, and that nothing breaks (spec/formats.md 6)."""

import pytest
from onnx.backend.test.loader import load_model_tests

from getrace.dumps.onnx_reader import parse_onnx
from getrace.errors import InputError, ModelError
from runtime.frontend.onnx.model import translate
from runtime.frontend.onnx.opsets import Plugins

TESTS, TAKEN_BY_GE, KNOWN_NAMES, TRANSLATED = 1884, 634, 1459, 1317
"""Of onnx 1.23.2; the specification counted the first three from the register itself."""


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_the_register_takes_as_many_models_as_the_specification_counts() -> None:
    cases = load_model_tests(kind="node")
    models = [(case.name, case.model.SerializeToString()) for case in cases if case.model is not None]
    taken = known = translated = 0
    for name, content in models:
        read = parse_onnx(content, name)
        plugins = Plugins(read.opsets, strict=False)
        try:
            plugins.check(read.graph)
            known += 1
            taken += not plugins.warnings
        except ModelError:
            continue
        try:
            translate(read, name, None)
            translated += 1
        except InputError:
            continue
    assert (len(models), taken, known, translated) == (TESTS, TAKEN_BY_GE, KNOWN_NAMES, TRANSLATED)
