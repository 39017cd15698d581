"""A classifier as one ONNX graph: the converted model, its score, the cut, and the label."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from nproc.doors import needed
from nproc.errors import InvalidInputError
from nproc.fits import NPFit, single_cut
from nproc.rows import Table, as_table, is_frame
from nproc.scorers import (
    class0_comes_second,
    last_model,
    linear_form,
    name_of,
    scoring_method,
    with_joined_columns,
    with_scalers_of_sklearn,
)

# rounding of a converted model, as a share of the largest score: 16 units in the last place of single precision
SINGLE = 16 * float(np.finfo(np.float32).eps)


def to_onnx(fit: NPFit, X: Table, *, target_opset: int | None = None) -> Any:
    """Return an ONNX model with the outputs ``label`` and ``score`` of a fit; class 1 is called where score >= cut.

    Parameters
    ----------
    fit : NPFit
        Of one split. Linear methods are written in double precision. Other models need a converter in skl2onnx, such as
        scikit-learn's trees, forests, boosted trees, support vector machines and pipelines.
    X : DataFrame or array-like, shape (m, p)
        A few rows as they will be given: their columns and types become the inputs of the graph. An array becomes one
        input ``X``, and so does a frame for a named method. Otherwise each column of a frame becomes an input.
    target_opset : int, optional
        Version of the operators; None takes the newest that skl2onnx knows.

    Returns
    -------
    onnx.ModelProto
        Save it by ``model.SerializeToString()``.

    Raises
    ------
    InvalidInputError
        If the model has no converter, the fit has no single threshold, or a formula coded its columns.
    ModuleNotFoundError
        If skl2onnx is not installed.

    Notes
    -----
    Models that are not linear are converted in single precision, with about seven digits. Their cut is moved up by 16
    units in the last of these digits, so that a score which ties with the threshold stays class 0. A row whose score
    lies between the two cuts is then class 0 in the graph and class 1 for ``fit.predict``. The same happens, in both
    directions, where the rounding of a predictor puts a row on the other side of a step in the score. Count such rows
    on rows of your own::

        np.mean(session.run(["label"], {"X": rows.astype(np.float32)})[0] != fit.predict(rows))

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
    import onnx

    table = as_table(X, "X")
    if fit.design.numeric:
        # these methods are trained on an array
        table = fit.design.transform(table)
    scorer, values = fit.scorers[0], fit.labels if fit.prefit else None
    form = linear_form(scorer, values)
    if form is not None and not is_frame(table):
        opset = target_opset or min(onnx.defs.onnx_opset_version(), skl2onnx.__max_supported_opset__)
        model = onnx.helper.make_model(_linear_graph(onnx, form), opset_imports=[onnx.helper.make_opsetid("", opset)])
        # the newest one that runtimes of the last years read
        model.ir_version = min(model.ir_version, 10)
        sign, kind = 1.0, np.float64
    else:
        model = _converted(scorer, table, target_opset)
        sign, kind = -1.0 if class0_comes_second(scorer, values) else 1.0, np.float32
        largest = max(abs(cut), *(float(np.abs(scores).max()) for scores in fit.scores0))
        cut = float(np.nextafter(np.float32(cut + SINGLE * largest), np.float32(np.inf)))
    _append_label(model.graph, sign, cut, kind, fit.labels.tolist())
    onnx.checker.check_model(model)
    return model


def _linear_graph(onnx, form):
    """Return a graph of X @ weights + intercept in double precision."""
    helper, number = onnx.helper, onnx.TensorProto.DOUBLE
    weights = onnx.numpy_helper.from_array(np.asarray(form.weights, dtype=np.float64)[:, None], "weights")
    intercept = onnx.numpy_helper.from_array(np.array([form.intercept]), "intercept")
    nodes = [
        helper.make_node("MatMul", ["X", "weights"], ["product"]),
        helper.make_node("Add", ["product", "intercept"], ["scores"]),
    ]
    rows = helper.make_tensor_value_info("X", number, [None, form.weights.size])
    scores = helper.make_tensor_value_info("scores", number, [None, 1])
    return helper.make_graph(nodes, "nproc", [rows], [scores], [weights, intercept])


def _converted(scorer, table, target_opset):
    """Return what skl2onnx makes of a model, with its scores as the last output."""
    from onnx.compose import add_prefix
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType

    method = scoring_method(scorer)
    scorer = with_scalers_of_sklearn(scorer)
    options = {"zipmap": False} | ({"raw_scores": True} if method == "decision_function" else {})
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
        options = {id(model_of_scores): options}
        with warnings.catch_warnings():
            # what the two libraries will change between each other is of no use to the caller
            warnings.simplefilter("ignore", FutureWarning)
            model = convert_sklearn(
                with_joined_columns(scorer, table) if is_frame(table) else scorer,
                initial_types=inputs,
                options=options,
                target_opset=target_opset,
                custom_conversion_functions={type(model_of_scores): _convert_boosting} if is_boosting else None,
            )
    # the errors of skl2onnx and of the checks of onnx are of many kinds
    except Exception as error:
        # the first in the chain is the cause, and may be the only one that is short
        cause = error if error.__cause__ is None else error.__cause__
        raise InvalidInputError(
            f"skl2onnx cannot convert {name_of(scorer)}: {type(cause).__name__}: "
            f"{' '.join(str(cause).split())[:300]} Choose a model that has a converter, or use save() for use in "
            "Python."
        ) from error
    # of its names those of the inputs stay
    return add_prefix(model, "model_", rename_inputs=False)


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


def _append_label(graph, sign, cut, kind, labels):
    """Make of the last output of a graph, of one or two columns, the outputs ``label`` and ``score``, shape (m,)."""
    from onnx import TensorProto, helper, numpy_helper

    raw = graph.output[-1]
    columns = raw.type.tensor_type.shape.dim[1].dim_value or 2
    number = TensorProto.DOUBLE if kind is np.float64 else TensorProto.FLOAT
    values = {
        "np_column": np.array(columns - 1, dtype=np.int64),
        "np_sign": np.array(sign, dtype=kind),
        "np_cut": np.array(cut, dtype=kind),
    }
    nodes = [
        helper.make_node("Gather", [raw.name, "np_column"], ["np_raw"], axis=1),
        helper.make_node("Mul", ["np_raw", "np_sign"], ["score"]),
        helper.make_node("GreaterOrEqual", ["score", "np_cut"], ["np_class1"]),
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
