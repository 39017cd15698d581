"""Models whose numbers lead compiled code out of bounds, as somebody could put into a file that others load.

As a script, saves, loads and uses each of them in a folder, and says what came of it.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.svm import SVC, NuSVC
from tampered_files import tell, use

from nproc import npc, save

FAR = 50_000_000
Y = np.arange(120) % 2
X = np.random.default_rng(0).normal(size=(120, 4)) + 1.5 * Y[:, None]


def fitted(method, **more):
    return npc(X, Y, method, alpha=0.3, delta=0.3, random_state=1, **more)


def last_step(fit):
    scorer = fit.scorers[0]
    return scorer[-1] if hasattr(scorer, "steps") else scorer


def libsvm(machine, **numbers):
    def make():
        fit = fitted(machine)
        vars(last_step(fit)).update({name: change(last_step(fit)) for name, change in numbers.items()})
        return fit

    return make


def far_support(machine):
    return np.full_like(machine.support_, 2**31 - 1)


def no_vectors(machine):
    return np.zeros((0, 4))


def many(machine):
    return np.full(2, FAR, dtype=np.int32)


def network(method, change):
    def make():
        fit = fitted(method)
        change(last_step(fit)._network)
        return fit

    return make


def wide(state):
    state.sizes = np.array([4, FAR // 10, 1])


def short(state):
    state.theta, state.sizes = state.theta[:1], np.array([4, 100_000, 1])


def narrow(state):
    state.sizes = np.array([100_000, 10, 1])


def run(**numbers):
    """A model whose training goes on from other weights."""

    def make():
        fit = fitted("onpsvm")
        vars(last_step(fit)._run).update(numbers)
        return fit

    return make


def one_hot(**numbers):
    def make():
        fit = fitted(
            make_pipeline(
                FunctionTransformer(np.rint),
                OneHotEncoder(handle_unknown="ignore", sparse_output=False, drop=numbers.pop("drop", None)),
                LogisticRegression(),
            )
        )
        vars(fit.scorers[0][1]).update(numbers)
        return fit

    return make


def neighbours():
    fit = fitted(KNeighborsClassifier(algorithm="brute"))
    fit.scorers[0]._y = np.full_like(fit.scorers[0]._y, FAR)
    return fit


def centres():
    stack = StackingClassifier([("k", KMeans(3, n_init=1))], LogisticRegression(), cv="prefit", stack_method="predict")
    stack.estimators[0][1].fit(X)
    fit = fitted(stack.fit(X, Y), prefit=True)
    centred = fit.scorers[0].estimators_[0]
    centred.cluster_centers_ = np.ones((3, 1))
    return fit


MODELS = {
    "no support vectors": libsvm("svm", support_vectors_=no_vectors),
    "no support vectors, of many": libsvm("svm", support_vectors_=no_vectors, _n_support=many),
    "more of them than there are": libsvm(NuSVC(), support_vectors_=no_vectors, _n_support=many, support_=far_support),
    "no dual weights": libsvm("svm", _dual_coef_=lambda _: np.zeros((1, 0))),
    "no intercept": libsvm("svm", _intercept_=lambda _: np.zeros(0)),
    "many classes": libsvm("svm", _n_support=lambda _: np.ones(5000, dtype=np.int32), support_vectors_=no_vectors),
    "far rows of a given kernel": libsvm(
        SVC(), kernel=lambda _: "precomputed", support_=far_support, shape_fit_=lambda _: (4, 4)
    ),
    "a kernel of another size": libsvm(SVC(), kernel=lambda _: np.add, support_=far_support),
    "short weights of a network": network("onpnet", short),
    "wide layers of a network": network("onpnet", wide),
    "many columns of a network": network("qnet", narrow),
    "more weights than columns": run(_v=np.zeros(1_000_000)),
    "a run without a state": run(_state=np.zeros(0)),
    "few columns of categories": one_hot(_n_features_outs=[0, 0, 0, 0]),
    "a category dropped far away": one_hot(
        drop="first", _drop_idx_after_grouping=np.array([-FAR, 0, 0, 0], dtype=object)
    ),
    "labels of neighbours": neighbours,
    "short centres": centres,
}


if __name__ == "__main__":
    for name, make in MODELS.items():
        tell(f"{name}: ")
        tell(" ".join(use(save(make(), Path(sys.argv[1]) / "model.skops"), X[:20]).split()) + "\n")
