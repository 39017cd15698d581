"""Independent tasks: in processes, in threads, or on a cluster, with progress and warnings brought home.

`run_tasks` is the door of all: the same results in the same order for every number of workers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nproc.doors import lazy_names

if TYPE_CHECKING:
    from nproc.parallel.tasks import check_n_jobs, check_verbose, in_threads, progress, run_tasks
    from nproc.parallel.threads import one_blas_thread

# imported when they are asked for
_FILES = {
    "check_n_jobs": "tasks",
    "check_verbose": "tasks",
    "in_threads": "tasks",
    "one_blas_thread": "threads",
    "progress": "tasks",
    "run_tasks": "tasks",
}

__all__ = [
    "check_n_jobs",
    "check_verbose",
    "in_threads",
    "one_blas_thread",
    "progress",
    "run_tasks",
]

__getattr__, __dir__ = lazy_names(__name__, _FILES, __all__)
