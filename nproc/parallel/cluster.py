"""Tasks on a Dask cluster, of the client that ``joblib.parallel_config(backend="dask")`` names.

joblib's own way to Dask sends an array to one worker, from which the others fetch it: when that worker dies, the array
is gone and joblib waits for ever. Here the arrays are on every worker, and what is lost all the same is told.
"""

import sys
import uuid

from nproc.errors import NPError


class LostDataError(NPError):
    """The cluster lost a task, or what a task needs, and cannot make it again by itself."""


class LostClusterError(LostDataError):
    """There is no cluster any more."""


class NoWorkersError(LostDataError):
    """The cluster has no workers, or none has come back yet."""


def dask_client(backend):
    """Return the client of a backend of joblib if it is Dask's, else None."""
    distributed = sys.modules.get("distributed")
    client = getattr(backend, "client", None)
    return client if distributed is not None and isinstance(client, distributed.Client) else None


def run_on_cluster(backend, call, tasks, shared, label):
    """Yield (index, result of ``call(index, task, *shared)``) for the pairs (index, task), as they end.

    Parameters
    ----------
    backend : joblib backend
        Dask's, with its client and what is to be given to every submission.
    call : callable
        Can be pickled.
    tasks : list of (int, tuple)
        Small: each is sent to one worker.
    shared : tuple
        Arguments of all tasks, sent once to every worker that is there.
    label : str
        Name of the tasks on the dashboard.

    Raises
    ------
    LostDataError
        If a task was cancelled, or too many workers died that had it.
    LostClusterError
        If the scheduler is gone.
    NoWorkersError
        If no worker is there in the time that the backend waits for one.

    Notes
    -----
    When the generator is closed, tasks that wait are cancelled and the workers drop the shared arguments; a task that
    runs goes on to its end on its worker, which Dask cannot stop.
    """
    from distributed import CancelledError, KilledWorker, as_completed

    client, run = dask_client(backend), uuid.uuid4().hex
    if client.status != "running":
        raise LostClusterError(f"the Dask cluster is gone (the connection is {client.status})")
    try:
        # waits for the first worker of a cluster that is about to start
        backend.effective_n_jobs(-1)
    except CancelledError as error:
        raise LostClusterError("the Dask cluster is gone (it shuts down)") from error
    except TimeoutError as error:
        raise NoWorkersError(f"the Dask cluster has no worker ({error})") from error
    # in a task of Dask: the thread makes room while it waits, or the cluster could wait for itself
    with backend.retrieval_context():
        data = client.scatter(list(shared), broadcast=True, hash=False) if shared else []
        futures = [
            client.submit(call, index, task, *data, key=f"{label}-{index}-{run}", pure=False, **backend.submit_kwargs)
            for index, task in tasks
        ]
        try:
            for future, result in as_completed(futures, with_results=True, raise_errors=False):
                if future.status == "finished":
                    yield result
                    future.release()
                    continue
                if future.status == "error" and not isinstance(result[1], KilledWorker):
                    raise result[1].with_traceback(result[2])
                raise LostDataError(str(result[1] if future.status == "error" else result))
        finally:
            client.cancel(futures)
            # now, and not when the last traceback that has seen them goes, which a notebook keeps
            for part in data:
                part.release()
