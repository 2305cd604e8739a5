"""What the codes of small floats mean, by the formulas of their specifications, one code at a time.

Source: OCP Microscaling Formats (MX) Specification, version 1.0, section 5.3; OCP 8-bit Floating Point Specification.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache


@dataclass(frozen=True)
class Form:
    """The bits of exponent and mantissa, the bias, and which codes are no numbers."""

    exponent: int
    mantissa: int
    bias: int
    special: str  # finite: none; nan: one mantissa; ieee: the last exponent; fnuz: the negative zero

    @property
    def width(self) -> int:
        return 1 + self.exponent + self.mantissa


E2M1 = Form(2, 1, 1, "finite")
E2M3 = Form(2, 3, 1, "finite")
E3M2 = Form(3, 2, 3, "finite")
E4M3 = Form(4, 3, 7, "nan")
E5M2 = Form(5, 2, 15, "ieee")
E4M3FNUZ = Form(4, 3, 8, "fnuz")
E5M2FNUZ = Form(5, 2, 16, "fnuz")


def meaning(code: int, form: Form) -> float:
    """Return the number that a code means, which may be infinite or NaN."""
    sign, rest = code >> (form.width - 1) & 1, code & ((1 << form.width - 1) - 1)
    exponent, mantissa = rest >> form.mantissa, rest & ((1 << form.mantissa) - 1)
    last = exponent == (1 << form.exponent) - 1
    if form.special == "fnuz" and sign and not rest:
        return float("nan")
    if form.special == "nan" and last and mantissa == (1 << form.mantissa) - 1:
        return float("nan")
    if form.special == "ieee" and last:
        return float("nan") if mantissa else (-1) ** sign * float("inf")
    ahead = Fraction(mantissa, 1 << form.mantissa) + (exponent > 0)
    return (-1.0) ** sign * float(ahead * Fraction(2) ** (max(exponent, 1) - form.bias))


@cache
def numbers(form: Form) -> dict[int, float]:
    """Return all codes that mean a finite number."""
    found = {code: meaning(code, form) for code in range(1 << form.width)}
    return {code: number for code, number in found.items() if abs(number) < float("inf")}
