"""Estimators that train for a bound on one error, each an adapter of a solver of `nproc.solvers`.

Each is a scikit-learn classifier that works alone and keeps a bound on its *training* rows. Under a name of the
registry, or given to `nproc.npc`, it only ranks the rows, and the threshold is an order statistic of rows that it has
not seen: this bounds the error of new rows.

**When fit warns of a model of little use.** An estimator with a level alpha that bounds the type I error looks at both
errors after a fit that has converged (a fit that has not says so). It warns in two cases:

- The power, which is the share of class 1 that is called class 1, is not shown to be above alpha. Calling rows at
  random has the power alpha. Where the type I error of the same rows is above alpha, the power must be shown to be
  above that. With so few class 1 rows that nothing could show it, only a power of at most alpha or that type I error
  counts. A power of at most 2 % is always told.
- The type I error is shown to be above alpha, and is above 1.5 alpha (below that, many rows show an excess that costs
  little).

One warning tells of both. Two more may come, also for a model that may be good:

- The standard deviations of dense columns differ by a factor of more than 1,000. The limit is 100 for the rbf kernel of
  `NPSVC`, `QValueSVC`, `AsymmetricCostSVC` and `SparseLogisticClassifier`, which knows rows by distances, for
  `GaussianNPClassifier` with a kernel, where one ridge is for all features, and for `OnlineNPClassifier`,
  `OnlineNPClassifierCV`, `QValueLinear` and `QValueNetwork`, which are trained by single steps. It is 100 as well for
  the first chunk of ``partial_fit``, also of `OnlineNPNetwork`. It is 10 for `PrecisionAtKSVC` where its slack is 0 and
  bounds no loss, also with k given. The columns with the largest values then decide, except in
  `ConstrainedNPClassifier`, `GaussianNPClassifier` without a kernel and `ParzenNP` with a rule for its bandwidths, and
  in a linear `SparseLogisticClassifier` unless lam is above n / 4 times the least variance, for n rows in support_.
  This is said where no other warning has said it.
- Rows left out set the threshold (`ParzenNP`, `OnlineNPClassifier`, `SparseLogisticClassifier` with interval='alpha'),
  and their class 0 rows are so few that the type I error is above 2 alpha with a probability above 0.1.

"Shown" means at the one-sided level 5 %, for alpha by the exact binomial bound. The power of rows left out is compared
by Fisher's exact test, with alpha as a share of the class 0 rows, since these know the level of a cut no better; and at
2.5 %, since each row left out has trained the models of others. A type I error above alpha is compared with the power
by the same test. Both errors are those of the training rows, and also those of rows that did not train where the
estimator has them: left out one by one (`NPSVC` where it has an estimate, `ParzenNP`) or by quarters (`NPSVC`
elsewhere, `OnlineNPNetwork` and `GaussianNPClassifier` with a kernel, with up to 5,000 rows, and `GaussianNPClassifier`
without a kernel with any number), in folds that judge the candidates (`AsymmetricCostSVC`, `PrecisionAtKSVC`,
`OnlineNPClassifierCV`) or set the threshold (`SparseLogisticClassifier` with interval='alpha'), or set aside
(`OnlineNPClassifier` with lam='auto'). Such rows have often made a choice as well, so that their errors are a little
too good. They are far too good where rows occur several times, since a copy of the row has then trained. With more than
5,000 rows, `OnlineNPNetwork` and `GaussianNPClassifier` with a kernel go by the quarters of a random sample of 5,000 of
them. These show the power alone, since models of fewer rows exceed alpha more. A signal so weak that only more rows
show it may then be told as none. `ConstrainedNPClassifier` has the training rows alone, and so have `NPSVC` where it
would go by quarters of more than 5,000 rows, and all that go by quarters where a class has fewer than four rows. For
them nothing is checked on new rows. A warning follows where nothing checks the type I error on new rows and many
numbers are learnt from few class 0 rows. Nor is anything checked where alpha does not set the threshold (a number for
``k`` or ``tau``) or with ``tol=None``. `SparseLogisticClassifier` without costs has no alpha, and its power is compared
with its type I error, as its notes say. Those for q-values warn where a random order of the rows would show as many
discoveries, in training or among rows left out, where rows left out show a q-value above q, and where a model of three
quarters of the rows finds more than twice as many in the quarter left out as the model of all rows, which has seen it.
They also warn where at most 2 % of class 1 are accepted, and where the list (of rows left out, if there are any) is too
short: with a q-value of 2 q it would have no more class 0 rows with a probability above 1/2.
Silence is no promise about new rows. A model whose power is above alpha but small may be silent, even where another
model would find far more of class 1.

Docstrings cite by key and equation:

References
----------
The work [gasso2011]_ is in ``help(nproc.solvers)``.

.. [barlaud2015] Barlaud, M., Combettes, P. L. and Fillatre, L. (2015). Constrained convex Neyman-Pearson classification
   using an outer approximation splitting method. Preprint, hal-01160831.
.. [bounsiar2008] Bounsiar, A., Beauseroy, P. and Grall-Maës, E. (2008). General solution and learning method for binary
   classification with performance constraints. Pattern Recognition Letters 29(10), 1455-1465.
.. [davenport2010] Davenport, M. A., Baraniuk, R. G. and Scott, C. D. (2010). Tuning support vector machines for minimax
   and Neyman-Pearson classification. IEEE Transactions on Pattern Analysis and Machine Intelligence 32(10).
.. [gasso2011slides] Gasso, G. (2011). Batch and online approaches for constrained classification. Talk, GDR ISIS.
.. [herault2008] Herault, R. and Grandvalet, Y. (2008). Classifieurs probabilistes parcimonieux. Traitement du Signal
   25(4), 279-291.
.. [huang2006] Huang, K., Yang, H., King, I. and Lyu, M. R. (2006). Imbalanced learning with a biased minimax
   probability machine. IEEE Transactions on Systems, Man, and Cybernetics, Part B 36(4), 913-923.
.. [joachims2005] Joachims, T. (2005). A support vector method for multivariate performance measures. Proceedings of the
   International Conference on Machine Learning, 377-384.
.. [kim2006] Kim, S.-J., Magnani, A., Samar, S., Boyd, S. and Lim, J. (2006). Pareto optimal linear classification.
   Proceedings of the International Conference on Machine Learning, 473-480.
.. [rahimi2007] Rahimi, A. and Recht, B. (2007). Random features for large-scale kernel machines. Advances in Neural
   Information Processing Systems 20.
.. [spivak2009] Spivak, M., Weston, J., Bottou, L., Kall, L. and Noble, W. S. (2009). Improvements to the percolator
   algorithm for peptide identification from shotgun proteomics data sets. Journal of Proteome Research 8(7), 3737-3745.
"""
