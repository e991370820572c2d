"""Tensors made of a shape and an address, for consumers that want both in one value.

If converters wrote these pairs themselves, one would forget to release its share of the memory, or release a share
it does not have.

Source: spec/lowering.md 5.2 (data dependent result, raw tensor), 11.F.
"""

from runtime.engines.context import LoweringContext
from runtime.graph.compute_graph import TensorDesc
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads import BuildTensorAttr


def tensor_attr(context: LoweringContext, desc: TensorDesc, address: ValueHolder) -> ValueHolder:
    """The constant that says what a tensor is, beside its shape and its address."""
    attr = BuildTensorAttr(address.placement, desc.dtype, desc.format.storage, desc.format.origin)
    return context.holders.const(attr)


def build_tensor(context: LoweringContext, desc: TensorDesc, shape: ValueHolder, address: ValueHolder) -> ValueHolder:
    """A tensor that shares the address; it is released where the address is, too."""
    attr = tensor_attr(context, desc, address)
    tensor = context.holders.single("BuildTensor", shape, address, attr)
    tensor.placement = address.placement
    if address.guarder is not None:
        context.holders.guarder("FreeTensorMemory", tensor)
    return tensor


def build_raw_tensor(
    context: LoweringContext, desc: TensorDesc, shape: ValueHolder, address: ValueHolder
) -> ValueHolder:
    """A tensor that refers to the address: nobody releases it, and the address has to outlive its readers."""
    attr = tensor_attr(context, desc, address)
    kernel = "BuildTensor" if address.guarder is None else "BuildRefTensor"
    tensor = context.holders.single(kernel, shape, address, attr)
    tensor.placement = address.placement
    return tensor
