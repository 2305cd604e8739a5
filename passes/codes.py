"""Every code of the pass driver with what it says. A code is never given another meaning and never reused."""

from __future__ import annotations

from collections.abc import Mapping

CODES: Mapping[str, str] = {
    # The pipeline.
    "P001": "the text of a pipeline is malformed",
    "P002": "no pass has this name",
    "P003": "a pass does not take this option",
    "P004": "an option of a pass is given twice",
    "P005": "an option of a pass cannot have this value",
    "P006": "no target has this name",
    "P007": "no precision policy has this name",
    "P055": "a file with a precision policy cannot be read",
    "P020": "no auto-cast mode or type has this name, or a type stands without a mode",
    "P050": "a sweep over an option that a pipeline has not, or does not leave open",
    # Files.
    "P010": "a program cannot be read",
    "P011": "a program or report cannot be written",
    "P012": "a front end needs a library that is not installed",
    "P014": "a report, or statistics, that cannot be had, or not in this place",
    # Looking at passes.
    "P015": "what is printed before or after a pass that does not run",
    "P016": "options that do not go together",
    "P017": "a reproducer cannot be written",
    "P018": "a file is no reproducer",
    # Converting models.
    "P065": "a program cannot be had in the operator set that is asked for",
    "P066": "a pattern means nothing in the program",
    "P067": "a program cannot be run on inputs that are given to calibrate or verify a conversion",
    "P068": "the error of a converted program is not within a tolerance, whatever stays f32",
    # Numerics.
    "P030": "a pass changes results in a way that it does not state",
    "P031": "a program can be run before a pass, and not after it",
    "P032": "inputs that are not those of the program, or cannot be read",
    "P033": "a program cannot be run, so its numerics cannot be verified",
    "P034": "no inputs can be generated for a program",
    "P035": "a pass states roundings that are not there, or cannot be left out",
    "P036": "a pass changes a program, and says that it does not",
}
