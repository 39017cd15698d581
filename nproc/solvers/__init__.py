"""Pure numerical solvers: arrays in, a frozen result with a certificate out.

An estimator of `nproc.scorers.papers` checks and scales the rows and calls a ``solve_*`` with float64 arrays or CSR and
labels in {0, 1}. The result is a child of `SolverResult`: coefficients, the trace of the objective, why it stopped, and
a number that is zero at the optimum. Solvers never warn, print or import an estimator.

References
----------
The modules of this package cite these works by their keys.

.. [barlaud2015] Barlaud, M., Combettes, P. L. and Fillatre, L. (2015). Constrained convex Neyman-Pearson
   classification using an outer approximation splitting method. Preprint hal-01160831.
.. [bauschke2001] Bauschke, H. H. and Combettes, P. L. (2001). A weak-to-strong convergence principle for
   Fejér-monotone methods in Hilbert spaces. Mathematics of Operations Research 26, 248-264.
.. [beck2009] Beck, A. and Teboulle, M. (2009). A fast iterative shrinkage-thresholding algorithm for linear inverse
   problems. SIAM Journal on Imaging Sciences 2, 183-202.
.. [chapelle2007] Chapelle, O. (2007). Training a support vector machine in the primal. Neural Computation 19(5),
   1155-1178.
.. [collobert2006] Collobert, R., Sinz, F., Weston, J. and Bottou, L. (2006). Trading convexity for scalability.
   Proceedings of the 23rd International Conference on Machine Learning, 201-208.
.. [combettes2000] Combettes, P. L. (2000). Strong convergence of block-iterative outer approximation methods for convex
   optimization. SIAM Journal on Control and Optimization 38, 538-565.
.. [fan2005] Fan, R.-E., Chen, P.-H. and Lin, C.-J. (2005). Working set selection using second order information for
   training support vector machines. Journal of Machine Learning Research 6, 1889-1918.
.. [gasso2011] Gasso, G., Pappaioannou, A., Spivak, M. and Bottou, L. (2011). Batch and online learning algorithms for
   nonconvex Neyman-Pearson classification. ACM Transactions on Intelligent Systems and Technology 2(3), 28.
.. [gasso2011slides] Gasso, G. (2011). Batch and online approaches for constrained classification. Talk, GDR ISIS.
.. [herault2008] Herault, R. and Grandvalet, Y. (2008). Classifieurs probabilistes parcimonieux. Traitement du
   Signal 25(4), 279-291.
.. [huang2006] Huang, K., Yang, H., King, I. and Lyu, M. R. (2006). Imbalanced learning with a biased minimax
   probability machine. IEEE Transactions on Systems, Man, and Cybernetics, Part B 36(4), 913-923.
.. [joachims2005] Joachims, T. (2005). A support vector method for multivariate performance measures. Proceedings of the
   International Conference on Machine Learning, 377-384.
.. [kim2006] Kim, S.-J., Magnani, A., Samar, S., Boyd, S. and Lim, J. (2006). Pareto optimal linear classification.
   Proceedings of the International Conference on Machine Learning, 473-480.
.. [rahimi2007] Rahimi, A. and Recht, B. (2007). Random features for large-scale kernel machines. Advances in Neural
   Information Processing Systems 20, 1177-1184.
.. [rigollet2011] Rigollet, P. and Tong, X. (2011). Neyman-Pearson classification, convexity and stochastic
   constraints. Journal of Machine Learning Research 12, 2831-2855.
.. [spivak2009] Spivak, M., Weston, J., Bottou, L., Kall, L. and Noble, W. S. (2009). Improvements to the Percolator
   algorithm for peptide identification from shotgun proteomics data sets. Journal of Proteome Research 8, 3737-3745.
.. [vapnik2000] Vapnik, V. and Chapelle, O. (2000). Bounds on error expectation for support vector machines. Neural
   Computation 12(9), 2013-2036.
"""

from typing import TYPE_CHECKING

from nproc.doors import lazy_names

if TYPE_CHECKING:
    from nproc.solvers.constrained.projection import project_level_set
    from nproc.solvers.constrained.solve import solve_constrained_np
    from nproc.solvers.network import solve_np_network
    from nproc.solvers.npsvm.annealed import solve_annealed
    from nproc.solvers.npsvm.constraint import made_constraint
    from nproc.solvers.npsvm.leave_one_out import leave_one_out_scores
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
    "leave_one_out_scores",
    "made_constraint",
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


__getattr__, __dir__ = lazy_names(__name__)
