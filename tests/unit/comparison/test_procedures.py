"""Tests of `nproc.comparison.procedures`: the corrected t test, and procedures on the same splits."""

import pickle

import numpy as np
import pytest
from matplotlib.colors import same_color
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from nproc import np_order, nproc
from nproc.comparison import compare_procedures
from nproc.comparison.procedures import corrected_t
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.simulate import logistic_world


@pytest.fixture(scope="module")
def sample():
    return logistic_world(600, random_state=3)


@pytest.fixture(scope="module")
def result(sample):
    return compare_procedures(
        sample.X, sample.y, ["lda", "tree", "nb"], alpha=[0.1, 0.3], n_splits=5, class0=0, random_state=4
    )


def test_the_summary_says_so_where_splits_are_few(sample, result):
    assert "5 splits are few" in " ".join(str(result.summary()).split())
    many = compare_procedures(sample.X, sample.y, ["lda", "nb"], alpha=0.2, n_splits=10, random_state=1)
    assert "splits are few" not in " ".join(str(many.summary()).split())


def test_the_corrected_variance_is_that_of_nadeau_and_bengio():
    values = np.array([0.1, 0.3, 0.2, 0.15])
    mean, std_error, lower, upper, p_value = corrected_t(values, 0.25, 0.9)
    assert mean == pytest.approx(0.1875)
    assert std_error == pytest.approx(np.sqrt((1 / 4 + 0.25) * values.var(ddof=1)))
    half = stats.t.ppf(0.95, 3) * std_error
    np.testing.assert_allclose([lower, upper], [mean - half, mean + half])
    assert p_value == pytest.approx(2 * stats.t.sf(mean / std_error, 3))


def test_without_correction_it_is_the_one_sample_t_test():
    values = np.random.default_rng(0).normal(0.1, 1, size=9)
    assert corrected_t(values, 0.0, 0.95)[4] == pytest.approx(stats.ttest_1samp(values, 0).pvalue)


def test_differences_that_do_not_vary_say_nothing():
    mean, std_error, lower, upper, p_value = corrected_t(np.full(5, 0.2), 1.0, 0.95)
    assert (float(mean), float(std_error), float(lower), float(upper), float(p_value)) == pytest.approx(
        (0.2, 0, -1, 1, 1)
    )


def test_type_2_errors_are_those_of_the_bands_on_the_same_splits(sample, result):
    for k, method in enumerate(result.names):
        band = nproc(sample.X, sample.y, method, n_splits=5, class0=0, random_state=4)
        for j, alpha in enumerate(result.alpha):
            assert result.type2[:, k, j].mean() == pytest.approx(band.at(alpha).type2)
            assert np_order(band.n0_left_out, alpha, 0.05) == band.at(alpha).order


def test_differences_are_all_pairs_at_all_levels_with_adjusted_p_values(result):
    found = [(d.first, d.second, d.alpha) for d in result.differences]
    pairs = [("lda", "tree"), ("lda", "nb"), ("tree", "nb")]
    assert found == [(*pair, alpha) for pair in pairs for alpha in (0.1, 0.3)]
    for d in result.differences:
        assert d.lower <= d.difference <= d.upper
        assert d.p_value <= d.p_adjusted <= 1
    assert result.n_train + result.n_left_out == 600
    tree = result.differences[1]
    assert tree.difference < 0


def test_one_seed_gives_one_result_for_any_number_of_jobs(sample):
    runs = [
        compare_procedures(sample.X, sample.y, ["lda", "nb"], alpha=0.2, n_splits=3, random_state=1, n_jobs=n_jobs)
        for n_jobs in (1, 2)
    ]
    np.testing.assert_array_equal(runs[0].type2, runs[1].type2)


def test_methods_may_be_objects_and_have_names_and_parameters(sample):
    own = {"plain": LinearDiscriminantAnalysis(), "neighbours": "knn"}
    found = compare_procedures(
        sample.X,
        sample.y,
        own,
        alpha=0.2,
        n_splits=3,
        random_state=1,
        method_params={"neighbours": {"n_neighbors": 9}},
    )
    assert found.names == ("plain", "neighbours")


