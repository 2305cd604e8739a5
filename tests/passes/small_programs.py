"""Programs that several tests of passes start from."""

from runtime.functions import Module
from runtime.instruction_set import standard
from runtime.text.parser import parse

CHAIN = """\
target trn2

func @main(%x: f32[4,8]) {
  %p: bf16[4,8] = activation relu %x
  %c: f32[4,8] = tensor_copy %p
  %u: f32[4,8] = activation tanh %c
  return %u
}
"""
"""One round trip through bf16; the cast writes 32 bytes a partition."""


def chain() -> Module:
    return parse(CHAIN, standard())


def hub(casts: int, last: str = "f32") -> Module:
    """Return a program in which one producer has many casts to f32, and one more to `last`."""
    lines = [f"  %c{number}: f32[4,8] = tensor_copy %p" for number in range(casts)]
    return parse(
        "\n".join(
            [
                "func @main(%x: f32[4,8]) {",
                "  %p: bf16[4,8] = activation relu %x",
                *lines,
                f"  %d: {last}[4,8] = tensor_copy %p",
                "  return %d",
                "}",
            ]
        ),
        standard(),
    )


def tensor_hub(casts: int, last: str = "f32") -> Module:
    """Return the same over a tensor."""
    text = [
        "func @main() {",
        "  tensor %x: f32[4,8] sbuf input",
        "  tensor %p: bf16[4,8] sbuf",
        "  %p = activation relu %x",
    ]
    for number in range(casts):
        text.append(f"  %c{number}: f32[4,8] = tensor_copy %p")
        text.append(f"  %u{number}: f32[4,8] = activation tanh %c{number}")
    text += [f"  %d: {last}[4,8] = tensor_copy %p", "  return", "}"]
    return parse("\n".join(text), standard())
