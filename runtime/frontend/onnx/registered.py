"""Which operators of ONNX the plugins of GE take, and as what: the names, the versions, and what is made inside.

It owns the register as data. What each operator's inputs and attributes become stands in the tables beside it; a name
that were only there would be taken in versions that GE refuses.

Source: spec/formats.md 5.1 (4), 5.4 and the map that comes with it (259 names).
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

EXPANDED: Final = "PartitionedCall"
"""The type of an operator that becomes a small graph."""


class Registered(NamedTuple):
    """One plugin: Ascend's type, the first and the last version of the model's operators, and types made inside."""

    type: str
    first: int
    last: int
    inside: tuple[str, ...] = ()

    def takes(self, opset: int) -> bool:
        """Whether the plugin is registered for a version."""
        return self.first <= opset <= self.last


def registered_for(name: str) -> tuple[Registered, ...]:
    """Give the plugins of an operator of ONNX, the one of the oldest versions first; none for an unknown name."""
    return tuple(sorted((_registered(row) for row in _ROWS.get(name, "").split("|") if row), key=lambda row: row.first))


def _registered(row: str) -> Registered:
    """Read ``type first-last inside...``."""
    name, versions, *inside = row.split()
    first, _, last = versions.partition("-")
    return Registered(name, int(first), int(last), tuple(inside))


_ROWS: Final[Mapping[str, str]] = {
    "Abs": "Abs 8-18",
    "Acos": "Acos 8-18",
    "Acosh": "Acosh 8-18",
    "AdaCast": "AdaCast 8-18",
    "AdaptiveAvgPool2d": "AdaptiveAvgPool2d 8-16",
    "AdaptiveMaxPool2d": "AdaptiveMaxPool2d 8-16",
    "Add": "Add 8-18",
    "AffineGrid": "AffineGrid 8-16",
    "And": "LogicalAnd 8-18",
    "ArgMax": "PartitionedCall 8-18 Data Const ArgMaxV2 ExpandDims",
    "ArgMin": "PartitionedCall 8-18 Data Const ArgMin ExpandDims",
    "AscendAntiQuant": "AscendAntiQuant 8-22",
    "AscendDequant": "AscendDequant 8-22",
    "AscendDequantS16": "AscendDequantS16 8-22",
    "AscendQuant": "AscendQuant 8-22",
    "AscendRequant": "AscendRequant 8-22",
    "AscendRequantS16": "AscendRequantS16 8-22",
    "Asin": "Asin 8-18",
    "Asinh": "Asinh 8-18",
    "Atan": "Atan 8-18",
    "Atanh": "Atanh 8-18",
    "AveragePool": "PartitionedCall 8-18 Data AvgPool3D Unsqueeze AvgPoolV2 Squeeze",
    "BasicGRUInplaceFillWindowCache": "BasicGRUInplaceFillWindowCache 8-18",
    "BasicLSTMInplaceFillWindowCache": "BasicLSTMInplaceFillWindowCache 8-18",
    "BatchMatMul": "BatchMatMul 8-16",
    "BatchMultiClassNMS": "BatchMultiClassNonMaxSuppression 8-16",
    "BatchNormalization": "BatchNorm 8-18",
    "Bernoulli": "PartitionedCall 15-18 Data Const StatelessBernoulliV2",
    "BitShift": "PartitionedCall 11-18 Data RightShift LeftShift",
    "BitwiseAnd": "BitwiseAnd 18-18",
    "BitwiseNot": "Invert 18-18",
    "BitwiseOr": "BitwiseOr 18-18",
    "BitwiseXor": "BitwiseXor 18-18",
    "BlendFaceBgPartTwo": "BlendFaceBgPartTwo 11-11",
    "BoundingBoxDecode": "BoundingBoxDecode 8-18",
    "Bucketize": "Bucketize 8-16",
    "Cast": "Cast 8-18",
    "CastLike": "CastLike 15-18",
    "Ceil": "Ceil 8-18",
    "Celu": "Celu 8-18|Celu 12-18",
    "Clip": (
        "PartitionedCall 8-10 Data Const Cast ClipByValue Minimum Maximum"
        "|PartitionedCall 11-18 Data Const Cast ClipByValue Minimum Maximum"
    ),
    "Col2Im": "PartitionedCall 18-18 Data Cast Col2ImV2",
    "Col2im": "Col2im 8-18",
    "Compress": "PartitionedCall 9-18 Data Const Where Squeeze Flatten GatherV2",
    "Concat": "PartitionedCall 8-18 Data Identity ConcatD",
    "ConcatFromSequence": "ConcatFromSequence 11-18",
    "ConstantOfShape": "PartitionedCall 8-18 Data Const Fill",
    "Conv": "PartitionedCall 8-18 Data Unsqueeze Conv2D Squeeze Conv3D",
    "ConvTranspose": "PartitionedCall 8-18 Data Const Unsqueeze Conv2DTranspose Squeeze Conv3DTranspose",
    "Corr": "PartitionedCall 8-16 Data Correlation",
    "Cos": "Cos 8-18",
    "Cosh": "Cosh 8-18",
    "CumSum": "Cumsum 8-18",
    "DeformableConv2D": "DeformableConv2D 9-16",
    "DeformableOffsets": "DeformableOffsets 9-16",
    "DepthToSpace": "DepthToSpace 8-18",
    "Det": "MatrixDeterminant 8-18",
    "Div": "RealDiv 8-18",
    "Dropout": "Dropout 8-18",
    "DynSeqOuter": "DynSeqOuter 8-16",
    "Einsum": "Einsum 8-18",
    "Elu": "Elu 8-18",
    "Equal": "Equal 8-18",
    "Erf": "Erf 8-18",
    "Exp": "Exp 8-18",
    "Expand": "Expand 8-18",
    "EyeLike": "PartitionedCall 8-18 Data Const Shape Split Adds Fill Cast Squeeze MatrixDiagV2",
    "Flatten": "Flatten 8-18",
    "Floor": "Floor 8-18",
    "GRU": "CommonGRU 8-18",
    "Gather": "PartitionedCall 8-18 Data Const GatherV2",
    "GatherElements": "GatherElements 8-18",
    "GatherND": "GatherNd 8-18",
    "Gemm": "PartitionedCall 8-18 Data MatMulV2 Add Muls",
    "GlobalAveragePool": "GlobalAveragePool 8-18",
    "GlobalLpPool": "GlobalLpPool 8-18",
    "GlobalMaxPool": "PartitionedCall 8-18 Data Const ReduceMax",
    "Greater": "Greater 8-18",
    "GreaterOrEqual": "GreaterEqual 8-18",
    "GridSample": "GridSampler2D 11-18",
    "GridSample3D": "GridSampler3D 11-18",
    "GridSampleV2": "GridSample 11-18",
    "GroupNormRelu": "GroupNormRelu 8-16",
    "HardSigmoid": "HardSigmoid 1-18",
    "HardSwish": "HardSwish 14-18",
    "Hardmax": "HardMax 8-18",
    "Identity": "Identity 8-18",
    "If": "If 8-18",
    "InstanceNormalization": "InstanceNorm 8-18",
    "Int8Conv": "PartitionedCall 8-16 Data Conv2D Const AscendDequant AscendQuant",
    "Int8ConvRelu": "PartitionedCall 8-16 Data Conv2D Const AscendDequant Relu AscendQuant",
    "Int8Dequantize": "PartitionedCall 8-16 Data AscendAntiQuant MaxPool",
    "Int8FC": "PartitionedCall 8-16 Data FullyConnection Const AscendDequant AscendQuant",
    "Int8GivenIntTensorFill": "Constant 8-16",
    "Int8Quantize": "AscendQuant 8-16",
    "Int8Transpose": "PartitionedCall 8-16 Data Const Transpose",
    "IsInf": "IsInf 10-18",
    "IsNaN": "IsNan 9-18",
    "LRN": "LRN 8-18",
    "LSTM": "CommonLSTM 8-18",
    "LSTMP": "LSTMP 8-18",
    "LayerNormalization": "PartitionedCall 17-18 Data Identity Shape BroadcastTo Const LayerNorm Adds Rsqrt Cast",
    "LeakyRelu": "LeakyRelu 8-18",
    "Less": "Less 8-18",
    "LessOrEqual": "LessEqual 8-18",
    "Log": "Log 8-18",
    "LogSoftmax": "LogSoftmaxV2 8-18",
    "LpNormalization": "PartitionedCall 1-18 Data Identity LpNormV2 Div",
    "LpPool": (
        "PartitionedCall 8-18 Const Transpose PadV2 AvgPool Data Abs Power Unsqueeze Squeeze AvgPoolV2 AvgPool3D Muls"
    ),
    "MatMul": "BatchMatMulV2 8-18",
    "Max": "PartitionedCall 8-18 Data Identity Maximum",
    "MaxPool": "PartitionedCall 8-18 TransposeD Const PadV2 MaxPool Data Unsqueeze Squeeze MaxPoolV3 MaxPool3D",
    "MaxRoiPool": "ROIPooling 1-18",
    "MaxUnpool": (
        "PartitionedCall 9-18 Data Identity Shape Const Sub Mul Reshape StridedSlice ZerosLike BroadcastTo "
        "ScatterElements"
    ),
    "Mean": "PartitionedCall 8-18 AccumulateNV2 Data Muls",
    "MeanVarianceNormalization": "MVNV2 9-18",
    "Min": (
        "PartitionedCall 11-11 Data Identity Minimum"
        "|PartitionedCall 8-10 Data Identity Minimum"
        "|PartitionedCall 12-12 Data Identity Minimum"
        "|PartitionedCall 13-18 Data Identity Minimum"
    ),
    "Mish": "Mish 18-18",
    "Mod": "Mod 10-18",
    "MovingSumWithSigmoid": "MovingSumWithSigmoid 8-16",
    "Mul": "Mul 8-18",
    "Multinomial": "PartitionedCall 8-18 Data Const Multinomial",
    "NMSRotated": "PartitionedCall 11-18 Data Const Mul Identity Shape Empty RotatedNMS",
    "NPUAddRmsNorm": "AddRmsNorm 11-18",
    "NPUAnchorResponseFlags": "AnchorResponseFlags 11-18",
    "NPUAntiQuant": "AscendAntiQuantV2 11-18",
    "NPUAscendQuantV2": "AscendQuantV2 11-18",
    "NPUBatchNms": "BatchMultiClassNonMaxSuppression 11-18",
    "NPUBoundingBoxDecode": "BoundingBoxDecode 11-18",
    "NPUBoundingBoxEncode": "BoundingBoxEncode 11-18",
    "NPUCiou": "CIoU 11-18",
    "NPUDeformableConv2d": "PartitionedCall 9-16 Data Identity DeformableConv2D Const",
    "NPUDiou": "DIoU 11-18",
    "NPUDropoutWithAddSoftmax": "PartitionedCall 11-18 Data Identity OnesLike Cast AxpyWithSoftmaxAndDropOutDoMask",
    "NPUDtypeCast": "Cast 11-18",
    "NPUDynamicQuant": "DynamicQuant 11-18",
    "NPUDynamicQuantV2": "DynamicQuantV2 11-18",
    "NPUFastGelu": "FastGelu 11-18",
    "NPUFormatCast": "Identity 11-18",
    "NPUFusedAddRmsNorm": "FusedAddRmsNorm 11-18",
    "NPUGeglu": "GeGluV2 11-18",
    "NPUGiou": "PartitionedCall 11-18 Data GIoU Const Transpose",
    "NPUGridAssignPositive": "PartitionedCall 11-18 Data Const GridAssignPositive",
    "NPUGroupNormSilu": "GroupNormSilu 11-18",
    "NPUGroupQuant": "GroupQuant 8-18",
    "NPUGru": "PartitionedCall 11-18 Data Identity DynamicGRUV2",
    "NPUIndexing": "PartitionedCall 11-18 Const Data StridedSlice",
    "NPUIou": "Iou 11-18",
    "NPULstm": "PartitionedCall 11-18 Data DynamicRNN Identity",
    "NPULstmCell": "PartitionedCall 11-18 Data DynamicRNNV2 Add Const ExpandDims Identity",
    "NPUMish": "Mish 11-18",
    "NPUNmsV4": "PartitionedCall 11-18 Data Const NonMaxSuppressionV4",
    "NPUNmsWithMask": "NMSWithMask 11-18",
    "NPUOneHot": "PartitionedCall 11-18 Data Const Cast OneHotD",
    "NPUPsRoiPooling": "PSROIPoolingV2 11-18",
    "NPUQuantize": "Quantize 11-18",
    "NPURmsNorm": "RmsNorm 11-18",
    "NPURoiAlign": "ROIAlign 11-18",
    "NPURotaryMul": "RotaryMul 11-18",
    "NPURotatedIou": "PartitionedCall 11-18 Data Const Transpose RotatedIou",
    "NPURotatedOverlaps": "PartitionedCall 11-18 Data Const Transpose RotatedOverlaps",
    "NPUScatter": "ArgMaxGrad 11-18",
    "NPUSignBitsPack": "SignBitsPack 11-18",
    "NPUSignBitsUnpack": "SignBitsUnpack 11-18",
    "NPUSlice": "PartitionedCall 11-18 Data Const Slice",
    "NPUSoftmaxCrossEntropyWithLogits": "SoftmaxCrossEntropyWithLogits 11-18",
    "NPUWeightQuantBatchMatmulV2": "WeightQuantBatchMatmulV2 11-19",
    "NPUYoloBoxesEncode": "YoloBoxesEncode 11-18",
    "Neg": "Neg 8-18",
    "NonMaxSuppression": "PartitionedCall 10-18 Data NonMaxSuppressionV6 Cast",
    "NonZero": "PartitionedCall 9-18 Data NonZero",
    "Not": "LogicalNot 8-18",
    "OneHot": "PartitionedCall 9-18 Data Const Split Identity Add Mod OneHot",
    "Or": "LogicalOr 8-18",
    "PRelu": "PRelu 8-18",
    "PSROIPooling": "PSROIPoolingV2 8-16",
    "Pad": "PartitionedCall 8-10 Data Const MirrorPad PadV3|PadV3 11-18 Data Const MirrorPad PadV3",
    "PhonyConcat": "PhonyConcat 8-18",
    "PhonySplit": "PhonySplit 8-18",
    "Pow": "Pow 8-18",
    "QuantBatchMatMul": "QuantBatchMatmulV3 8-16",
    "RandomNormal": "PartitionedCall 8-18 Const RandomStandardNormal Muls Adds",
    "RandomNormalLike": "PartitionedCall 8-18 Data Shape RandomStandardNormal Const Cast Mul Add",
    "RandomUniform": "PartitionedCall 8-18 Const RandomUniformInt RandomUniform Muls Adds",
    "RandomUniformLike": "PartitionedCall 8-18 Data Shape RandomUniform Const Cast Mul Add",
    "Range": "Range 8-18",
    "Reciprocal": "Reciprocal 8-18",
    "ReduceL1": "LpNormV2 8-17",
    "ReduceL2": "LpNormV2 8-17",
    "ReduceLogSum": "PartitionedCall 8-12 Data Const ReduceSum Log|ReduceLogSum 13-18 Data Const ReduceSum Log",
    "ReduceLogSumExp": (
        "PartitionedCall 8-12 Data Const ReduceLogSumExp|ReduceLogSumExp 13-18 Data Const ReduceLogSumExp"
    ),
    "ReduceMax": "PartitionedCall 8-12 Data Const ReduceMax|ReduceMax 13-18 Data Const ReduceMax",
    "ReduceMean": "PartitionedCall 8-12 Data Const ReduceMean|ReduceMean 13-18 Data Const ReduceMean",
    "ReduceMin": "PartitionedCall 8-12 Data Const ReduceMin|ReduceMin 13-18 Data Const ReduceMin",
    "ReduceProd": "PartitionedCall 8-12 Data Const ReduceProd|ReduceProd 13-18 Data Const ReduceProd",
    "ReduceSum": "PartitionedCall 8-12 Data Const ReduceSum|ReduceSum 13-18 Data Const ReduceSum",
    "ReduceSumSquare": "PartitionedCall 1-12 Data SquareSumV1|SquareSumV1 13-18 Data SquareSumV1",
    "Relu": "Relu 8-18",
    "RepeatWithPad": "RepeatWithPad 8-18",
    "Reshape": "Reshape 8-18",
    "Resize": (
        "PartitionedCall 11-18 Const Slice ResizeNearestNeighborV2 Resize Cast Shape Mul Data Identity"
        "|PartitionedCall 10-10 Const Slice ResizeNearestNeighborV2 Resize Cast Shape Mul Data Identity"
    ),
    "ResizeBicubic": "ResizeBicubic 17-17",
    "ReverseSequence": "ReverseSequence 10-18",
    "RoiAlign": (
        "PartitionedCall 8-15 Data Const Unsqueeze Cast Concat ROIAlign"
        "|PartitionedCall 16-18 Data Const Unsqueeze Cast Concat ROIAlign"
    ),
    "RoiAlignRotated": "PartitionedCall 11-18 Data Const Transpose RoiAlignRotated",
    "RoiExtractor": "RoiExtractor 8-16",
    "Round": "Round 8-18",
    "Scatter": "ScatterElements 9-11",
    "ScatterElements": "ScatterElements 11-18",
    "ScatterND": (
        "PartitionedCall 8-18 Data TensorMove ScatterNdUpdate ScatterNdAdd ScatterNdMax ScatterNdMin"
        "|TensorScatterUpdate 8-18"
    ),
    "Selu": "Selu 8-18",
    "SequenceAt": "SequenceAt 11-18",
    "SequenceConstruct": "SequenceConstruct 11-18",
    "SequenceEmpty": "SequenceEmpty 11-18",
    "SequenceErase": "SequenceErase 11-18",
    "SequenceInsert": "SequenceInsert 11-18",
    "SequenceLength": "SequenceLength 11-18",
    "Shape": "Shape 8-18",
    "Shrink": "Shrink 9-18",
    "Sigmoid": "Sigmoid 8-18",
    "Sign": "Sign 8-18",
    "Sin": "Sin 8-18",
    "Sinh": "Sinh 8-18",
    "Size": "Size 8-18",
    "Slice": "PartitionedCall 8-9 Const Data StridedSliceV2|StridedSliceV2 10-18 Const Data StridedSliceV2",
    "Softmax": "SoftmaxV2 8-12|SoftmaxV2 13-18",
    "SoftmaxCrossEntropyLoss": "SoftmaxCrossEntropyLoss 12-18",
    "Softplus": "Softplus 8-18",
    "Softsign": "Softsign 8-18",
    "SpaceToDepth": "SpaceToDepth 8-18",
    "SparseToDense": "SparseToDense 8-18",
    "Split": "PartitionedCall 8-18 Data Split Const SplitV",
    "SplitToSequence": "SplitToSequence 11-18",
    "Sqrt": "Sqrt 8-18",
    "Squeeze": "Squeeze 8-12|SqueezeV3 13-18",
    "Sub": "Sub 8-18",
    "Sum": "AccumulateNV2 8-18",
    "SwinAttentionFFN": "SwinAttentionFFN 17-17",
    "SwinAttentionScore": "SwinAttentionScore 17-17",
    "SwinTransformerLnQKV": "SwinTransformerLnQKV 17-17",
    "Tan": "Tan 8-18",
    "Tanh": "Tanh 8-18",
    "ThresholdedRelu": "PartitionedCall 10-18 Data Identity Threshold Mul",
    "Tile": "Tile 8-18",
    "TopK": "PartitionedCall 8-9 Data Const TopK|TopK 10-18 Data Const TopK",
    "TransArgb": "TransArgb 8-18",
    "Transpose": "PartitionedCall 8-18 Data Const Transpose",
    "Trilu": "PartitionedCall 14-18 Data Trilu",
    "Triu": "Triu 13-16",
    "Unique": "PartitionedCall 11-18 Data UniqueWithCountsAndSorting Shape Empty",
    "Unsqueeze": "Unsqueeze 8-12|UnsqueezeV3 13-18",
    "Upsample": "PartitionedCall 8-16 Data Const Resize",
    "Where": "SelectV2 8-18",
    "Xor": "PartitionedCall 8-18 Data Cast BitwiseXor",
    "Yolo": "Yolo 8-16",
    "YoloPreDetection": "YoloPreDetection 8-16",
    "YoloV3DetectionOutputV2": "YoloV3DetectionOutputV2 8-16",
    "YoloV5DetectionOutput": "YoloV5DetectionOutput 8-16",
    "YoloxBoundingBoxDecode": "YoloxBoundingBoxDecode 8-16",
}