def test_every_text_says_that_it_is_approximate_and_about_procedures(result):
    for text in (repr(result), " ".join(str(result.summary()).split()), result._repr_html_()):
        assert "approximate" in text
        assert "procedures" in text
    assert "Nadeau and Bengio" in str(result.summary())
    assert list(result.to_frame().columns)[:3] == ["first", "second", "alpha"]
    assert len(result.to_frame()) == 6
    again = pickle.loads(pickle.dumps(result))
    assert again.differences == result.differences


def test_the_picture_has_a_row_for_each_difference_and_says_approximate(result):
    ax = result.plot()
    assert len(ax.get_yticks()) == 6
    assert "approximate" in ax.get_title(loc="right")
    points = [line for line in ax.lines if str(line.get_gid()).endswith("point")]
    filled = [not same_color(point.get_markerfacecolor(), ax.get_facecolor()) for point in points]
    assert filled == [d.p_adjusted <= 0.05 for d in result.differences]


def test_the_picture_calls_pipelines_by_their_last_step_unless_the_user_named_them(sample):
    trees = [
        make_pipeline(StandardScaler(), tree(max_depth=2)) for tree in (DecisionTreeClassifier, ExtraTreeClassifier)
    ]
    own = ["StandardScaler+DecisionTreeClassifier", "StandardScaler+ExtraTreeClassifier"]
    chosen = dict(zip(["Scaler+one", "Scaler+other"], trees, strict=True))
    for methods, names, shown in (
        (trees, own, "A: DecisionTreeClassifier B: ExtraTreeClassifier"),
        (chosen, list(chosen), "A: Scaler+one; B: Scaler+other"),
    ):
        found = compare_procedures(sample.X, sample.y, methods, alpha=0.2, n_splits=2, class0=0, random_state=1)
        assert list(found.names) == names
        # so narrow that letters stand for the names
        title = found.plot(figsize=(2.5, 2)).get_title(loc="right")
        assert " ".join(title.split()).startswith(shown)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"methods": None}, "methods must be a list or dict of at least two methods, got None"),
        ({"methods": "lda"}, "methods must be a list or dict of at least two methods, got 'lda'"),
        ({"methods": ["lda"]}, r"at least two methods, got \['lda'\]"),
        ({"methods": ["lda", "lda"]}, "methods must have different names, got 'lda' twice"),
        (
            {"methods": [("a", "lda"), ("b", "nb")]},
            r"pairs of a name .* got \('a', 'lda'\). Give a dict, .*{'a': method}",
        ),
        ({"n_splits": 1}, "n_splits must be"),
        ({"split_ratio": "adaptive"}, r"split_ratio must be a number in \(0, 1\), got"),
        ({"level": 1.0}, "level must lie strictly between 0 and 1"),
        ({"alpha": [0.1, 1.0]}, "alpha must"),
        ({"method_params": {"svm": {"C": 1}}}, "method_params has 'svm', which is not one of the methods"),
        ({"method_params": {"lda": 3}}, "method_params must be a dict that gives the parameters"),
    ],
)
def test_bad_arguments_are_refused(sample, arguments, message):
    given = {"methods": ["lda", "nb"], "alpha": 0.2, "random_state": 0} | arguments
    with pytest.raises(InvalidInputError, match=message):
        compare_procedures(sample.X, sample.y, **given)


def test_too_few_rows_of_either_class_are_an_error(sample):
    with pytest.raises(TooFewSamplesError, match=r"cannot meet alpha=0\.001"):
        compare_procedures(sample.X, sample.y, ["lda", "nb"], alpha=[0.2, 0.001], random_state=0)
    rows = np.r_[np.flatnonzero(sample.y == 0), np.flatnonzero(sample.y == 1)[:1]]
    with pytest.raises(TooFewSamplesError, match="of 1 class 1 rows leaves"):
        compare_procedures(sample.X[rows], sample.y[rows], ["lda", "nb"], alpha=0.2, class0=0, random_state=0)
