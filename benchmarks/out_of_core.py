"""What do a threshold and a band from a file of scores cost in time and memory, relative to reading the file?

Sizes as numbers on the command line, as in ``out_of_core.py 100000000``; without any, 10^6 and 10^7.
"""

import importlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import measure  # isort: skip  (before numpy)
import numpy as np

SIZES = (10**6, 10**7)
CHUNK = 1 << 16
REPEATS = 5
# Parquet, dask, and bands at the largest sizes take long: timed once there
ONCE_FROM = 10**8
ALPHAS = np.linspace(0.01, 0.5, 50)
COLUMNS = (
    "class 0 scores",
    "what",
    "s",
    "times reading and summing (range)",
    "at most",
    "met",
    "private memory, MB",
    "with pages of files, MB",
)
# a file that can be sampled before it is read: the target is for these
MAPPED = ("threshold, random order", "threshold, ascending scores", "threshold, half of the scores tied at it")
# the option that makes this script run one job, in an interpreter of its own
JOB = "--job"


def write_scores(path, n, *, seed, shift=0.0, ascending=False, tied=None):
    """Write n normal scores as float64, a million at a time; ascending ones are quantiles, half are set to `tied`."""
    from scipy.special import ndtri

    rng = np.random.default_rng(seed)
    with open(path, "wb") as file:
        for start in range(0, n, 10**6):
            rows = np.arange(start, min(start + 10**6, n))
            scores = ndtri((rows + 0.5) / n) if ascending else rng.normal(shift, size=rows.size)
            if tied is not None:
                scores[rng.random(rows.size) < 0.5] = tied
            scores.tofile(file)


def write_parquet(path, source):
    import pyarrow as pa
    import pyarrow.parquet as pq

    scores = on_disk(source)
    with pq.ParquetWriter(path, pa.schema([("score", pa.float64())])) as writer:
        for start in range(0, scores.size, 10**6):
            writer.write_table(pa.table({"score": scores[start : start + 10**6]}))


def on_disk(path):
    return np.memmap(path, dtype=np.float64, mode="r")


def read_and_sum(path):
    scores, total = np.asarray(on_disk(path)), 0.0
    for start in range(0, scores.size, CHUNK):
        total += float(np.sum(scores[start : start + CHUNK]))
    return total


def as_dask(path, size):
    """Return the scores of a file as a dask array whose blocks are read when they are needed; from_array copies all."""
    import dask.array as da
    from dask import delayed

    n = on_disk(path).size
    starts = range(0, n, size)
    blocks = [delayed(read_block, pure=False)(path, start, size) for start in starts]
    shapes = [(min(size, n - start),) for start in starts]
    return da.concatenate([da.from_delayed(b, s, np.float64) for b, s in zip(blocks, shapes, strict=True)])


def read_block(path, start, size):
    return np.asarray(on_disk(path)[start : start + size])


def jobs(folder):
    """Return what is measured, by name: each a function of nothing."""
    from nproc import NPROCBand, np_threshold
    from nproc.score_chunks import ScoreChunks

    def of_dask():
        import dask

        # two worker threads, as many as there are copies of the scores asked for at a time
        with dask.config.set(scheduler="threads", num_workers=2):
            return np_threshold(as_dask(folder / "random", 10**6))

    def one_shot(name):
        path = folder / name
        return np_threshold(iter(ScoreChunks(on_disk(path))), n0=on_disk(path).size)

    def band(where):
        return NPROCBand.from_scores(on_disk(folder / "random"), on_disk(folder / "class1"), folder=where).at(ALPHAS)

    return {
        "read and sum": lambda: read_and_sum(folder / "random"),
        "threshold, random order": lambda: np_threshold(on_disk(folder / "random")),
        "threshold, ascending scores": lambda: np_threshold(on_disk(folder / "ascending")),
        "threshold, half of the scores tied at it": lambda: np_threshold(on_disk(folder / "tied")),
        "threshold, one pass of an iterator": lambda: one_shot("random"),
        "threshold, one pass, ascending scores": lambda: one_shot("ascending"),
        "threshold, Parquet": lambda: np_threshold(folder / "scores.parquet"),
        "threshold, dask array, 2 threads": of_dask,
        "band at 50 levels, scores in memory": lambda: band(None),
        "band at 50 levels, scores in a folder": lambda: band(folder),
    }


