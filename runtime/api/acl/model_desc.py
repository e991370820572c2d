"""``aclmdlDesc``: what a caller may ask about the inputs and outputs of a model."""

from dataclasses import dataclass

from runtime.lowering.io_desc_checks import io_size
from runtime.lowering.model_desc import ModelDesc, ModelIoDesc
from runtime.values import DType, Format, Shape


@dataclass(frozen=True, slots=True)
class AclModelDesc:
    """``aclmdlDesc``. An index that is none raises IndexError, where ACL gives 0 or an error."""

    desc: ModelDesc

    def get_num_inputs(self) -> int:
        """``aclmdlGetNumInputs``."""
        return len(self.desc.inputs)

    def get_num_outputs(self) -> int:
        """``aclmdlGetNumOutputs``."""
        return len(self.desc.outputs)

    def get_input_size_by_index(self, index: int) -> int:
        """``aclmdlGetInputSizeByIndex``: bytes, 0 for an input of open shape."""
        return io_size(self.desc.inputs[index])

    def get_output_size_by_index(self, index: int) -> int:
        """``aclmdlGetOutputSizeByIndex``: bytes, 0 for an output of open shape."""
        return io_size(self.desc.outputs[index])

    def get_input_dims(self, index: int) -> Shape:
        """``aclmdlGetInputDims``; -1 is an open dimension."""
        return self.desc.inputs[index].desc.shape

    def get_output_dims(self, index: int) -> Shape:
        """``aclmdlGetOutputDims``; -1 is an open dimension."""
        return self.desc.outputs[index].desc.shape

    def get_input_name_by_index(self, index: int) -> str:
        """``aclmdlGetInputNameByIndex``."""
        return self.desc.inputs[index].name

    def get_output_name_by_index(self, index: int) -> str:
        """``aclmdlGetOutputNameByIndex``."""
        return self.desc.outputs[index].name

    def get_input_index_by_name(self, name: str) -> int | None:
        """``aclmdlGetInputIndexByName``; None for a name that is none."""
        return _index(self.desc.inputs, name)

    def get_output_index_by_name(self, name: str) -> int | None:
        """``aclmdlGetOutputIndexByName``; None for a name that is none."""
        return _index(self.desc.outputs, name)

    def get_input_data_type(self, index: int) -> DType:
        """``aclmdlGetInputDataType``."""
        return self.desc.inputs[index].desc.dtype

    def get_output_data_type(self, index: int) -> DType:
        """``aclmdlGetOutputDataType``."""
        return self.desc.outputs[index].desc.dtype

    def get_input_format(self, index: int) -> Format:
        """``aclmdlGetInputFormat``."""
        return self.desc.inputs[index].desc.format.storage

    def get_output_format(self, index: int) -> Format:
        """``aclmdlGetOutputFormat``."""
        return self.desc.outputs[index].desc.format.storage


def _index(ios: tuple[ModelIoDesc, ...], name: str) -> int | None:
    return next((index for index, io in enumerate(ios) if io.name == name), None)
