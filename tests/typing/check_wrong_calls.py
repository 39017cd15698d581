"""Both type checkers must flag every call of `wrong_calls.py`; ``make lint`` runs this."""

import json
import re
import subprocess
import sys
from pathlib import Path

CALLS = Path(__file__).with_name("wrong_calls.py")
TOOLS = Path(sys.executable).parent


def flagged_by_mypy():
    done = subprocess.run([TOOLS / "mypy", CALLS], capture_output=True, text=True)
    return {int(line) for line in re.findall(rf"{CALLS.name}:(\d+): error", done.stdout)}


def flagged_by_pyright():
    done = subprocess.run([TOOLS / "basedpyright", "--outputjson", CALLS], capture_output=True, text=True)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {entry["range"]["start"]["line"] + 1 for entry in found if entry["severity"] == "error"}


def main():
    lines = CALLS.read_text(encoding="utf-8").splitlines()
    first = next(number for number, line in enumerate(lines, start=1) if line.startswith("sample ="))
    wrong = set(range(first + 1, len(lines) + 1))
    for name, flagged in (("mypy", flagged_by_mypy()), ("pyright", flagged_by_pyright())):
        if flagged != wrong:
            sys.exit(f"{name} flags the lines {sorted(flagged)} of {CALLS.name}, and {sorted(wrong)} are wrong.")
    print(f"{len(wrong)} wrong calls are flagged by mypy and by pyright.")


if __name__ == "__main__":
    main()