def memory():
    """Return private memory and all resident pages of this process, in MB."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return tuple(int(fields[name].split()[0]) / 1024 for name in ("RssAnon", "VmRSS"))


class Peak:
    """The growth of memory while a job runs, looked at two hundred times a second."""

    def __enter__(self):
        self.before, self.peaks, self.done = memory(), memory(), threading.Event()
        self.watch = threading.Thread(target=self.look)
        self.watch.start()
        return self

    def look(self):
        while not self.done.wait(0.005):
            self.peaks = tuple(map(max, self.peaks, memory()))

    def __exit__(self, *failure):
        self.done.set()
        self.watch.join()
        self.growth = tuple(peak - before for peak, before in zip(self.peaks, self.before, strict=True))


def run_job(name, folder, repeats):
    """Print the growth of memory in the first run, then processor times of the job and of the peer, in turn."""
    if "dask" in name:
        # what the import takes is no part of the job
        importlib.import_module("dask.array")
    known = jobs(folder)
    job, peer = known[name], known["read and sum"]
    with Peak() as peak:
        job()
    seconds = [(measure.seconds_of(job), measure.seconds_of(peer)) for _ in range(repeats)]
    print(*peak.growth, *(number for pair in seconds for number in pair))


def row(n, name, folder):
    """Return the row of a job, run in an interpreter of its own."""
    mapped = name in MAPPED
    once = n >= ONCE_FROM and not mapped
    command = [sys.executable, __file__, JOB, name, str(folder), str(1 if once else REPEATS)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    private, resident, *seconds = map(float, run.stdout.split())
    own, peer = seconds[::2], seconds[1::2]
    ratios = [a / b for a, b in zip(own, peer, strict=True)]
    ratio = float(np.median(ratios))
    limit = 4 if mapped and n >= 10**8 else None
    met = "-" if limit is None else "yes" if ratio <= limit and resident <= 2000 else "**no**"
    shown = (
        f"{n:,}",
        name,
        f"{np.median(own):.3g}",
        f"{ratio:.3g} ({min(ratios):.3g} to {max(ratios):.3g})",
        limit or "-",
        met,
    )
    return (*shown, f"{private:.0f}", f"{resident:.0f}")


def rows_for(n):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_scores(folder / "random", n, seed=1)
        write_scores(folder / "class1", n, seed=2, shift=1.0)
        write_scores(folder / "ascending", n, seed=3, ascending=True)
        write_scores(folder / "tied", n, seed=4, tied=1.645)
        write_parquet(folder / "scores.parquet", folder / "random")
        for job in jobs(folder):
            yield row(n, job, folder)


def main():
    if JOB in sys.argv:
        name, folder, repeats = sys.argv[sys.argv.index(JOB) + 1 :]
        run_job(name, Path(folder), int(repeats))
        return
    sizes = tuple(map(int, sys.argv[1:])) or SIZES
    started = time.monotonic()
    measure.print_text(
        "alpha = delta = 0.05, float64. Peer: to read the same file as a memmap and sum it, in chunks of",
        f"{CHUNK:,} scores, in turn with the job in the same process. Seconds of processor time, medians; memory is",
        "its growth in the first run, in an interpreter of its own. Pages of files (memmapped scores, the files of a",
        "band) count as resident, and the system takes them away when others need the memory. The target: at most 4",
        "times the peer, and 2000 MB with pages of files, for 10^8 scores.",
    )
    measure.print_table(COLUMNS, (line for n in sizes for line in rows_for(n)))
    measure.print_text(
        "A threshold of a file that can be read anywhere guesses from a sample of it which scores matter, and copies",
        "these; where the order misleads the guess, it reads the file again. An iterator of one pass has no sample to",
        "guess from, and ascending scores are then the worst order: every chunk passes the running cutoff. Where half",
        "of the scores are tied at the threshold, they are counted and not copied. A band sorts both samples.",
    )
    sys.stderr.write(f"{time.monotonic() - started:.0f} s, {os.cpu_count()} cores\n")


if __name__ == "__main__":
    main()
