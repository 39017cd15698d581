"""Every argument of every public function, given about a hundred kinds of objects.

The one claim: a right result, or an NPError or TypeError that names the argument; never another traceback, never a
result other than that of the clean input.
"""

import dataclasses
import inspect
import os
import re
import signal
import tempfile
import warnings
from collections import Counter
from contextlib import chdir, contextmanager
from decimal import Decimal
from numbers import Number

import numpy as np
import odd_calls
import pandas as pd
import pytest
from odd_kinds import FREE, REFUSED, RELABEL, Kind, kinds_of
from public_names import PUBLIC
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning

from nproc import datasets, simulate
from nproc.errors import NPError, NPWarning

# of the processor, which other work on the machine does not use up
SECONDS = 10
# tens of thousands of cases, in parts that several processes share
N_PARTS = 12
# objects of the package's own, whose numbers are compared elsewhere: in thresholds, scores and labels
NOT_COMPARED = {
    "design",
    # of a ranking: the names of the columns
    "features",
    "versions",
    "subject",
    "scorers",
    "world",
    "model",
    "stages",
    "method",
    "scored",
    "source",
    "parts",
    "group_column",
    "cluster_column",
}
# a fit keeps keys of the names of its clusters
LABELS = {"labels", "class0", "groups", "group_values", "label", "cluster_keys"}
# a fit by formula keeps keys of all columns of its table, also of those that it does not use
OF_THE_TABLE = {"table_keys0"}


# ---- comparing results


def plain(value, skipped=frozenset()):
    """Return a result as lists, dicts and numbers that can be compared."""
    if isinstance(value, BaseEstimator):
        return _plain_estimator(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [f.name for f in dataclasses.fields(value) if f.name not in NOT_COMPARED | skipped]
        return {"kind": type(value).__name__, **{name: plain(getattr(value, name), skipped) for name in names}}
    if isinstance(value, dict):
        return {str(k): plain(v, skipped) for k, v in value.items()}
    if isinstance(value, pd.DataFrame | pd.Series):
        return plain(value.to_numpy())
    if sparse.issparse(value):
        return value.toarray()
    if isinstance(value, str):
        return str(value)
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    if isinstance(value, list | tuple):
        return [plain(v, skipped) for v in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Number | Decimal):
        return complex(value)
    if hasattr(value, "__next__"):
        return [plain(v, skipped) for v in value]
    return type(value).__name__


def _plain_estimator(estimator):
    if hasattr(estimator, "decision_function") and hasattr(estimator, "classes_"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NPWarning)
            return estimator.decision_function(odd_calls.X_NEW)
    if not hasattr(estimator, "classes_"):
        return repr(estimator)
    # places of the labels, which are the same for labels of other values
    return [estimator.classes_.tolist().index(label) for label in estimator.predict(odd_calls.X_NEW).tolist()]


def same(one, other):
    """Return True if two plain results are the same, numbers to 1e-7: other layouts sum in another order."""
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, str) or isinstance(other, str) or one is None or other is None:
        return isinstance(one, str) == isinstance(other, str) and one == other
    a, b = np.squeeze(np.asarray(one)), np.squeeze(np.asarray(other))
    if a.shape != b.shape:
        return False
    if a.dtype.kind in "biufc" and b.dtype.kind in "biufc":
        return bool(np.allclose(a.astype(complex), b.astype(complex), rtol=1e-7, atol=1e-9, equal_nan=True))
    return a.tolist() == b.tolist()


# ---- one case


class TookTooLong(BaseException):
    """A case did not end; no code between may catch it."""


@contextmanager
def time_limit(seconds):
    if not hasattr(signal, "SIGPROF"):
        yield
        return

    def end(number, frame):
        raise TookTooLong

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def only_own_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", NPWarning)
        # scikit-learn's word for what the package tells by an NPWarning
        warnings.filterwarnings("ignore", "X (has|does not have valid) feature names", UserWarning)
        warnings.filterwarnings("ignore", category=DataConversionWarning)
        yield


def outcome(call, changed, skipped=frozenset()):
    """Return the plain result and None, or None and the error."""
    try:
        with only_own_warnings(), time_limit(SECONDS):
            return plain(call.run(**changed), skipped), None
    except (Exception, TookTooLong) as error:
        return None, error


