"""The table of scoring methods: what the registry knows of each, and one line on when to take it."""

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
        Rows that it is comfortable with.
    when : str
        When to take it.
    """

    shape: str
    rows: str
    when: str


SMALL, MIDDLE, LARGE = "thousands (a matrix of all pairs of rows)", "tens of thousands", "millions"

GENERAL = {
    "logistic": Advice("linear", LARGE, "the first to try; few columns, no penalty to choose"),
    "penlog": Advice("linear", MIDDLE, "many columns, few of which matter; more columns than rows"),
    "lda": Advice(
        "linear", LARGE, "classes roughly Gaussian with one covariance; small samples, since little is estimated"
    ),
    "qda": Advice("quadratic", LARGE, "classes roughly Gaussian with different covariances; many rows a column"),
    "slda": Advice("linear", MIDDLE, "as lda, with more columns than rows"),
    "nb": Advice("quadratic", LARGE, "very few class 0 rows, columns roughly independent within a class"),
    "nnb": Advice("curved", MIDDLE, "as nb, columns far from Gaussian"),
    "svm": Advice("linear or curved", MIDDLE, "smooth curved boundaries, columns on comparable scales"),
    "knn": Advice("curved", MIDDLE, "few columns, boundaries of any shape; its tied scores cost power"),
    "tree": Advice("curved", LARGE, "a rule that can be read; few distinct scores, whose ties cost power"),
    "randomforest": Advice(
        "curved", MIDDLE, "interactions without tuning; with rare class 0 raise `min_samples_leaf`, or scores tie at 1"
    ),
    "ada": Advice("curved", MIDDLE, "as in the R package; otherwise gradientboosting"),
    "averaged": Advice(
        "as its scorer", MIDDLE, "one threshold for many copies of any method; unsteady ones such as trees"
    ),
    "gradientboosting": Advice("curved", LARGE, "many rows, interactions, missing values"),
}
TRAINED = {
    "npsvm": Advice("linear or curved", SMALL, "outliers, and one level alpha that matters; no grid of cost ratios"),
    "constrained": Advice(
        "linear", MIDDLE, "a convex problem with a certificate; constraints on signs, norms or groups of rows"
    ),
    "onpsvm": Advice("linear or curved", LARGE, "data beyond memory (`partial_fit`), very many columns"),
    "onpnet": Advice("curved", LARGE, "as onpsvm where a line is not enough"),
    "acsvm": Advice("linear or curved", MIDDLE, "the classical peer: a grid of two costs, slow"),
    "gen": Advice(
        "linear or curved",
        "millions without a kernel, thousands with one",
        "only two means and covariances are trusted",
    ),
    "parzen": Advice("curved", SMALL, "few columns, densities of any shape"),
    "svmperf": Advice("linear", MIDDLE, "the number of rows called class 1 is fixed beforehand"),
    "sparselogit": Advice(
        "linear or curved", MIDDLE, "probabilities are needed near one threshold only; few support vectors"
    ),
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
    "take it for",
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
