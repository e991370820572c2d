"""Converters of the engines beside the AI Core, as one explicit list: AI CPU, host, and the special units.

Names and required placements: spec/lowering.md 3.
"""

from runtime.engines.aicpu.converter import convert_cc, convert_tf
from runtime.engines.contract import Converter
from runtime.engines.dsa.converter import convert_dsa
from runtime.engines.dvpp.converter import convert_dvpp
from runtime.engines.hccl.converter import (
    COLLECTIVES,
    IN_PLACE,
    RECEIVE,
    WITH_COUNTS,
    convert_collective,
    convert_in_place,
    convert_receive,
    convert_with_counts,
)
from runtime.engines.host_cpu.converter import convert_host_cpu
from runtime.engines.rts.cmo import convert_cmo
from runtime.engines.rts.float_status import convert_rts
from runtime.engines.sequence.converter import (
    convert_at,
    convert_construct,
    convert_empty,
    convert_erase,
    convert_insert,
    convert_length,
)
from runtime.engines.sequence.split import convert_split
from runtime.values import Placement

_HBM, _HOST = Placement.DEVICE_HBM, Placement.HOST

DEVICE_ENGINES: tuple[Converter, ...] = (
    Converter("aicpu_tf_kernel", _HBM, convert_tf),
    Converter("aicpu_ascend_kernel", _HBM, convert_cc),
    Converter("DNN_VM_HOST_CPU_OP_STORE", _HOST, convert_host_cpu),
    Converter("DSAEngine", _HBM, convert_dsa),
    Converter("dvpp_ops_kernel", _HBM, convert_dvpp),
    Converter("DNN_VM_RTS_OP_STORE", _HBM, convert_rts),
    Converter("DNN_VM_RTS_FFTS_PLUS_OP_STORE", _HBM, convert_rts),
    Converter("Cmo", _HBM, convert_cmo),
    *(Converter(name, _HBM, convert_in_place) for name in IN_PLACE),
    *(Converter(name, _HBM, convert_collective) for name in COLLECTIVES),
    *(Converter(name, _HBM, convert_with_counts) for name in WITH_COUNTS),
    Converter(RECEIVE, _HBM, convert_receive),
    Converter("SequenceEmpty", _HOST, convert_empty),
    Converter("SequenceConstruct", None, convert_construct),
    Converter("SequenceInsert", _HOST, convert_insert),
    Converter("SequenceErase", _HOST, convert_erase),
    Converter("SequenceAt", _HOST, convert_at),
    Converter("SequenceLength", _HOST, convert_length),
    Converter("SplitToSequence", _HBM, convert_split),
)
"""Every converter of these engines; hand them to a registry."""
