"""The web page as a process of its own, and the browser that visits it."""

import contextlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from waiting import wait_for

BROWSER = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
# for conditions, not for waiting: a slow machine may take it, a fast one does not
PATIENCE = 60


def missing():
    """What the tests lack, or None."""
    if not Path(BROWSER).exists():
        return "chromium is not installed (apt-get install chromium)"
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed (pip install '.[test]')"
    return None


class Page:
    """The server, with its own working folder and folder for temporary files."""

    def __init__(self, folder):
        self.work, self.temporary = folder / "work", folder / "temporary"
        self.work.mkdir()
        self.temporary.mkdir()
        self.log = folder / "log"
        environment = {**os.environ, "TMPDIR": str(self.temporary), "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "nproc", "app", "--no-browser", "--port", "0"]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=log, cwd=self.work, env=environment)
        self.url = wait_for(lambda: re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", self.log.read_text())).group()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def sessions(self):
        """The temporary folders of all sessions."""
        return sorted(self.temporary.rglob("nproc-session-*"))

    def processes(self):
        """Numbers of all processes below the server."""
        parents = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        found, more = set(), {self.process.pid}
        while more:
            more = {child for child, parent in parents.items() if parent in more}
            found |= more
        return found


# what a user does


def unfold(window):
    """Open the settings, which fold away at Fit where the window is narrow."""
    if window.evaluate("!document.getElementById('settings').open"):
        window.click("#settings > summary")


def fit(window, *methods, alpha=None):
    unfold(window)
    window.evaluate("names => document.getElementById('methods').selectize.setValue(names)", list(methods))
    if alpha is not None:
        window.fill("#alpha", str(alpha))
    press_fit(window)


def press_fit(window):
    """Click Fit, and once more if the button moved away from under the click while the page was drawn anew."""
    presses = "Number(jQuery('#fit').data('val') || 0)"
    before = window.evaluate(presses)
    while window.evaluate(presses) == before:
        window.locator("html:not(.shiny-busy)").wait_for(state="attached")
        window.click("#fit")


def upload(window, path):
    unfold(window)
    window.check("input[name=kind][value=upload]")
    window.locator("#file").set_input_files(path)


def shown(window, place, text):
    """Wait until a place shows a text, and return all that it shows."""
    window.locator(place, has_text=text).wait_for()
    return window.locator(place).inner_text()


def level_in(status):
    return float(re.search(r"alpha = ([\d.]+)", status).group(1))


def download(window, button, folder):
    window.get_by_role("tab", name="Downloads").click()
    with window.expect_download() as caught:
        window.click(f"#{button}")
    path = folder / caught.value.suggested_filename
    caught.value.save_as(path)
    return path