def fault_of(call, argument, kind, clean_result):
    """Return what is wrong with the outcome of a case, or None."""
    value = call.clean[argument]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            changed = {argument: kind.make(value)}
            others = [a for a in call.aligned if a != argument and call.clean.get(a) is not None]
            if kind.partner is not None:
                changed |= {a: kind.partner(call.clean[a]) for a in others}
    except ImportError:
        return None
    skipped = LABELS if kind.sort == RELABEL else OF_THE_TABLE if kind.name == "more columns" else frozenset()
    found, error = outcome(call, changed, skipped)
    if error is not None:
        if kind.name in call.free and isinstance(error, NPError | TypeError):
            return None
        return refusal_fault(call, [argument, *(others if kind.partner or argument in call.aligned else [])], error)
    if kind.sort == REFUSED:
        return "gave a result"
    if kind.like is not None:
        expected, _ = outcome(call, {argument: kind.like(value)}, skipped)
    elif kind.sort == FREE:
        return None
    else:
        expected = clean_result if not skipped else outcome(call, {}, skipped)[0]
    return None if same(found, expected) else "gave another result than the clean input"


def refusal_fault(call, arguments, error):
    if isinstance(error, TookTooLong):
        return f"took more than {SECONDS} s of the processor"
    message = str(error)
    last_line = f"{type(error).__name__}: {' '.join(message.split())[:200]}"
    if isinstance(error, OSError) and not isinstance(error, NPError):
        # a file that cannot be read is told by the system's own error, which holds the path
        own = any(call.roles.get(a) in ("path", "saved") for a in arguments) and error.filename is not None
        return None if own else last_line
    if set(arguments) & set(call.read_by_sklearn) and _raised_in_sklearn(error):
        return None
    if not isinstance(error, NPError | TypeError):
        return last_line
    words = [w for a in arguments for w in (a, *call.synonyms.get(a, []))]
    named = any(re.search(rf"(?<![A-Za-z0-9_]){re.escape(word)}(?![A-Za-z0-9_])", message) for word in words)
    return None if named else f"does not name {arguments[0]}: {last_line}"


def _raised_in_sklearn(error):
    if isinstance(error, NPError | Warning):
        return False
    traceback = error.__traceback__
    while traceback is not None:
        if f"{os.sep}sklearn{os.sep}" in traceback.tb_frame.f_code.co_filename:
            return True
        traceback = traceback.tb_next
    return False


# ---- all cases


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    return odd_calls.calls(odd_calls.two_files(tmp_path_factory.mktemp("files")))


def is_tried_elsewhere(call, argument, kind):
    """Return True for rows, labels or scores of a picture in another form, which methods with results read alike.

    Of a picture no result is compared, and to draw it takes long.
    """
    return ".plot" in call.name and call.roles[argument] in ("rows", "labels", "scores") and kind.sort != REFUSED


def cases_of(call):
    """Return the pairs (argument, kind) of a call."""
    return [
        (argument, kind)
        for argument, role in call.roles.items()
        for kind in kinds_of(
            role,
            call.clean.get(argument),
            optional=argument in call.optional,
            aligned=argument in call.aligned and sum(call.clean.get(a) is not None for a in call.aligned) > 1,
            free=call.free,
        )
        if not is_tried_elsewhere(call, argument, kind)
    ]


def cases_in_turn(call, number):
    """Return the cases of a call; of kinds that are accepted, which take most of the time, every second one."""
    cases = enumerate(cases_of(call), number)
    return [(argument, kind) for k, (argument, kind) in cases if kind.sort == REFUSED or k % 2]


def faults_of(call, cases):
    clean_result, error = outcome(call, {})
    assert error is None, f"{call.name} refuses the clean input: {error!r}"
    told = []
    for argument, kind in cases:
        # text is a file for some: each case finds an empty folder
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            fault = fault_of(call, argument, kind, clean_result)
        if fault is not None:
            told.append((call.name, argument, call.roles[argument], kind.name, fault))
    again, _ = outcome(call, {})
    assert same(again, clean_result), f"{call.name}: an odd input has changed the result of the clean one"
    return told


def in_lines(faults):
    return "\n".join(f"{name}({argument}={kind}): {fault}" for name, argument, _, kind, fault in faults)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(N_PARTS))
def test_every_odd_input_is_refused_by_name_or_gives_the_right_result(calls, part):
    numbered = list(enumerate(calls))[part::N_PARTS]
    faults = [fault for number, call in numbered for fault in faults_of(call, cases_in_turn(call, number))]
    assert not faults, in_lines(faults)


# ---- nothing is left out


