"""What one user's session holds. Nothing is shared between sessions."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from shiny import reactive

from nproc.app.jobs import Job
from nproc.app.results import Level, NewRows, Result
from nproc.app.sources import Source


class State:
    """The reactive values of a session, and its temporary folder.

    Attributes
    ----------
    source : Value of Source or None
        The table.
    job : Value of Job or None
        The fit that runs.
    progress : Value of str and float, or None
        How far it is.
    result : Value of Result or None
        The last fit.
    first_settings : dict
        For each table and label, the settings of the first fit whose band has been seen.
    level : Value of Level or None
        The level on the bands.
    new : Value of NewRows or None
        New rows to predict.
    problem : Value of str
        What went wrong with the last thing that the user did; empty if nothing.
    new_problem : Value of str
        The same of the new rows.
    folder : Path
        A temporary folder, which goes with the session.
    """

    def __init__(self):
        self.source: reactive.Value[Source | None] = reactive.value(None)
        self.job: reactive.Value[Job | None] = reactive.value(None)
        self.progress = reactive.value(None)
        self.result: reactive.Value[Result | None] = reactive.value(None)
        self.level: reactive.Value[Level | None] = reactive.value(None)
        self.new: reactive.Value[NewRows | None] = reactive.value(None)
        self.problem = reactive.value("")
        self.new_problem = reactive.value("")
        self.first_settings = {}
        self._folder = TemporaryDirectory(prefix="nproc-session-")
        self.folder = Path(self._folder.name)

    def stop_job(self):
        """Kill the fit that runs, if there is one."""
        with reactive.isolate():
            job = self.job()
        if job is not None:
            job.cancel()
            self.job.set(None)
            self.progress.set(None)

    def replace_source(self, source):
        """Take another table; what came from the old one goes."""
        self.stop_job()
        self.source.set(source)
        self.result.set(None)
        self.level.set(None)
        self.new.set(None)
        self.problem.set("")
        self.new_problem.set("")

    @staticmethod
    def rows_of(plan):
        """Return what tells tables and labels apart; a file that is uploaded again is the same table."""
        return plan.source.fingerprint, plan.label

    def close(self):
        """Kill the fit that runs, and remove the temporary folder."""
        with reactive.isolate():
            job = self.job()
        if job is not None:
            job.cancel()
        self._folder.cleanup()
