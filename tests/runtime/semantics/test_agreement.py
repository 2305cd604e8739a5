"""Every instruction that computes agrees with an independent source, and every other one says why it does not."""

import numpy as np
import pytest

from generated import INSTRUCTIONS
from runtime.instruction_set import standard
from tests.runtime.semantics.__main__ import main
from tests.runtime.semantics.check import Check, all_checks, error_of
from tests.runtime.semantics.table import without_semantics

CHECKS = tuple(all_checks())
COMPUTING = [mnemonic for mnemonic in INSTRUCTIONS if standard()[mnemonic].INFO.semantics is not None]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"{check.mnemonic}-{check.against}".replace(" ", "_"))
def test_an_instruction_agrees_with_an_independent_source(check: Check) -> None:
    assert check.largest_error() <= check.bound


@pytest.mark.parametrize("mnemonic", COMPUTING)
def test_an_instruction_with_semantics_is_checked(mnemonic: str) -> None:
    """One a test, so that those of a new instruction, chosen by its mnemonic, have it among them."""
    checked = any(check.mnemonic == mnemonic for check in CHECKS)
    assert checked, f"write a `Check` of {mnemonic} in a module of tests/runtime/semantics/agreement/"


def test_every_check_is_of_an_instruction_that_computes() -> None:
    assert {check.mnemonic for check in CHECKS} <= set(COMPUTING)


def test_every_instruction_without_semantics_says_why() -> None:
    assert not [mnemonic for mnemonic, reason in without_semantics().items() if not reason]


def test_an_error_is_measured_beside_the_largest_magnitude() -> None:
    assert error_of(np.array([1, 200]), np.array([3, 200])) == 0.01
    assert error_of(np.array([0.25]), np.array([0])) == 0.25
    assert error_of(np.array([np.nan, np.inf]), np.array([np.nan, np.inf])) == 0
    assert error_of(np.array([np.inf]), np.array([-np.inf])) == np.inf
    assert error_of(np.array([1]), np.array([np.nan])) == np.inf
    assert error_of(np.array([np.nan]), np.array([1])) == np.inf
    assert error_of(np.array([2**53 + 1]), np.array([2**53])) > 0
    with pytest.raises(AssertionError, match="shape"):
        error_of(np.zeros(2), np.zeros((2, 1)))


def test_the_table_of_some_instructions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph.reshape", "graph.softmax"]) == 0
    rows = [line.split("`")[1] for line in capsys.readouterr().out.splitlines() if line.startswith("| `")]
    assert sorted(set(rows)) == ["graph.reshape", "graph.softmax"]


def test_the_table_says_what_no_check_is_about(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.runtime.semantics.table.all_checks", lambda: iter(()))
    assert main(["graph.softmax", "graph.custom"]) == 0
    assert "\nno check is about graph.softmax\n" in capsys.readouterr().out


def test_a_table_of_what_is_no_instruction(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph.softmax", "graph.softmx"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith('no instruction is called "graph.softmx"; did you mean "graph.softmax"')
