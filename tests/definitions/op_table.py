"""The op table of rlx-compile/src/precision.rs of the RLX compiler, read from that document line by line.

A row is the name of an operation, its kind, and what its two further lists say of it: `f32` where a backend has kernels
for f32 only, `intact` where no data type of it is changed. Deliberately absent: anything from definitions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_COMPUTE: Final = """
MatMul
FusedMatMulBiasAct
FusedConvBiasAct
Conv                          f32
Im2Col                        f32
DotGeneral
DenseSolve
BatchedDenseSolve
Attention
FusedTransformerLayer
GroupedMatMul
DequantGroupedMatMul
DequantMoEWeights
LoraMatMul
DequantMatMul                 f32
SynthMatMul                   f32
ScaledMatMul                  intact
QMatMul
QConv2d                       f32
Conv2dBackwardInput           f32
Conv2dBackwardWeight          f32
AttentionBackward
Custom
Scan
ScanBackward
ScanBackwardXs
CustomFn
Fft
FftButterflyStage
LogMel
LogMelBackward
BiMap                         f32
ReEig                         f32
LogEig                        f32
SpdBatchNorm                  f32
SpdKarcherMean                f32
SpdKarcherMeanWeighted        f32
SpdLogMap                     f32
SpdExpMap                     f32
SpdParallelTransport          f32
SpdMatrixFnBatch              f32
ReEigBackward                 f32
LogEigBackward                f32
SpdBatchNormBackwardX         f32
SpdBatchNormBackwardG         f32
SpdLogMapBackward             f32
SpdExpMapBackward             f32
SpdParallelTransportBackward  f32
SpdMatrixFnBatchBackward      f32
Eigh                          f32
EighBackward                  f32
EighBatch                     f32
EighBatchBackward             f32
"""

_REDUCTION: Final = """
LayerNorm
RmsNorm
Softmax
FusedResidualLN
FusedResidualRmsNorm
Reduce
Cumsum                         f32
Sample                         f32
SelectiveScan                  f32
GatedDeltaNet                  f32
Lstm                           f32
Gru                            f32
Rnn                            f32
Mamba2                         f32
SoftmaxCrossEntropy            f32
SoftmaxCrossEntropyWithLogits  f32
SoftmaxCrossEntropyBackward    f32
LayerNormBackwardInput         f32
LayerNormBackwardGamma         f32
GroupNorm                      f32
AdaLayerNorm
AdaLayerNormBackward
"""

_ELEMENTWISE: Final = """
Activation
Binary
FusedSwiGLU
Compare
Where
ElementwiseRegion
Quantize
ScaledQuantize                intact
ScaledQuantScale              intact
ScaledDequantize              intact
Dequantize
FakeQuantize
FakeQuantizeBackward
FakeQuantizeLSQ
FakeQuantizeLSQBackwardX
FakeQuantizeLSQBackwardScale
ReluBackward
ActivationBackward
ComplexNormSq
ComplexNormSqBackward
Conjugate
GatedResidual
GatedResidualBackward
"""

_DATA_MOVEMENT: Final = """
Gather
Narrow
Reshape
Transpose
Concat
Expand                        f32
Cast
Rope
Pool                          f32
FusedAttentionBlock           f32
TopK                          f32
ScatterAdd                    f32
ScatterNd                     f32
ScatterElements               f32
GatherNd                      f32
GatherElements                f32
MaxPool2dBackward             f32
ResizeNearest2x               f32
AxialRope2d                   f32
If
While
"""

_BOUNDARY: Final = """
Input
Param
Constant
"""

# What only its other lists and comments name; the last arm makes all of it compute.
_UNLISTED: Final = """
Conv3d                        f32
ConvTranspose2d               f32
ConvTranspose3d               f32
FftQ
"""


@dataclass(frozen=True)
class Row:
    """What the document says of one operation."""

    name: str
    op_kind: str
    is_listed: bool  # whether it stands in an arm of its own
    force_f32: bool
    precision_intact: bool


def _rows(text: str, op_kind: str, is_listed: bool = True) -> tuple[Row, ...]:
    rows = [line.split() for line in text.strip().splitlines()]
    return tuple(Row(name, op_kind, is_listed, "f32" in more, "intact" in more) for name, *more in rows)


ROWS: Final = (
    *_rows(_COMPUTE, "compute"),
    *_rows(_REDUCTION, "reduction"),
    *_rows(_ELEMENTWISE, "elementwise"),
    *_rows(_DATA_MOVEMENT, "data_movement"),
    *_rows(_BOUNDARY, "boundary"),
    *_rows(_UNLISTED, "compute", is_listed=False),
)
