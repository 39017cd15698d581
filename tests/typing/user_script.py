"""What a user of the package writes, for type checkers: mypy and pyright find nothing in it."""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import nproc as package
from nproc import NPClassifier, NPFit, NPROCBand, NPROCDisplay, certify, compare, npc, nproc, nproc_bands, roc_cv
from nproc.bands import AlphaChoice
from nproc.comparison import compare_procedures
from nproc.datasets import load_breast_cancer_np
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.fits import vote_bound
from nproc.groups import NPGroupFit, np_group_thresholds
from nproc.planning import supported_levels
from nproc.simulate import simulation1
from nproc.solvers import solve_uzawa
from nproc.tuning import RatioChoice

cancer = load_breast_cancer_np()
fit: NPFit = npc(cancer.X, cancer.y, "lda", alpha=0.1, class0="malignant", n_splits=11, random_state=1)
labels: NDArray[np.str_] = fit.predict(cancer.X)
print(fit, fit.thresholds.max(), fit.type1_uppers[0] <= fit.alpha, fit.votes(cancer.X).mean())
print(fit.summary().as_text(), fit.to_frame().shape, fit.evaluate(cancer.X, cancer.y).type1)
stricter = fit.with_levels(alpha=0.05)
fit.plot().set_title("left-out scores")

band: NPROCBand = nproc(cancer.X, cancer.y, RandomForestClassifier(n_estimators=50), class0="malignant", delta=0.1)
choice: AlphaChoice = band.choose_alpha(type2_max=0.2)
classifier = band.classifier(choice)
ax = band.plot(alpha=0.1, label="forest")
ax.set_xlim(0, 0.3)

pipeline = make_pipeline(StandardScaler(), LogisticRegression())
bands = nproc_bands(cancer.X, cancer.y, {"forest": RandomForestClassifier(), "logistic": pipeline}, class0="malignant")
result = compare(bands)
best: str | None = result.best_at(0.1, fallback="estimate")
print(result.summary(), compare_procedures(cancer.X, cancer.y, ["lda", "svm"], class0="malignant").to_frame())
NPROCDisplay.from_predictions(np.array([0, 1]), [0.2, 0.7])
roc_cv(cancer.X, cancer.y, "lda", class0="malignant").plot(ax=ax)

sample = simulation1(500, random_state=np.random.default_rng(1))
model = NPClassifier("svm", alpha=0.1, method_params={"C": 10}).fit(sample.X, sample.y)
margins: NDArray[np.float64] = model.decision_function(sample.X)
threshold = package.np_threshold(margins[sample.y == 0], alpha=0.05, delta=0.05, ties="randomize")
print(threshold.value + 1, threshold.order * 2, package.np_order(100, 0.05, 0.05), vote_bound(11, 0.05).type1_upper)
groups = np_group_thresholds(margins, np.repeat(["a", "b"], 250), alpha=0.2, delta=0.2)
by_group = npc(sample.X, sample.y, groups=np.repeat(["a", "b"], 250), alpha=0.2)
if isinstance(by_group, NPGroupFit):
    print(by_group.group_values, groups.used[0].value)


def trained(X: NDArray[np.float64]) -> NDArray[np.float64]:
    return X[:, 0]


try:
    npc(sample.X, sample.y, trained, prefit=True)
    certify(fit, cancer.X, class0="malignant")
except (TooFewSamplesError, InvalidInputError) as error:
    print(error)
ratio = nproc(sample.X, sample.y, "lda", split_ratio="adaptive").ratio_choice
if isinstance(ratio, RatioChoice):
    npc(sample.X, sample.y, "logistic", split_ratio=ratio)
path: Path = package.save(fit, Path(mkdtemp()) / "fit.npc")
law = supported_levels(100, alpha=0.05).law
# rooms are attributes of the package
n0: int = package.planning.plan_class0(0.05).n0
print(
    package.solvers.solve_uzawa is solve_uzawa,
    package.q_values(margins, sample.y).max(),
    None if law is None else law.price,
)
