"""A classifier as one ONNX graph: the converted model, its score, the cut, and the label."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import bdtr

from nproc.checks import tells_names
from nproc.doors import needed
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.fits import NPFit, single_cut
from nproc.rows import Table, is_frame
from nproc.scorers import (
    class0_comes_second,
    last_model,
    linear_form,
    name_of,
    score_rows,
    scoring_method,
    with_joined_columns,
    without_searches,
)

# rounding of a converted model, as a share of the largest score: 16 units in the last place of single precision
SINGLE = 16 * float(np.finfo(np.float32).eps)
# scores that lie closer, as a share of their own size and that of most others, differ by rounding
SAME_SCORE = 1e-4
# share of labels that may differ, where rounding of a predictor puts a row on the other side of a step in the score
OTHER_LABELS = 2e-3
# with fewer rows, a graph that gives one label of a hundred wrongly passes with a probability of more than 1 %
ENOUGH_ROWS = 1000
# letters that are shown of what skl2onnx says
MOST_SAID = 300


@tells_names
def to_onnx(fit: NPFit, X: Table, *, target_opset: int | None = None) -> Any:
    """Return an ONNX model with the outputs ``label`` and ``score`` of a fit; class 1 is called where score >= cut.

    Parameters
    ----------
    fit : NPFit
        Of one split. Linear methods are written in double precision. Other models need a converter in skl2onnx, such as
        scikit-learn's trees, forests, boosted trees, support vector machines and pipelines.
    X : DataFrame or array-like, shape (m, p)
        Rows as they will be given, on which the graph is compared with the fit. Give all that you have. Their columns
        and types become the inputs of the graph. An array becomes one input ``X``, and so does a frame for a named
        method. Otherwise each column of the fit becomes an input of its own, with its name.
    target_opset : int, optional
        Version of the operators; None takes the newest that skl2onnx knows.

    Returns
    -------
    onnx.ModelProto
        Save it by ``model.SerializeToString()``.

    Raises
    ------
    InvalidInputError
        If the model has no converter, the fit has no single threshold, a formula coded its columns, or the graph does
        not give the labels and scores of the fit on `X`; see the notes.
    ModuleNotFoundError
        If skl2onnx or onnxruntime is not installed.

    Warns
    -----
    NPWarning
        If a model that is not linear is compared on fewer than 1,000 rows, and how little that shows.

    Notes
    -----
    Models that are not linear are converted in single precision, with about seven digits. Their cut is moved up by 16
    units in the last of these digits, so that a score which ties with the threshold stays class 0. A row whose score
    lies between the two cuts is then class 0 in the graph and class 1 for ``fit.predict``. The same happens, in both
    directions, where the rounding of a predictor puts a row on the other side of a step in the score.

    The graph is run on `X` by onnxruntime. It is refused if it gives another label to more than 1 + m / 500 of the m
    rows, or to more than half of them a score that differs by more than 1e-4 times its own size plus the median size.

    The guarantee is that of ``fit.predict``. To bound the type I error of the graph itself, count its errors on fresh
    class 0 rows, and give `nproc.certify` the count.

    Examples
    --------
    >>> from nproc import npc
    >>> from nproc.serving import to_onnx
    >>> from nproc.simulate import simulation1
    >>> sample = simulation1(500, random_state=1)
    >>> model = to_onnx(npc(sample.X, sample.y, "logistic", random_state=1), sample.X)
    >>> [output.name for output in model.graph.output]
    ['label', 'score']
    """
    cut = single_cut(fit, "to_onnx")
    if fit.design.coding is not None:
        raise InvalidInputError(
            f"the formula {fit.design.formula!r} has no ONNX converter. Fit with a table, and a pipeline of "
            "scikit-learn as method that codes its columns."
        )
    with needed("skl2onnx", "to_onnx"):
        import skl2onnx
    with needed("onnxruntime", "to_onnx"):
        import onnxruntime
    import onnx

    table = fit.design.transform(X)
    taken = [name for name in ("label", "score") if is_frame(table) and name in table.columns]
    if taken:
        raise InvalidInputError(
            f"X has the column {taken[0]!r}, which is the name of an output of the graph. Rename the column, and fit "
            "again."
        )
    scorer, values = fit.scorers[0], fit.labels if fit.prefit else None
    scores = score_rows(scorer, table, values)
    expected = fit.labels[(scores >= cut).astype(np.intp)]
    largest = max(abs(cut), *(float(np.abs(some).max()) for some in (scores, *fit.scores0)))
    form = linear_form(scorer, values)
    if form is not None:
        opset = target_opset or min(onnx.defs.onnx_opset_version(), skl2onnx.__max_supported_opset__)
        model = onnx.helper.make_model(
            _linear_graph(onnx, form, table), opset_imports=[onnx.helper.make_opsetid("", opset)]
        )
        # the newest one that runtimes of the last years read
        model.ir_version = min(model.ir_version, 10)
        column, sign, kind = 0, 1.0, np.float64
    else:
        model, by_probability = _converted(scorer, table, target_opset)
        reverse = class0_comes_second(scorer, values)
        # of two probabilities that of class 1; of a score and its negative, or a score alone, the last
        column, sign = (0, 1.0) if reverse and by_probability else (-1, -1.0 if reverse else 1.0)
        kind, cut = np.float32, float(np.nextafter(np.float32(cut + SINGLE * largest), np.float32(np.inf)))
    _append_label(model.graph, column, sign, cut, kind, fit.labels.tolist())
    try:
        onnx.checker.check_model(model)
        labels, scores_of_graph = _run(onnxruntime, model, table)
    # of the checker and of the runtime
    except Exception as error:
        raise InvalidInputError(
            f"the ONNX graph of {fit.method} does not run on X: {type(error).__name__}: "
            f"{' '.join(str(error).split())[:300]} Use save() for use in Python."
        ) from error
    other_labels = np.count_nonzero(labels != expected)
    # a NaN is another score too
    size = np.abs(scores) + np.median(np.abs(scores))
    other_scores = np.count_nonzero(~(np.abs(scores_of_graph - scores) <= SAME_SCORE * size))
    if other_labels > _most_other_labels(len(scores)) or 2 * other_scores > len(scores):
        way_out = "Choose another model, or use save() for use in Python."
        *before, last = [step for _, step in getattr(scorer, "steps", [("", scorer)])]
        grown = any(hasattr(part, "tree_") for part in [last, *getattr(last, "estimators_", [])])
        if grown and before and all(name_of(step).endswith("Scaler") for step in before):
            way_out = f"Trees need no scaler: give {name_of(last)}() of scikit-learn alone as the method."
        raise InvalidInputError(
            f"the ONNX graph of {fit.method} is not the fit: of the {len(scores)} rows of X it gives {other_labels} "
            f"another label and {other_scores} another score. The type I error of the graph could exceed alpha. Either "
            "skl2onnx does not convert this model rightly, or single precision has too few digits for it, as for trees "
            f"behind a scaler. {way_out}"
        )
    if form is None and len(scores) < ENOUGH_ROWS:
        passes = float(bdtr(min(_most_other_labels(len(scores)), len(scores)), len(scores), 0.01))
        rows = f"{len(scores)} row{'s' * (len(scores) > 1)}"
        warn_at_call(
            f"to_onnx compared the graph of {fit.method} with the fit on {rows} only. A graph that gives another label "
            f"to one row in a hundred passes this with probability {passes:.2g}. Give at least {ENOUGH_ROWS:,} rows, "
            "such as all that you have.",
            NPWarning,
        )
    return model


def _most_other_labels(n_rows):
    """Return how many rows at most may have another label in the graph."""
    return int(1 + OTHER_LABELS * n_rows)


def _run(onnxruntime, model, table):
    """Return the labels and the scores of a graph for the rows of a table."""
    options = onnxruntime.SessionOptions()
    # an error is raised, and need not be printed too
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    kinds = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(string)": object}
    if is_frame(table):
        parts = {str(name): table[[name]].to_numpy() for name in table.columns}
    else:
        parts = {"X": table.toarray() if sparse.issparse(table) else table}
    rows = {entry.name: parts[entry.name].astype(kinds[entry.type]) for entry in session.get_inputs()}
    return session.run(["label", "score"], rows)


def _linear_graph(onnx, form, table):
    """Return a graph of X @ weights + intercept in double precision."""
    helper, number = onnx.helper, onnx.TensorProto.DOUBLE
    weights = onnx.numpy_helper.from_array(np.asarray(form.weights, dtype=np.float64)[:, None], "np_weights")
    intercept = onnx.numpy_helper.from_array(np.array([form.intercept]), "np_intercept")
    names = [str(name) for name in table.columns] if is_frame(table) else ["X"]
    nodes = [
        helper.make_node("Concat", names, ["np_rows"], axis=1),
        helper.make_node("MatMul", ["np_rows", "np_weights"], ["np_product"]),
        helper.make_node("Add", ["np_product", "np_intercept"], ["np_scores"]),
    ]
    width = 1 if is_frame(table) else form.weights.size
    inputs = [helper.make_tensor_value_info(name, number, [None, width]) for name in names]
    scores = helper.make_tensor_value_info("np_scores", number, [None, 1])
    return helper.make_graph(nodes, "nproc", inputs, [scores], [weights, intercept])


def _converted(scorer, table, target_opset):
    """Return what skl2onnx makes of a model, with the scores as last output, and whether these are probabilities."""
    from onnx import helper
    from onnx.compose import add_prefix
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType

    if not hasattr(scorer, "fit"):
        raise InvalidInputError(
            f"{name_of(scorer)} is a function, which has no ONNX converter. Give the model itself to npc, or use "
            "save() for use in Python."
        )
    method = scoring_method(scorer)
    scorer = without_searches(scorer)
    if is_frame(table):
        inputs = [
            (str(name), (FloatTensorType if table[name].dtype.kind in "biuf" else StringTensorType)([None, 1]))
            for name in table.columns
        ]
    else:
        inputs = [("X", FloatTensorType([None, table.shape[1]]))]
    if method in ("predict_log_proba", "log_odds"):
        raise InvalidInputError(
            f"the scores of {name_of(scorer)} are log odds. Converters to ONNX give probabilities, of which many may "
            "be rounded to exactly 0 or 1. Use save() for use in Python."
        )
    try:
        model_of_scores = last_model(scorer)
        is_boosting = type(model_of_scores).__name__ == "HistGradientBoostingClassifier"
        with warnings.catch_warnings():
            # what the two libraries will change between each other is of no use to the caller
            warnings.simplefilter("ignore", FutureWarning)
            model = convert_sklearn(
                with_joined_columns(scorer, table) if is_frame(table) else scorer,
                initial_types=inputs,
                options=_options(scorer),
                target_opset=target_opset,
                custom_conversion_functions={type(model_of_scores): _convert_boosting} if is_boosting else None,
            )
    # the errors of skl2onnx and of the checks of onnx are of many kinds
    except Exception as error:
        # the first in the chain is the cause, and may be the only one that is short
        cause = error if error.__cause__ is None else error.__cause__
        # a pipeline may have an encoder
        if is_frame(table) and model_of_scores is scorer and _has_texts(table):
            raise InvalidInputError(
                f"skl2onnx takes no columns of text or categories for {type(model_of_scores).__name__}. Use an encoder "
                "such as OneHotEncoder in the method, or save() for use in Python."
            ) from error
        if isinstance(cause, NotImplementedError) and "missing values are string" in str(cause):
            raise InvalidInputError(
                "skl2onnx cannot convert an imputer of text columns. Fill the gaps of these columns in the table, as "
                "in X[texts] = X[texts].fillna('unknown'), also in new rows. Leave this step out of the pipeline and "
                "fit again, or use save() for use in Python."
            ) from error
        if type(cause).__name__ in ("MissingShapeCalculator", "MissingConverter"):
            # a step of a pipeline, if that is what cannot be converted
            named = re.search(r"type '<class '(?:\w+\.)*(\w+)'>", str(cause))
            lacking = name_of(scorer) if named is None else named[1]
            raise InvalidInputError(
                f"skl2onnx has no converter for {lacking}. Choose a model that has one, register one by "
                "skl2onnx.update_registered_converter, as onnxmltools has them for LightGBM and XGBoost, or use save() "
                "for use in Python."
            ) from error
        said = re.sub(r"<class '(?:\w+\.)*(\w+)'>", r"\1", " ".join(str(cause).split()))
        said = said if len(said) <= MOST_SAID else f"{said[:MOST_SAID].rpartition(' ')[0]} ..."
        raise InvalidInputError(
            f"skl2onnx cannot convert {name_of(scorer)}: {type(cause).__name__}: {said.rstrip('.')}. Choose a model "
            "that has a converter, or use save() for use in Python."
        ) from error
    # skl2onnx writes "b c" as "b_c"
    model = add_prefix(model, "model_")
    for entry, (name, _) in zip(model.graph.input, inputs, strict=True):
        model.graph.node.insert(0, helper.make_node("Identity", [name], [entry.name]))
        entry.name = name
    return model, method == "predict_proba"


def _has_texts(table):
    return any(kind.kind not in "biuf" for kind in table.dtypes)


def _options(model):
    """Return the options of skl2onnx for a model and for those inside it, which it does not tell them in pipelines."""
    model = last_model(model)
    by_decision = {"raw_scores": True} if hasattr(model, "decision_function") else {}
    options = {id(model): {"zipmap": False} | by_decision}
    members = [part.estimator for part in getattr(model, "calibrated_classifiers_", [])]
    if type(model).__name__ in ("BaggingClassifier", "OneVsRestClassifier"):
        members = model.estimators_
    for member in members:
        options |= _options(member)
    return options


def _convert_boosting(scope, operator, container):
    """Convert boosted trees, with 0 and 1 for the Booleans of skl2onnx 1.20, which onnx 1.23 refuses."""
    from skl2onnx.operator_converters.random_forest import convert_sklearn_random_forest_classifier

    tracks = "nodes_missing_value_tracks_true"
    add_node = container.add_node

    def add_whole_numbers(*args, **attributes):
        if tracks in attributes:
            attributes[tracks] = [int(value) for value in attributes[tracks]]
        return add_node(*args, **attributes)

    container.add_node = add_whole_numbers
    try:
        convert_sklearn_random_forest_classifier(scope, operator, container)
    finally:
        container.add_node = add_node


def _append_label(graph, column, sign, cut, kind, labels):
    """Make of a column of the last output of a graph the outputs ``label`` and ``score``, shape (m,)."""
    from onnx import TensorProto, helper, numpy_helper

    raw = graph.output[-1]
    number = TensorProto.DOUBLE if kind is np.float64 else TensorProto.FLOAT
    values = {
        "np_column": np.array(column, dtype=np.int64),
        "np_sign": np.array(sign, dtype=kind),
        "np_below_cut": np.nextafter(kind(cut), kind(-np.inf)),
    }
    nodes = [
        helper.make_node("Gather", [raw.name, "np_column"], ["np_raw"], axis=1),
        helper.make_node("Mul", ["np_raw", "np_sign"], ["score"]),
        # skl2onnx takes the oldest version of the operators that does, and GreaterOrEqual is of version 12
        helper.make_node("Greater", ["score", "np_below_cut"], ["np_class1"]),
    ]
    if isinstance(labels[0], bool):
        nodes.append(helper.make_node("Identity" if labels[1] else "Not", ["np_class1"], ["label"]))
        of_label = TensorProto.BOOL
    else:
        of_label, dtype = (
            (TensorProto.STRING, object)
            if isinstance(labels[0], str)
            else (TensorProto.INT64, np.int64)
            if isinstance(labels[0], int)
            else (TensorProto.DOUBLE, np.float64)
        )
        values |= {f"np_label{j}": np.array(label, dtype=dtype) for j, label in enumerate(labels)}
        nodes.append(helper.make_node("Where", ["np_class1", "np_label1", "np_label0"], ["label"]))
    graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in values.items())
    graph.node.extend(nodes)
    del graph.output[:]
    graph.output.extend(
        [
            helper.make_tensor_value_info("label", of_label, [None]),
            helper.make_tensor_value_info("score", number, [None]),
        ]
    )
