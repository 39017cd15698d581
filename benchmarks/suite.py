"""Which benchmarks there are: the suite, which `make bench` runs within its time, and the longer studies."""

from __future__ import annotations

from dataclasses import dataclass

# what `make bench` may take, in seconds; the shares below sum to no more
MOST_SECONDS = 1200


@dataclass(frozen=True)
class Benchmark:
    """One section of the results.

    Attributes
    ----------
    script : str
        The file, without its ending.
    share : int or None
        Seconds that the suite gives it, somewhat more than it needs; None for a study, which has no limit.
    arguments : tuple of str
        Sizes on the command line.
    tiny : tuple of str
        Sizes at which it ends in seconds and only shows that it runs.
    """

    script: str
    share: int | None = None
    arguments: tuple = ()
    tiny: tuple = ()

    @property
    def kind(self):
        return "study" if self.share is None else "suite"


def _words(text):
    return tuple(text.split())


# in the order of the results; "small" is a study at a size that fits, and none that draws a figure of its own
SUITE = {
    "threshold_and_band": Benchmark("threshold_and_band", 88, tiny=_words("--sizes 2000 5000 --runs 2")),
    "cost_curves": Benchmark(
        "cost_curves", 300, tiny=_words("--most-scores 10000 --most-rows 4000 --milliseconds 1 --runs 2")
    ),
    "peers": Benchmark("peers", 75, _words("--runs 7"), _words("--rows 1000 2000 --runs 2")),
    "out_of_core": Benchmark("out_of_core", 145, _words("100000000"), _words("100000")),
    "predict_ensemble": Benchmark("predict_ensemble", 80, _words("--runs 3"), _words("--sizes 10000 --runs 1")),
    "umbrella_overhead": Benchmark("umbrella_overhead", 95, _words("--rounds 3"), _words("--rounds 1 --runs 2")),
    "import_time": Benchmark("import_time", 90, _words("--runs 3"), _words("--runs 1")),
    "stochastic_epoch": Benchmark("stochastic_epoch", 60, tiny=_words("--runs 1")),
    "simultaneous_band-small": Benchmark(
        "simultaneous_band",
        24,
        _words("--most-scores 10000 --samples 20"),
        _words("--most-scores 1000 --samples 2"),
    ),
    "real_data-small": Benchmark("real_data", 60, _words("--repetitions 5"), _words("--repetitions 1")),
    "split_ratio-small": Benchmark("split_ratio", 20, _words("--repetitions 15"), _words("--repetitions 1")),
    "comparison_power-small": Benchmark("comparison_power", 15, _words("--repetitions 15"), _words("--repetitions 1")),
    "multiclass-small": Benchmark("multiclass", 18, _words("--repetitions 10"), _words("--repetitions 1")),
}
STUDIES = {
    name: Benchmark(name)
    for name in (
        "simultaneous_band",
        "real_data",
        "real_data_bands",
        "split_ratio",
        "left_out_size",
        "power",
        "review",
        "monitor",
        "shifted",
        "noisy_labels",
        "equal_opportunity",
        "feature_ranking",
        "assumptions",
        "text_names",
        "saturated_scores",
        "forest_time",
        "alpha_max",
        "chosen_alpha",
        "predictive_values",
        "comparison_power",
        "multiclass",
        "shifted_svm",
        "annealed_speedup",
        "annealed_start",
        "np_methods_rbf",
        "np_methods_linear",
        "svmperf_k",
        "np_methods_onp",
        "npsvc_shift",
        "useless_models",
        "online_defaults",
        "online_few_rows",
        "rcv1",
        "qvalues_psm",
        "constrained_np",
        "constrained_projection",
        "constrained_rna",
        "constrained_levels",
        "sparse_logistic_artificial",
        "sparse_logistic_covertype",
        "sparse_logistic_large",
        "sparse_logistic_kernel",
        "sparse_logistic_wide",
        "sparse_logistic_npc",
        "ensembles",
    )
}
BENCHMARKS = SUITE | STUDIES
