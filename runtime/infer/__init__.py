"""How result types follow from operand types: the functions that a definition's `results: {infer: ...}` names.

A module for each family. A definition names the function alone, so no two of the package have one name.

Deliberately absent: complaints. Where operands do not fit, the answer is what is known of the result (an unknown shape,
at worst), and the verifier says what does not fit. A constructor must not fail on a program that is only half built.
"""
