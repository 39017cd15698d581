"""Trees and ensembles of trees.

scikit-learn's exact trees see columns in single precision and take values less than 1e-7 apart as equal, so
that a column in small units, or with a large offset, would look constant: columns are standardised first.
"""

from nproc.scorers.registry import register
from nproc.scorers.scaling import builds, on_one_scale


@register("tree", r_name="tree", allow_nan=True, sparse=True)
@builds("sklearn.tree.DecisionTreeClassifier", step="tree")
def tree(
    *,
    criterion="log_loss",
    max_depth=None,
    min_samples_split=10,
    min_samples_leaf=5,
    ccp_alpha=0.0,
    class_weight=None,
    random_state=None,
):
    """A classification tree, for a rule that can be read; the score is the share of class 1 in the leaf.

    R: method "tree" (tree::tree) with the same criterion and node sizes (deviance, minsize 10, mincut 5);
    R stops earlier by mindev = 0.01, which has no twin here: prune with `ccp_alpha` or `max_depth`. A tree
    has few distinct scores, and tied scores cost power.

    Parameters
    ----------
    criterion : {'log_loss', 'gini', 'entropy'}
        Impurity of a node; 'log_loss' is the deviance.
    max_depth : int, optional
        Largest depth.
    min_samples_split : int
        Smallest node that may be split.
    min_samples_leaf : int
        Smallest leaf.
    ccp_alpha : float
        Cost-complexity pruning.
    class_weight : None, 'balanced' or dict
        Weights of class 0 and 1.
    random_state : int, optional
        Order in which equally good columns are tried.

    Returns
    -------
    estimator : sklearn.pipeline.Pipeline
        ColumnScaler, then sklearn.tree.DecisionTreeClassifier.

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> get_scorer("tree", max_depth=4).named_steps["tree"].max_depth
    4
    """


@register("randomforest", r_name="randomforest", allow_nan=True, sparse=True)
@builds("sklearn.ensemble.RandomForestClassifier", step="forest")
def randomforest(
    *,
    n_estimators=500,
    max_features="sqrt",
    max_depth=None,
    min_samples_leaf=1,
    max_samples=None,
    class_weight=None,
    n_jobs=None,
    random_state=None,
):
    """A random forest, for interactions without tuning; the score is the average of its trees' class 1 shares.

    R: method "randomforest" (randomForest::randomForest) with the same defaults: 500 trees (ntree), sqrt(p)
    columns a split (mtry), leaves down to one row (nodesize). Some 95 % of the time of `npc` goes into scikit-learn's
    forest (``benchmarks/results/forest_time.md``). It sorts the values of each tried column at each node, where R's
    sorts each column once. By the profiler perf, with 2000 trees, about a third of the fit is this sorting, and over a
    quarter is the impurities of all cuts. `n_jobs` grows several trees at once.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    max_features : 'sqrt', 'log2', int or float
        Columns tried at each split.
    max_depth : int, optional
        Largest depth of a tree.
    min_samples_leaf : int
        Smallest leaf.
    max_samples : None, int or float
        Size of the bootstrap sample of each tree; None is n.
    class_weight : None, 'balanced', 'balanced_subsample' or dict
        Weights of class 0 and 1.
    n_jobs : int, optional
        Trees grown at the same time.
    random_state : int, optional
        Seed of the bootstrap and of the columns.

    Returns
    -------
    estimator : sklearn.pipeline.Pipeline
        ColumnScaler, then sklearn.ensemble.RandomForestClassifier.

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> get_scorer("randomforest").named_steps["forest"].n_estimators
    500
    """


@register("ada", r_name="ada", sparse=True)
def ada(*, n_estimators=50, learning_rate=1.0, max_depth=1, random_state=None):
    """AdaBoost, as in the R package; the score is the weighted vote of its trees.

    R: method "ada" (ada::ada) with 50 iterations as here. R grows rpart trees of any depth, shrinks by
    nu = 0.1 and draws half of the rows each time; here are stumps, no shrinkage and all rows, as in
    Freund and Schapire's algorithm.

    Parameters
    ----------
    n_estimators : int
        Number of iterations.
    learning_rate : float
        Shrinkage of each tree's vote.
    max_depth : int
        Depth of each tree.
    random_state : int, optional
        Seed of the trees.

    Returns
    -------
    estimator : sklearn.pipeline.Pipeline
        ColumnScaler, then sklearn.ensemble.AdaBoostClassifier.

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> get_scorer("ada", n_estimators=100).named_steps["ada"].n_estimators
    100
    """
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    model = AdaBoostClassifier(
        estimator=DecisionTreeClassifier(max_depth=max_depth),
        n_estimators=n_estimators,
        learning_rate=learning_rate,
        random_state=random_state,
    )
    return on_one_scale("ada", model)


@register("gradientboosting", r_name=None, allow_nan=True)
@builds("sklearn.ensemble.HistGradientBoostingClassifier")
def gradientboosting(
    *,
    max_iter=100,
    learning_rate=0.1,
    max_leaf_nodes=31,
    max_depth=None,
    min_samples_leaf=20,
    l2_regularization=0.0,
    early_stopping=False,
    class_weight=None,
    random_state=None,
):
    """Gradient boosted trees on binned columns, for many rows; the score is the sum of the trees (log odds).

    R: the package nproc has no such method.

    Parameters
    ----------
    max_iter : int
        Number of trees.
    learning_rate : float
        Shrinkage of each tree.
    max_leaf_nodes : int
        Most leaves of a tree.
    max_depth : int, optional
        Largest depth of a tree.
    min_samples_leaf : int
        Smallest leaf.
    l2_regularization : float
        Ridge penalty on the leaf values.
    early_stopping : bool or 'auto'
        Hold back a tenth of the training rows to choose the number of trees.
    class_weight : None, 'balanced' or dict
        Weights of class 0 and 1.
    random_state : int, optional
        Seed of the rows held back and of the binning.

    Returns
    -------
    estimator : sklearn.ensemble.HistGradientBoostingClassifier

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> get_scorer("gradientboosting", max_iter=50).max_iter
    50
    """
