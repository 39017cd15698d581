"""What RESULTS.md says of each benchmark: the figure measured and the target, taken from the tables of its section.

A text holds places in braces, so that no figure is written by hand. ``{row | column}`` is a cell; the row is named by
its leading cells, with semicolons between them and a star for any. ``{column}`` is the smallest and the largest number
of a column, in the rows that have a verdict if there are any, else in all.
"""

NO_TARGET = "none"

# script: the figure measured, the target
ROWS = {
    "threshold_and_band": (
        "with 1,000,000 scores of each class a threshold takes {np_threshold, n0 = n1 = 1,000,000 | median ratio} of "
        "the time of a sort, a band at 1001 levels "
        "{np_threshold and band at 1001 levels, n0 = n1 = 1,000,000 | median ratio}, at all knots "
        "{band at all knots, n0 = n1 = 1,000,000 | median ratio}",
        "at most {np_threshold, n0 = n1 = 1,000,000 | at most}, "
        "{np_threshold and band at 1001 levels, n0 = n1 = 1,000,000 | at most} and "
        "{band at all knots, n0 = n1 = 1,000,000 | at most}",
    ),
    "cost_curves": (
        "the time grows as a power of n with an exponent of {exponent (standard error)}, by function",
        "the exponent of the law of each function and a slack: {at most}",
    ),
    "peers": ("{median ratio} of the peer's time", "at most {at most}"),
    "out_of_core": (
        "{times reading and summing (range)} times the time of reading the file",
        "at most {at most}",
    ),
    "predict_ensemble": ("{median ratio} times the matrix products", "at most {at most}"),
    "umbrella_overhead": (
        "{npc to base models alone | median ratio} times the base models",
        "at most {npc to base models alone | at most}",
    ),
    "import_time": ("{median ratio} times the imports that cannot be left out", "at most {at most}"),
    "stochastic_epoch": ("{median ratio} times an epoch of SGDClassifier", "at most {at most}"),
    "simultaneous_band": (
        "with 1000 rows of each class and delta = 0.05 all errors are within their bounds in "
        "{1000; 1.5; simultaneous | both} of the samples for a simultaneous band, in {1000; 1.5; pointwise | both} "
        "for a pointwise one; at an error of 0.05 it is {0.05; 0.05 | ratio} times as wide as the bounds by DKW",
        "width at most {0.05; 0.05 | at most}; "
        "time at most {local level from nothing, n = 100,000, 2 sides | at most} of the peer's; "
        "a band of 100,000 scores of each class within {100,000 | at most} s",
    ),
    "real_data": (
        "{over alpha} of 100 random test parts have a type I error above alpha, by data and method; the exact law of "
        "these counts expects shares of {expected share}",
        "every count within the 99 % range of its exact law",
    ),
    "real_data_bands": (
        "mass killing data, alpha = 0.21: upper bounds on the type II error of {mass killing; randomforest; 0.21 | to} "
        "(forest) and {mass killing; svm; 0.21 | to} (svm); neuroblastoma data, alpha = 0.1: {neuroblastoma; penlog; "
        "0.1 | to} (penlog) and {neuroblastoma; nb; 0.1 | to} (nb)",
        NO_TARGET,
    ),
    "split_ratio": (
        "lda: violation rate {lda; 1 split | violation rate} and type II error {lda; 1 split | type II} with one "
        "split, {lda; 11 splits | violation rate} and {lda; 11 splits | type II} with 11 splits, "
        "{lda; 1 split, adaptive ratio | violation rate} and {lda; 1 split, adaptive ratio | type II} with one split "
        "and an adaptive ratio",
        NO_TARGET,
    ),
    "left_out_size": (
        "type II error by the default size less that with half of class 0 left out, over sizes, worlds and deltas: "
        "lda {lda; auto (default) | less half, mean} in the mean and {lda; auto (default) | less half, at most} at "
        "most, qda in 20 predictors {qda; auto (default) | less half, mean} and "
        "{qda; auto (default) | less half, at most}",
        "never larger than with half, within two standard errors",
    ),
    "power": (
        "with 180 class 0 rows, in two worlds: type II error {180; half | type II} with half of them left out, "
        "{180; auto (default) | type II} by default, {180; vote of 11, auto | type II} by a vote of 11, "
        "{180; averaged, auto | type II} by averaged scores, {180; cross-fit, 5 folds | type II} by cross-fitting",
        NO_TARGET,
    ),
    "review": (
        "with 200 scores of each class, normal and 3 apart: share in review "
        "{normal, 3 apart, n = 200, np_review | share in review}, type I error above 0.05 in a share of "
        "{normal, 3 apart, n = 200, np_review | type I above} of the samples; by conformal prediction "
        "{normal, 3 apart, n = 200, conformal | share in review} and "
        "{normal, 3 apart, n = 200, conformal | type I above}",
        NO_TARGET,
    ),
    "monitor": (
        "at alpha = 0.05, median rows until the alarm of `Type1Monitor` at type I errors of 0.08, 0.1 and 0.15: "
        "{default | type I error 0.08}, {default | type I error 0.1} and {default | type I error 0.15}; of MAPIE's "
        "monitor {MAPIE | type I error 0.08}, {MAPIE | type I error 0.1} and {MAPIE | type I error 0.15}",
        "at most 600, 274 and 55",
    ),
    "shifted": (
        "with 2000 class 0 scores and a tight bound on the weights, type II error "
        "{two groups; 2000; one draw | type II error} by one draw of the coins, "
        "{two groups; 2000; averaged | type II error} by coins averaged, "
        "{two groups; 2000; betting | type II error} by betting; with a loose bound "
        "{two groups, loose bound; 2000; one draw | type II error}, "
        "{two groups, loose bound; 2000; averaged | type II error} and "
        "{two groups, loose bound; 2000; betting | type II error}. Weights ignored: alpha exceeded in a share of "
        "{two groups; 2000; weights ignored | violations} of the samples",
        NO_TARGET,
    ),
    "noisy_labels": (
        "4000 rows of each label, a tenth of them wrong, alpha = delta = 0.1: power "
        "{4000; 0.1; 2; np_threshold_noisy | power} by `np_threshold_noisy`, with a violation rate of "
        "{4000; 0.1; 2; np_threshold_noisy | violation rate}; power "
        "{4000; 0.1; 2; np_threshold (labels taken as right) | power} by `np_threshold`, "
        "{4000; 0.1; 2; two simultaneous bounds (DKW) | power} by two simultaneous bounds; the plug-in rule of "
        "Yao et al. has {4000; 0.1; 2; plug-in as Yao et al. | power}, with a violation rate of "
        "{4000; 0.1; 2; plug-in as Yao et al. | violation rate}",
        "power of at least 0.713, violation rate of about 0.1 or less",
    ),
    "equal_opportunity": (
        "German credit data by sex: type II error {np_equal_thresholds | type II} with both bounds, "
        "{np_group_thresholds | type II} with alpha in each sex, {np_threshold | type II} with one threshold",
        NO_TARGET,
    ),
    "feature_ranking": (
        "Kendall's tau with the order by the least type II error at alpha = 0.05, 1600 rows of each class: s-NPC "
        "{1600; s-NPC | tau with p-NPC}, s-CC {1600; s-CC | tau with p-NPC}, mutual information "
        "{1600; mutual information | tau with p-NPC}, AUC {1600; AUC | tau with p-NPC} (standard errors in brackets); "
        "a loop with SciPy's kernel densities takes {loop with scipy.stats.gaussian_kde, 11 splits | ratio} times as "
        "long",
        NO_TARGET,
    ),
    "assumptions": (
        "at the level 0.05, where all holds: {all holds; 0 | trend} (trend), {all holds; 0 | new errors} (new errors), "
        "{all holds; 0 | clusters} (clusters); with what each is made for: trend {drift; 0.5 | trend}, change "
        "{change; 0.4 | change}, new errors {shifted new rows; 0.4 | new errors}, clusters "
        "{clusters; 0.3 | clusters}",
        "at most 0.05 where all holds",
    ),
    "text_names": (
        "type II error of `logistic`, `onpsvm` and `svm` less that of the typed model: {by name less typed} (standard "
        "errors in brackets)",
        "no larger by more than 2 standard errors",
    ),
    "saturated_scores": (
        "type II error with 30 columns of correlation 0.9: {0.9; *; GaussianNB by probabilities | type II} by the "
        "probabilities of GaussianNB, {0.9; *; GaussianNB in npc (log odds) | type II} by its log odds, which npc "
        'takes, {0.9; *; npc\'s "nb" | type II} by the method `nb`; by probabilities and by log odds '
        "{0.9; *; bagging by probabilities | type II} and {0.9; *; bagging in npc (log odds) | type II} with bagging, "
        "{0.9; *; soft voting by probabilities | type II} and {0.9; *; soft voting in npc (log odds) | type II} with "
        "soft voting (standard errors in brackets)",
        NO_TARGET,
    ),
    "forest_time": (
        "scikit-learn's forest alone takes {the same, fit and scores of the left-out rows | median ratio} of the time "
        "of npc; a node takes {a node where cuts are drawn, to a node of the forest | median ratio} of its time if one "
        "cut is drawn at random, so that nothing is sorted and no other cut is tried",
        NO_TARGET,
    ),
    "alpha_max": (
        "at alpha = 0.05 of 1000 scores: rank {1000; 0.1 | rank} up to 0.1, {1000; all | rank} for all alpha, "
        "{1000; 0.1 | rank at one alpha} for one; mean type II error {1000; 0.1 | type II} and {1000; all | type II}",
        NO_TARGET,
    ),
    "chosen_alpha": (
        "at delta = 0.05, in shares of samples from {0.05; 500; 50; 3 | Youden} (500 and 50 scores, means 3 apart) to "
        "{0.05; 60; 60; 0.5 | Youden} (60 scores of each class, 0.5 apart) by Youden's index; with 500 scores of each "
        "class, 2 apart, in {0.05; 500; 500; 2 | Youden} by Youden's index and "
        "{0.05; 500; 500; 2 | type II at most 0.4} by a bound of 0.4 on the type II error",
        NO_TARGET,
    ),
    "predictive_values": (
        "the lower bound of PPV comes {PPV lower | closer by, median} closer to the estimate in the median of 40 "
        "settings ({PPV lower | least} to {PPV lower | most}), that of NPV {NPV lower | closer by, median} "
        "({NPV lower | least} to {NPV lower | most})",
        NO_TARGET,
    ),
    "comparison_power": (
        "of data sets with two equal features, 500 rows and delta = 0.05, a difference is found in a share of "
        "{2; 500; 0.05 | pointwise, rules (as R's compare)} by pointwise regions, "
        "{2; 500; 0.05 | simultaneous, scores} by simultaneous and {2; 500; 0.05 | paired, scores} by paired regions "
        "of scores; the better of two close features, correlation 0.9, by paired regions in a share of "
        "{500; 0.9 | now, either} ({500; 0.9 | all of delta, throughout} by those that hold throughout)",
        NO_TARGET,
    ),
    "multiclass": (
        "with 1000 rows of each class the levels of classes 0 and 1 are exceeded in shares of "
        "{1000; npc_multiclass, joint | called lower: share of samples over the level, classes 0 and 1} of the "
        "samples by npc_multiclass, {1000; npcs, cx | total error: share over} by npcs",
        NO_TARGET,
    ),
    "shifted_svm": ("{median ratio} of the time of SVC", "at most {at most}"),
    "annealed_speedup": (
        "{median speed-up} times faster in the median, by data, alpha and kind of solver",
        "the paper's mean at the same alpha: {paper's}",
    ),
    "annealed_start": (
        "spambase, alpha = 0.05, C = 1, training rows: P_nd {0.05; 1 | P_nd from 0} from beta = 0, "
        "{0.05; 1 | P_nd from random starts} from 24 random starts",
        NO_TARGET,
    ),
    "svmperf_k": (
        "page blocks, alpha = 0.01: P_nd {page blocks; 0.01; SVMPerf, labels; J | P_nd} with the paper's reference, "
        "{page blocks; 0.01; SVMPerf, average; J | P_nd} with one for which the slack bounds the loss, "
        "{page blocks; 0.01; ONP-SVM; J | P_nd} for ONP-SVM",
        NO_TARGET,
    ),
    "np_methods_rbf": (
        "the search of NP-SVM is {one alpha} times faster than that of AC-SVM on spambase",
        "at least {at least} times faster",
    ),
    "np_methods_linear": (
        "the search of ONP-SVM is {times faster} times faster than its peers; its median J is {median J of ONP-SVM}",
        "faster by the factor that the paper reports, with a J no larger than the peer's",
    ),
    "np_methods_onp": (
        "the search of ONP-SVM is {times faster, one alpha (range)} times faster for one alpha, {four alphas} times "
        "for four; its J less that of AC-SVM, by data: {difference of J (95 % interval)}",
        "faster by the factor that the paper reports, with a J no larger than that of AC-SVM by 0.05 and a type II "
        "error no larger by 0.02",
    ),
    "online_defaults": (
        "J at the defaults, by data and alpha: {J at the defaults}; the best of a grid of penalties {best mean J of a "
        "lam}; GridSearchCV takes {time of GridSearchCV / default} times as long as the default, OnlineNPClassifierCV "
        "{time of the search at once / default} times over the same grid, {time of OnlineNPClassifierCV at its "
        "defaults / default} times over its own",
        "at most 10 % above the best of the grid and the search, in a tenth of the time of either search",
    ),
    "online_few_rows": (
        "mean type II error of `npc` {mean | 1 r^2 / n} with its r^2 / n; with 0.3 in place of 1 it is larger by "
        "{above the package's | 0.3 r^2 / n}, with 3 by {above the package's | 3 r^2 / n} (standard errors in "
        "brackets)",
        NO_TARGET,
    ),
    "npsvc_shift": (
        "mean J of NPSVC on test rows: {mean J as trained} as trained, {lowered mean J} lowered to alpha",
        "no larger where the score is lowered",
    ),
    "useless_models": (
        "of {OnlineNPClassifier | fits} fits of each of eleven estimators, useless models and how many of them said "
        "nothing: {NPSVC | useless} of NPSVC, {OnlineNPClassifier | useless} of OnlineNPClassifier, {QValueSVC | "
        "useless} of QValueSVC; on data without a linear signal {radial; SparseLogisticClassifier | useless} of "
        "{radial; SparseLogisticClassifier | fits} of SparseLogisticClassifier, on noise {noise; "
        "SparseLogisticClassifier | useless} of it and {noise; GaussianNPClassifier | useless} of GaussianNPClassifier",
        "none in silence; on noise and data without a linear signal no more than a check at 5 % misses",
    ),
    "rcv1": (
        "type II error of ONP-SVM minus that of AC-SVM, in points, with 95 % intervals: {5 % | P_nd, ONP-SVM less "
        "AC-SVM, points} at alpha = 5 %, {10 % | P_nd, ONP-SVM less AC-SVM, points} at 10 %; the sample cannot tell "
        "0.1 %",
        NO_TARGET,
    ),
    "qvalues_psm": (
        "accepted at q = 0.01: {QValueLinear, q = 0.01 | q = 0.01} by QValueLinear, {QValueNetwork, q = 0.01 | q = "
        "0.01} by QValueNetwork, {logistic | q = 0.01} by logistic regression, {Xcorr alone | q = 0.01} by one score "
        "alone (standard errors in brackets); QValueNetwork accepts {QValueNetwork, q = 0.01 - QValueNetwork, warm "
        "start alone | at 0.01 (95 %)} more than its warm start, with a 95 % interval for new spectra",
        "more than logistic regression, by a 95 % interval for new spectra",
    ),
    "constrained_np": (
        "{log counts; default, to its certificate | ratio} and {standardised; default, to its certificate | ratio} of "
        "the time of the conic solver; {median ratio} times the bare products",
        "a tenth of the conic solver's time, within its tolerance; at most {at most} times the products",
    ),
    "constrained_projection": (
        "gap at most 1e-12 after 9 steps: {unit norm | at most 1e-12 after 9 steps} projections of rows of unit norm, "
        "{standardised columns | at most 1e-12 after 9 steps} with standardised columns; with an l2 ball (37) takes "
        "{2; (37), bound (22) | times the interior point} times as long as the interior point",
        NO_TARGET,
    ),
    "constrained_rna": (
        "neuroblastoma: the criterion J is {neuroblastoma; (37), tau = alpha | J} for the paper's algorithm, "
        "{neuroblastoma; weighted (11), rho by CV | J} for the weighted peer, {neuroblastoma; npc, constrained | J} "
        "for npc",
        NO_TARGET,
    ),
    "constrained_levels": (
        "spambase at alpha = 0.1: the test type I error is {spambase; 0.1; *; tau = alpha phi(0) | type I, test} with "
        "the level of the surrogate loss, {spambase; 0.1; *; npc | type I, test} with npc",
        NO_TARGET,
    ),
    "sparse_logistic_artificial": (
        "cost at 0.3 with the interval around it: {[0.2, 0.4] | cost at 0.3, %} % (in the paper "
        "{[0.2, 0.4] | paper} %)",
        NO_TARGET,
    ),
    "sparse_logistic_covertype": (
        "test cost x 100: {7.8 to 10 | test cost, x 100} with the narrowest interval, {0 to 100 | test cost, x 100} "
        "for ordinary logistic regression; training time {median ratio} of that of ordinary logistic regression",
        "training time at most {at most} of ordinary logistic regression's",
    ),
    "sparse_logistic_large": (
        "test cost x 100: {7.8 to 10 | test cost, x 100} with the narrowest interval, {0 to 100 | test cost, x 100} "
        "for ordinary logistic regression; support vectors {7.8 to 10 | support vectors, %} %",
        NO_TARGET,
    ),
    "sparse_logistic_kernel": (
        "training time with an rbf kernel {median ratio} of that of ordinary logistic regression by the same code",
        "at most {at most}",
    ),
    "sparse_logistic_wide": (
        "{median ratio} of the time of LogisticRegression on 7,129 genes of 72 patients, {RCV1 | median ratio} times "
        "its time on 2,000 sparse texts",
        "at most {leukemia | at most} on genes",
    ),
    "sparse_logistic_npc": (
        "magic at alpha = 0.05: the type II error is {magic; 0.05 | type II, factor 2} if fitted near the threshold, "
        "{magic; 0.05 | type II, 0 to 1} for ordinary logistic regression (in brackets the standard error of the "
        "difference, and the share of rows that are support vectors)",
        NO_TARGET,
    ),
    "ensembles": (
        "Simulation 2, lda: the type I error is above alpha in shares of "
        "{Simulation 2; lda; majority vote | over alpha, single} of the samples with one split, "
        "{Simulation 2; lda; majority vote | over alpha, ensemble} with the vote of 11, "
        "{Simulation 2; lda; average, bootstrap | over alpha, ensemble} with an average score (standard errors in "
        "brackets)",
        NO_TARGET,
    ),
}
