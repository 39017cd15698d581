"""Independent tasks: in processes, in threads, or on a cluster, with progress and warnings brought home.

All tasks are run by `run_tasks`. It gives the same results in the same order for every number of workers.
"""

from nproc.parallel.tasks import check_n_jobs, check_verbose, in_threads, progress, run_tasks
from nproc.parallel.threads import one_blas_thread

__all__ = ["check_n_jobs", "check_verbose", "in_threads", "one_blas_thread", "progress", "run_tasks"]
