"""Random models with their open dimension fixed give, as one task on the device, what numpy gives (random_models)."""

import copy
from dataclasses import replace

import numpy as np
from api_calls import calls
from hypothesis import given, settings
from hypothesis import strategies as st
from model_numpy import evaluate
from random_models import HOST_CPU, RandomModel, random_model

from runtime.api.session.loaded_graph import SunkGraph
from runtime.api.static_model import load_static_model
from runtime.graph.builder import AI_CORE
from runtime.graph.compute_graph import ComputeGraph, TensorDesc
from runtime.values import Shape


def fixed(model: RandomModel) -> ComputeGraph:
    """The model with every open dimension set to the rows of its inputs."""
    [rows] = {array.shape[0] for array in model.inputs if array.ndim}
    graph = copy.deepcopy(model.graph)

    def known(desc: TensorDesc) -> TensorDesc:
        return replace(desc, shape=Shape(rows if dim == -1 else dim for dim in desc.shape), shape_range=None)

    for node in graph.all_nodes():
        node.op.inputs = tuple(map(known, node.op.inputs))
        node.op.outputs = tuple(map(known, node.op.outputs))
    return graph


@settings(max_examples=40)
@given(st.integers(0, 1 << 20), st.integers(1, 14))
def test_a_static_model_computes_what_numpy_computes_and_leaves_nothing(seed: int, operators: int) -> None:
    random = random_model(seed, operators, (AI_CORE, HOST_CPU), flow=True)
    wanted = evaluate(random.graph, random.inputs)
    there = calls()
    model, status = load_static_model(there.process, fixed(random))
    assert model is not None, there.texts()
    graph = SunkGraph(there.process, model)
    for _ in range(2):
        ran = graph.run(random.inputs)
        assert (status, ran.status) == (0, 0)
        for found, want in zip(ran.outputs, wanted, strict=True):
            np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-6)
    graph.unload()
    assert there.process.device.hbm.used == 0
