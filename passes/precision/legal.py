"""Since which version of the operator set an ONNX operator may run in f16 or bf16.

Deliberately absent: the types of each operand. An entry covers the operands and results that a policy may convert, so
those that stay f32 by the operator's facts are not looked at. A test compares the table with the schemas of onnx.

Source: ONNX operator specification, Operators.md.
"""

from __future__ import annotations

from typing import Final

from runtime.dtypes import DType, f16

OLDEST: Final = 7
"""Operator sets before this one cast and broadcast in another way: programs of them stay as they are."""

NEVER: Final = 1 << 30

_F16_SINCE: Final = {"CumSum": 14, "DequantizeLinear": NEVER, "IsInf": 20, "QuantizeLinear": NEVER, "Range": 27}
"""The operators that exist in earlier versions without f16; of the quantizing ones the scale would change, too."""

_BF16_USUAL: Final = 13

_BF16_SINCE: Final = {
    **dict.fromkeys(("BatchNormalization", "CumSum"), 14),
    **{"Pow": 15},
    **dict.fromkeys(("GreaterOrEqual", "LeakyRelu", "LessOrEqual", "PRelu", "Where"), 16),
    **dict.fromkeys(("ConstantOfShape", "IsInf"), 20),
    **dict.fromkeys(("AveragePool", "Conv", "ConvTranspose", "Cos", "Elu", "EyeLike", "GRU", "GlobalAveragePool"), 22),
    **dict.fromkeys(("GlobalMaxPool", "HardSigmoid", "HardSwish", "InstanceNormalization", "LSTM", "MaxPool"), 22),
    **dict.fromkeys(("Mish", "RNN", "Round", "Selu", "Sin", "Softplus"), 22),
    **{"TopK": 24, "Range": 27, "Einsum": 28, "OneHot": 28},
    **dict.fromkeys(("DequantizeLinear", "QuantizeLinear", "Upsample"), NEVER),
}


def may_run_in(low: DType, op_type: str, version: int) -> bool:
    """Whether an operator of the standard domain may run in f16 or bf16 at a version of the operator set."""
    since = _F16_SINCE.get(op_type, OLDEST) if low is f16 else _BF16_SINCE.get(op_type, _BF16_USUAL)
    return version >= since
