"""Projects with a history. Where the machine has no git, a stand-in for the five commands that brewer gives it.

Deliberately absent: the repository that the tests themselves stand in. They must pass in an unpacked archive, too.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from hashlib import sha1
from pathlib import Path

import pytest

GIT = shutil.which("git")
IMPLEMENTATIONS = ("git", "stand_in") if GIT else ("stand_in",)
# Whatever the machine is configured with does not count.
_ENVIRONMENT = {
    **{"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
    **{f"GIT_{who}_{what}": "test@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}
_STAND_IN = '''\
#!{python}
"""What `git` answers to brewer, from files that the tests wrote."""
import json, sys
from pathlib import Path

folder, command, *arguments = sys.argv[2:]
root = next((p for p in (Path(folder), *Path(folder).parents) if (p / ".git/history.json").exists()), None)
if root is None:
    sys.exit("fatal: not a git repository (or any of the parent directories): .git")
history = json.loads((root / ".git/history.json").read_text())
out = sys.stdout.buffer
if command == "rev-parse":
    commit = history["names"].get(arguments[-1].removesuffix("^{{commit}}"))
    print(commit) if commit else sys.exit(1)
elif command == "for-each-ref":
    print("\\n".join(name for name in history["names"] if name != "HEAD"))
elif command == "ls-tree":
    below = Path(folder).resolve().relative_to(root.resolve()).as_posix()
    for path, name in sorted(history["trees"][history["names"].get(arguments[2], arguments[2])].items()):
        inner = path if below == "." else path.removeprefix(below + "/")
        if inner.split("/")[0] in arguments[4:] and (below == "." or inner != path):
            out.write(f"100644 blob {{name}}\\t{{inner}}\\0".encode())
elif command == "ls-files":  # the index is what was committed last
    for path, name in sorted(history["trees"].get(history["names"].get("HEAD"), {{}}).items()):
        if path.startswith(arguments[-1] + "/"):
            out.write(f"100644 {{name}} 0\\t{{path}}\\0".encode())
elif command == "cat-file":
    for line in sys.stdin.read().split():
        content = history["blobs"][line].encode("latin-1")
        out.write(f"{{line}} blob {{len(content)}}\\n".encode() + content + b"\\n")
'''


class Repository:
    """A folder whose contents can be committed."""

    def __init__(self, root: Path, implementation: str, patch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.implementation = implementation
        if implementation == "git":
            for name, value in _ENVIRONMENT.items():
                patch.setenv(name, value)
            self._git("init", "-q", "-b", "main")
            return
        tools = root.parent / f"{root.name}-tools"
        tools.mkdir(exist_ok=True)
        (tools / "git").write_text(_STAND_IN.format(python=sys.executable), encoding="utf-8")
        (tools / "git").chmod(0o755)
        patch.setenv("PATH", str(tools), prepend=os.pathsep)
        (root / ".git").mkdir()
        self._history: dict[str, dict[str, object]] = {"names": {}, "trees": {}, "blobs": {}}

    def commit(self) -> str:
        """Commits everything as it stands; returns the name of the commit."""
        if self.implementation == "git":
            self._git("add", "-A")
            self._git("commit", "-q", "--allow-empty", "-m", "a commit")
            return self._git("rev-parse", "HEAD").strip()
        files = {p.relative_to(self.root).as_posix(): p.read_bytes() for p in _files_below(self.root)}
        names = {path: sha1(b"blob %d\0" % len(content) + content).hexdigest() for path, content in files.items()}
        commit = sha1(json.dumps([names, len(self._history["trees"])]).encode()).hexdigest()
        self._history["blobs"].update({names[path]: content.decode("latin-1") for path, content in files.items()})
        self._history["trees"][commit] = names
        self._history["names"].update({"HEAD": commit, "main": commit, commit: commit})
        (self.root / ".git/history.json").write_text(json.dumps(self._history), encoding="utf-8")
        return commit

    def _git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.root), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def any_repository(root: Path, patch: pytest.MonkeyPatch) -> Repository:
    """A repository of the better implementation that the machine has."""
    return Repository(root, IMPLEMENTATIONS[0], patch)


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8", newline="")


def _files_below(root: Path) -> list[Path]:
    return [p for p in sorted(root.rglob("*")) if p.is_file() and ".git" not in p.relative_to(root).parts]
