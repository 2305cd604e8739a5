"""Settings that Python's TOML reader gives up on."""

from pathlib import Path

import pytest

from brewer.command_line import main


@pytest.mark.parametrize("text", [f"output = {'9' * 5000}\n", f"output = {'[' * 3000}\n"], ids=["digits", "nesting"])
def test_what_no_toml_reader_takes_is_a_diagnostic(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.brewer]\n{text}")
    assert main(["--root", str(tmp_path)]) == 2
    assert "error[D110]: the file is not TOML" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["pyproject.toml"]
