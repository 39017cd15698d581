"""The table of scoring methods: what the registry knows of each, and one line on when to use it."""

from __future__ import annotations

from dataclasses import dataclass

from sitegen.markdown import table


@dataclass(frozen=True)
class Advice:
    """What the registry does not know about a method.

    Attributes
    ----------
    shape : str
        Set of rows that are called class 1: 'linear', 'quadratic', 'curved', or 'linear or curved' with a kernel.
    rows : str
        Number of rows that it can handle in reasonable time.
    when : str
        When to use it.
    """

    shape: str
    rows: str
    when: str


SMALL, MIDDLE, LARGE = "thousands (a matrix of all pairs of rows)", "tens of thousands", "millions"

GENERAL = {
    "logistic": Advice("linear", LARGE, "a first try; few columns, no penalty to choose"),
    "penlog": Advice("linear", MIDDLE, "many columns, few of which matter; more columns than rows"),
    "lda": Advice(
        "linear", LARGE, "classes roughly Gaussian with one covariance; small samples, since little is estimated"
    ),
    "qda": Advice("quadratic", LARGE, "classes roughly Gaussian with different covariances; many rows for each column"),
    "slda": Advice("linear", MIDDLE, "like lda, with more columns than rows"),
    "nb": Advice("quadratic", LARGE, "very few class 0 rows, columns roughly independent within a class"),
    "nnb": Advice("curved", MIDDLE, "like nb, with columns far from Gaussian"),
    "svm": Advice("linear or curved", MIDDLE, "smooth curved boundaries, columns on comparable scales"),
    "knn": Advice(
        "curved", MIDDLE, "few columns, boundaries of any shape; its scores tie, which increases the type II error"
    ),
    "tree": Advice("curved", LARGE, "a rule that can be read; its scores tie, which increases the type II error"),
    "randomforest": Advice(
        "curved", MIDDLE, "interactions without tuning; raise `min_samples_leaf` if class 0 is rare, or scores tie at 1"
    ),
    "ada": Advice("curved", MIDDLE, "results like those of the R package; otherwise use gradientboosting"),
    "averaged": Advice(
        "as its scorer", MIDDLE, "one threshold for many copies of a method; unstable methods such as trees"
    ),
    "gradientboosting": Advice("curved", LARGE, "many rows, interactions, missing values"),
}
TRAINED = {
    "npsvm": Advice("linear or curved", SMALL, "data with outliers, and one level alpha; no grid of cost ratios"),
    "constrained": Advice(
        "linear", MIDDLE, "a convex problem with a certificate; constraints on signs, norms or groups of rows"
    ),
    "onpsvm": Advice("linear or curved", LARGE, "data larger than memory (`partial_fit`), very many columns"),
    "onpnet": Advice("curved", LARGE, "data as for onpsvm, with curved boundaries"),
    "acsvm": Advice("linear or curved", MIDDLE, "a comparison with the classical method: a slow search over two costs"),
    "gen": Advice(
        "linear or curved",
        "millions without a kernel, thousands with one",
        "data of which only the means and covariances are trusted",
    ),
    "parzen": Advice("curved", SMALL, "few columns, densities of any shape"),
    "svmperf": Advice("linear", MIDDLE, "a number of rows called class 1 that is fixed beforehand"),
    "sparselogit": Advice("linear or curved", MIDDLE, "probabilities near one threshold only, from a part of the rows"),
    "qsvm": Advice("linear or curved", SMALL, "as many discoveries as a q-value allows, from few rows"),
    "qnet": Advice("curved", LARGE, "as many discoveries as a q-value allows, from many rows"),
}
ADVICE = GENERAL | TRAINED


def tick(flag):
    """Return a word for a flag."""
    return "yes" if flag else "no"


def last_step(estimator):
    """Return the model at the end of a pipeline, or the model itself."""
    return estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator


def method_rows(names, link):
    """Return the rows of the table for some names; `link` turns the name of a class into a link, or into text."""
    from nproc.scorers import get_scorer, scorer_spec

    rows = []
    for name in names:
        spec, advice, estimator = scorer_spec(name), ADVICE[name], get_scorer(name)
        level = "alpha" if spec.follows_alpha else "q" if "q" in spec.parameters else "no"
        rows.append(
            [
                f"`{name}`",
                advice.when,
                advice.shape,
                tick(spec.sparse),
                tick(spec.allow_nan),
                tick(hasattr(estimator, "predict_proba")),
                level,
                f"`{spec.r_name}`" if spec.r_name else "",
                advice.rows,
                link(type(last_step(estimator)).__name__),
            ]
        )
    return rows


HEADER = [
    "name",
    "use it for",
    "rule",
    "sparse X",
    "missing values",
    "`predict_proba`",
    "trains for",
    "in R",
    "rows",
    "model",
]


def method_tables():
    """Return both tables in Markdown; a registered name without advice, or advice without a name, is an error."""
    import nproc
    from nproc.scorers import scorer_names

    unknown = sorted(set(scorer_names()) ^ set(ADVICE))
    if unknown:
        raise ValueError(f"the table of methods and the registry disagree about {unknown}")

    def link(name):
        return f"{{py:class}}`~nproc.{name}`" if hasattr(nproc, name) else name

    counts = (
        f"{len(ADVICE)} names: {len(GENERAL)} that rank rows in general, {len(TRAINED)} that train for the problem."
    )
    return "\n\n".join(
        [
            counts,
            "## Methods that rank rows in general",
            table(HEADER, method_rows(GENERAL, link)),
            "## Methods that train for a bound",
            table(HEADER, method_rows(TRAINED, link)),
        ]
    )
