"""Which columns of a table come to a method as they are, and what becomes of a new category there."""


def columns_without_encoder(part, table, behind=False):
    """Return the columns of a frame of which no encoder in a scorer says what becomes of a new category.

    Columns that the scorer leaves out are not among them. Where it cannot be read, all columns are.

    Parameters
    ----------
    part : object
        A scorer, or a step of one.
    table : DataFrame
        The rows of a fit.
    behind : bool
        Whether other steps come first, so that the columns are no longer at their places.

    Returns
    -------
    list of str

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.compose import make_column_transformer
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> table = pd.DataFrame({"job": ["a", "b"], "town": ["c", "d"]})
    >>> encoder = OneHotEncoder(handle_unknown="ignore")
    >>> columns_without_encoder(make_column_transformer((encoder, ["job"]), remainder="passthrough"), table)
    ['town']
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import StackingClassifier, VotingClassifier
    from sklearn.feature_selection import SelectorMixin
    from sklearn.pipeline import FeatureUnion, Pipeline

    columns = list(table.columns)
    if isinstance(part, str) and part == "drop":
        return []
    if not hasattr(part, "get_params") or isinstance(part, type):
        return columns
    if isinstance(part, Pipeline):
        for number, (_, step) in enumerate(part.steps):
            left = columns_without_encoder(step, table, behind or number > 0)
            columns = [column for column in columns if column in left]
        return columns
    if isinstance(part, ColumnTransformer):
        parts = _parts_with_columns(part, table, behind)
    elif isinstance(part, FeatureUnion):
        parts = [(one, columns) for _, one in part.transformer_list]
    elif isinstance(part, VotingClassifier | StackingClassifier):
        parts = [(one, columns) for _, one in part.estimators]
        if getattr(part, "passthrough", False):
            parts.append((part.final_estimator, columns))
    elif "handle_unknown" in part.get_params(deep=False):
        return []
    else:
        # a search, a calibration and the like; what selects columns by a model leaves them as they are
        inner = getattr(part, "estimator", getattr(part, "scorer", None))
        return columns if isinstance(part, SelectorMixin) else columns_without_encoder(inner, table, behind)
    if parts is None:
        return columns
    left = {name for one, names in parts for name in columns_without_encoder(one, table[names], behind)}
    return [column for column in columns if column in left]


def _parts_with_columns(transformer, table, behind):
    """Return the parts of a ColumnTransformer, each with the columns that it gets; None where these are not known."""
    from sklearn.utils import _safe_indexing

    parts, rest = [], list(table.columns)
    for _, part, chosen in transformer.transformers:
        chosen = [chosen] if isinstance(chosen, str | int) else chosen
        if behind and not (isinstance(chosen, list) and all(isinstance(name, str) for name in chosen)):
            return None
        try:
            chosen = chosen(table) if callable(chosen) else chosen
            names = list(_safe_indexing(table.iloc[:1], chosen, axis=1).columns)
        except Exception:
            # a scorer with such columns says itself what is wrong, when it is trained
            return None
        parts.append((part, names))
        rest = [column for column in rest if column not in names]
    return [*parts, (transformer.remainder, rest)]


def columns_of_xgboost(part, table, behind=False):
    """Return the columns of a frame that come to a model of XGBoost inside a scorer as they are.

    XGBoost 3 refuses a new category that comes behind all known ones by the alphabet, and takes any other for the known
    one behind it, without a word.

    Parameters
    ----------
    part, table, behind
        As for `columns_without_encoder`.

    Returns
    -------
    list of str

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> columns_of_xgboost(LogisticRegression(), pd.DataFrame({"job": ["a", "b"]}))
    []
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import StackingClassifier, VotingClassifier
    from sklearn.pipeline import Pipeline

    columns = list(table.columns)
    if any(kind.__module__.partition(".")[0] == "xgboost" for kind in type(part).__mro__):
        return columns
    if isinstance(part, Pipeline):
        *first, last = [step for _, step in part.steps if step not in (None, "passthrough")] or [None]
        for number, step in enumerate(first):
            parts = (
                _parts_with_columns(step, table, behind or number > 0) if isinstance(step, ColumnTransformer) else ()
            )
            columns = [name for one, names in parts or () if one == "passthrough" for name in names if name in columns]
        return columns_of_xgboost(last, table[columns], behind or len(first) > 0)
    if isinstance(part, VotingClassifier | StackingClassifier):
        found = {name for _, one in part.estimators for name in columns_of_xgboost(one, table, behind)}
        return [name for name in columns if name in found]
    # a search, a calibration and the like
    inner = getattr(part, "estimator", getattr(part, "scorer", None))
    return [] if inner is None else columns_of_xgboost(inner, table, behind)
