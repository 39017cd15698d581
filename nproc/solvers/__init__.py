"""Pure numerical solvers: arrays in, a frozen result with a certificate out.

An estimator of `nproc.scorers.papers` checks and scales the rows and calls a ``solve_*`` with float64 arrays or CSR and
labels in {0, 1}. The result is a child of `SolverResult`: coefficients, the trace of the objective, why it stopped, and
a number that is zero at the optimum. Solvers never warn, print or import an estimator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nproc.doors import lazy_names

if TYPE_CHECKING:
    from nproc.solvers.constrained.projection import project_level_set
    from nproc.solvers.constrained.solve import solve_constrained_np
    from nproc.solvers.network import solve_np_network
    from nproc.solvers.npsvm.annealed import solve_annealed
    from nproc.solvers.npsvm.nonconvex_svm import solve_nonconvex_svm
    from nproc.solvers.npsvm.shifted_svm import solve_shifted_svm
    from nproc.solvers.npsvm.uzawa import solve_uzawa
    from nproc.solvers.pareto import solve_pareto_direction, solve_pareto_kernel
    from nproc.solvers.precision_at_k import solve_precision_at_k
    from nproc.solvers.qvalue_pairs import solve_qvalue_pairs
    from nproc.solvers.result import SolverResult
    from nproc.solvers.sparse_logistic.dual import solve_sparse_logistic_dual
    from nproc.solvers.sparse_logistic.primal import solve_sparse_logistic_primal
    from nproc.solvers.stochastic.lockstep import solve_stochastic_np_together
    from nproc.solvers.stochastic.solve import solve_stochastic_np


__all__ = [
    "SolverResult",
    "project_level_set",
    "solve_annealed",
    "solve_constrained_np",
    "solve_nonconvex_svm",
    "solve_np_network",
    "solve_pareto_direction",
    "solve_pareto_kernel",
    "solve_precision_at_k",
    "solve_qvalue_pairs",
    "solve_shifted_svm",
    "solve_sparse_logistic_dual",
    "solve_sparse_logistic_primal",
    "solve_stochastic_np",
    "solve_stochastic_np_together",
    "solve_uzawa",
]


__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "constrained.projection": ["project_level_set"],
        "constrained.solve": ["solve_constrained_np"],
        "network": ["solve_np_network"],
        "npsvm.annealed": ["solve_annealed"],
        "npsvm.nonconvex_svm": ["solve_nonconvex_svm"],
        "npsvm.shifted_svm": ["solve_shifted_svm"],
        "npsvm.uzawa": ["solve_uzawa"],
        "pareto": ["solve_pareto_direction", "solve_pareto_kernel"],
        "precision_at_k": ["solve_precision_at_k"],
        "qvalue_pairs": ["solve_qvalue_pairs"],
        "result": ["SolverResult"],
        "sparse_logistic.dual": ["solve_sparse_logistic_dual"],
        "sparse_logistic.primal": ["solve_sparse_logistic_primal"],
        "stochastic.lockstep": ["solve_stochastic_np_together"],
        "stochastic.solve": ["solve_stochastic_np"],
    },
)
