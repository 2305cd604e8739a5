"""Weights that are stored as packed codes: which schemes there are, and what their bytes come to.

Deliberately absent: what the codes mean, which `runtime/semantics/packed.py` knows.

Source: ggml library, ggml-common.h, for the blocks of GGUF; RLX compiler, rlx-ir/src/quant.rs, for their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from runtime.types import Dim, Type


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks that a list of packed weights consists of.

    Units: elements, and bytes.
    """

    elements: int
    bytes: int

    def count(self, extent: int) -> int | None:
        """Return how many elements a number of bytes holds; None where it is no number of whole blocks."""
        return None if extent % self.bytes else extent // self.bytes * self.elements


GGUF: Final[Mapping[str, Blocks]] = {
    "gguf_q4_0": Blocks(32, 18),
    "gguf_q4_1": Blocks(32, 20),
    "gguf_q5_0": Blocks(32, 22),
    "gguf_q5_1": Blocks(32, 24),
    "gguf_q8_0": Blocks(32, 34),
    "gguf_q2_k": Blocks(256, 84),
    "gguf_q3_k": Blocks(256, 110),
    "gguf_q4_k": Blocks(256, 144),
    "gguf_q5_k": Blocks(256, 176),
    "gguf_q6_k": Blocks(256, 210),
    "gguf_q8_k": Blocks(256, 292),
    "gguf_iq1_s": Blocks(256, 50),
    "gguf_iq1_m": Blocks(256, 56),
    "gguf_iq2_xxs": Blocks(256, 66),
    "gguf_iq2_xs": Blocks(256, 74),
    "gguf_iq2_s": Blocks(256, 82),
    "gguf_iq3_xxs": Blocks(256, 98),
    "gguf_iq3_s": Blocks(256, 110),
    "gguf_iq4_nl": Blocks(32, 18),
    "gguf_iq4_xs": Blocks(256, 136),
    "gguf_tq1_0": Blocks(256, 54),
    "gguf_tq2_0": Blocks(256, 66),
    "gguf_mxfp4": Blocks(32, 17),
    "gguf_nvfp4": Blocks(64, 36),
}
BLOCKED: Final = ("int8_block", "int8_block_asym", "int4_block")
"""The schemes whose instruction says how many elements share a scale."""

HALVES: Final = ("int4_block", "nvfp4_block")
"""The schemes with two codes to a byte."""

NVFP4_BLOCK: Final = 16
"""How many elements share a scale in NVFP4."""


def scale_block(scheme: str, block_size: int | None) -> int | None:
    """Return how many elements along K share a scale, where the scales stand in an operand of their own."""
    return NVFP4_BLOCK if scheme == "nvfp4_block" else block_size if scheme in BLOCKED else None


def why_not_weights(scheme: str, weights: Type) -> Iterator[tuple[str, str]]:
    """Yield the field at fault, and what is wrong, where a list of bytes holds no whole blocks of GGUF."""
    count = weights.shape[0] if weights.shape else None
    if scheme not in GGUF:
        yield "scheme", f"{scheme} is no scheme of GGUF, whose codes carry their scales"
    elif isinstance(count, int) and GGUF[scheme].count(count) is None:
        each = GGUF[scheme].bytes
        yield "weights", f"weights have {count} bytes, no whole number of blocks: {scheme} takes {each} bytes for each"


def why_not_elements(scheme: str, weights: Type, extents: Sequence[Dim]) -> str | None:
    """Return why packed weights do not hold matrices of these extents; None where they may."""
    count = weights.shape[0] if weights.shape else None
    if scheme not in GGUF or not isinstance(count, int):
        return None
    held, known = GGUF[scheme].count(count), [extent for extent in extents if isinstance(extent, int)]
    if held is None or len(known) < len(extents) or held == prod(known):
        return None
    return f"weights hold {held} elements, and the result needs {prod(known)}: {list(known)}"