def public_callables():
    """Return the names of the public functions, and of the methods of public classes, that have arguments."""
    found = {}
    for name, thing in PUBLIC.items():
        if inspect.isclass(thing) and issubclass(thing, Exception):
            continue
        if not inspect.isclass(thing):
            found[name] = thing
            continue
        for method in dir(thing):
            function = getattr(thing, method)
            if method.startswith("_") or not inspect.isroutine(function):
                continue
            if not str(getattr(function, "__module__", "")).startswith("nproc"):
                # get_params, set_params, score and the requests of metadata are scikit-learn's own
                continue
            found[f"{name}.{method}"] = function
    found |= {name: getattr(simulate, name) for name in simulate.__all__}
    return found | {name: getattr(datasets, name) for name in dir(datasets) if name.startswith("load_")}


def left_to_cross(name, function):
    """Return the parameters that are to be crossed in some call of a function."""
    if inspect.isclass(function) and not hasattr(function, "sample"):
        return []
    left = [p for p in inspect.signature(function).parameters if p not in ("self", "cls", *odd_calls.NOT_CROSSED)]
    return [p for p in left if f"{name}({p})" not in odd_calls.NOT_CROSSED]


def test_every_public_function_is_called_or_left_out_for_a_reason(calls):
    called = {call.name.split(" ")[0] for call in calls}
    # the accuracy is scikit-learn's, of labels from predict, which is called
    callables = {name: function for name, function in public_callables().items() if not name.endswith(".score")}
    public = {name for name, function in callables.items() if left_to_cross(name, function)}
    public = {name for name in public if not odd_calls.is_crossed_in_npfit(*name.rpartition(".")[::2])}
    assert public - called - set(odd_calls.NOT_CALLED) == set()


def test_every_parameter_is_crossed(calls):
    crossed = {}
    for call in calls:
        crossed.setdefault(call.name.split(" ")[0], set()).update(call.roles)
    missing = [
        f"{name}({parameter})"
        for name, function in public_callables().items()
        if name in crossed
        for parameter in left_to_cross(name, function)
        if parameter not in crossed[name]
    ]
    assert missing == []


@pytest.mark.slow
def test_there_are_at_least_40_kinds_for_every_argument(calls):
    few = []
    for call in calls:
        counted = Counter(argument for argument, _ in cases_of(call))
        few += [f"{call.name}({argument})" for argument in call.roles if counted[argument] < 40]
    assert few == []


class TestOfTheTest:
    """What the comparison finds, shown on functions that are wrong in each way."""

    @staticmethod
    def fault(function, kind):
        call = odd_calls.Call("f", function, {"scores": odd_calls.S0}, {"scores": "scores"})
        return fault_of(call, "scores", kind, plain(function(odd_calls.S0)))

    def test_a_result_where_none_is_right_is_a_fault(self):
        kind = Kind("masked", lambda a: np.ma.array(a, mask=True), REFUSED)
        assert self.fault(lambda scores: float(np.asarray(scores).mean()), kind) == "gave a result"

    def test_another_result_is_a_fault(self):
        kind = Kind("list", lambda a: a.tolist()[1:], "equal")
        assert self.fault(lambda scores: len(scores), kind) == "gave another result than the clean input"

    def test_another_error_is_a_fault_and_so_is_one_without_the_name(self):
        def broken(scores):
            return scores["no such key"]

        def nameless(scores):
            raise NPError("something is wrong")

        none = Kind("None", lambda a: {}, REFUSED)
        clean = odd_calls.Call("f", broken, {"scores": odd_calls.S0}, {"scores": "scores"})
        assert fault_of(clean, "scores", none, None).startswith("KeyError")
        assert fault_of(dataclasses.replace(clean, function=nameless), "scores", none, None).startswith(
            "does not name scores"
        )

    def test_a_warning_of_numpy_is_a_fault(self):
        kind = Kind("same", lambda a: a, "equal")
        call = odd_calls.Call(
            "f", lambda scores: float(np.log(0.0 * scores).sum()), {"scores": np.ones(3)}, {"scores": "scores"}
        )
        assert fault_of(call, "scores", kind, -np.inf).startswith("RuntimeWarning")

    def test_a_case_without_end_is_a_fault(self, monkeypatch):
        def endless(scores):
            while True:
                pass

        monkeypatch.setitem(globals(), "SECONDS", 0.05)
        call = odd_calls.Call("f", endless, {"scores": 1}, {"scores": "scores"})
        assert fault_of(call, "scores", Kind("same", lambda a: a, "equal"), None).startswith("took more than")
