"""What the decision about a function is made on; whoever has a part in it shares this one record.

    context = Context(survey, constants, policy, signatures, callees, requests)
    Choice(context, constraints).why_f32(node, f16)

Deliberately absent: whatever is decided (`passes/precision/decided.py`); nothing here changes while it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from passes.precision.constants import Constants
from passes.precision.guards import CalleeGuards
from passes.precision.policy import PrecisionPolicy
from passes.precision.requests import Requests
from passes.precision.survey import Survey
from runtime.dtypes import DType
from runtime.signatures import Signatures

Callees = Mapping[DType, Mapping[str, CalleeGuards]]
"""By lower float: what the guards find in local functions."""


@dataclass(frozen=True, slots=True)
class Context:
    """A function as it stands, and what decides about it."""

    survey: Survey
    constants: Constants
    policy: PrecisionPolicy
    signatures: Signatures | None  # None: nobody knows what the operators take
    callees: Callees
    requests: Requests  # of the user, about this run
