"""What kernels know of the session and of the step: the session's number, and the count of steps on the device.

The session's number is read anew by each user, as in GE. The step count exists once per model: a second one would be
raised twice per run, and the AI CPU would mix up the tensor lists of two steps.

Source: spec/lowering.md 4.5 (step id), 12.12; keys of 2.5.
"""

from runtime.engines.context import LoweringContext
from runtime.graph.value_holder import ValueHolder

STEP_ID = "step_id"
"""Key of the step count among the unique holders."""

SINGLE_OP_ATTR = "_single_op_scene"
"""Attribute of a model that runs a single operator: it has no steps."""


def session_id(context: LoweringContext) -> ValueHolder:
    """Read the session's number on Init; an output of the Init node. Every call adds its own kernel."""

    def build() -> list[ValueHolder]:
        session = context.selector.holder_on_init(context.skeleton.rt_session)
        return [context.holders.single("GetSessionId", session)]

    return context.selector.on_init_root(build)[0]


def step_id(context: LoweringContext) -> ValueHolder:
    """Give the address of the step count, an output of the Init node; a last kernel of Main raises it.

    Reading and raising happen on stream 0, whatever the stream of the operator is: two streams would race. A model
    that runs a single operator gets the number 0, anew for each user.
    """
    if context.options.single_op_scene or context.graph.attrs.get(SINGLE_OP_ATTR):
        return context.selector.on_init_root(lambda: [context.holders.const(0)])[0]

    def build() -> list[ValueHolder]:
        created = context.selector.on_init_root(lambda: context.holders.many("CreateStepId", 2))
        first_stream = context.skeleton.main_streams[0]
        context.selector.on_main_root_last(lambda: context.holders.void("IncreaseStepId", *created, first_stream))
        return created

    return context.unique(STEP_ID, build)[0]
