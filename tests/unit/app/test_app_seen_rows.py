"""nproc.app: which rows the page recognises after their band has been seen, and what it says then."""

import html

import numpy as np
import pandas as pd
import pytest
from fitted_page import fitted, plan_of

from nproc.app.data import make_plan
from nproc.app.page import fitted as fitted_box
from nproc.app.page import page, plainly, status, too_late
from nproc.app.parts import State
from nproc.app.results import draw
from nproc.app.seen_rows import same_rows, share_rows
from nproc.errors import NPWarning

SEEN = "x,z,sex,y\n1.5,3,m,a\n-0.0,4,f,b\n,6,f,b\n7,1,m,\n"


@pytest.mark.parametrize(
    "content",
    [
        SEEN,
        "x;z;sex;y\n1,5;3;m;a\n0,0;4,0;f;b\n;6;f;b\n7;1;m;\n",
        "sex,z,y,x\nf,6,b,\nm,3,a,1.50\nf,4.0,b,0\n",
        "nr,x,z,sex,y\n1,1.5,3,m,a\n2,0,4,f,b\n3,,6,f,b\n",
        "x,sex,y\n1.5,m,a\n0,f,b\n,f,b\n",
    ],
    ids=["again", "semicolons and decimal commas", "another order, no row without label", "a column more", "one less"],
)
def test_rows_are_known_again_in_any_file_that_has_their_values(upload, content):
    assert same_rows(upload(SEEN).marks_of_rows("y"), upload(content, "other.csv").marks_of_rows("y"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1.5,3", "1.6,3"),
        ("3,m,a", "3,m,b"),
        ("x,z", "w,z"),
        ("7,1,m,\n", "7,1,m,a\n"),
        ("1.5,3,m,a\n-0.0,4", "-0.0,3,m,a\n1.5,4"),
    ],
    ids=["a value", "a label", "a name", "a row", "values change places"],
)
def test_rows_of_other_values_labels_or_names_are_others(upload, old, new):
    marks = upload(SEEN).marks_of_rows("y")
    assert old in SEEN
    assert not same_rows(marks, upload(SEEN.replace(old, new)).marks_of_rows("y"))
    # and so is another label column
    assert not same_rows(marks, upload(SEEN).marks_of_rows("sex"))


def test_the_first_fit_of_rows_counts_whatever_file_they_come_from(upload):
    table = pd.DataFrame({"x": np.arange(200) % 17, "z": np.arange(200) % 13 + 0.5, "y": np.repeat(["a", "b"], 100)})
    wider = table.assign(w=np.arange(200) % 5)
    files = [
        table.to_csv(index=False),
        wider.to_csv(index=False, sep=";", decimal=","),
        wider.drop(columns="x").sample(frac=1, random_state=1).to_csv(index=False),
    ]
    plans = [
        make_plan(
            upload(content),
            label="y",
            class0="a",
            features=["z"],
            methods=["lda"],
            n_splits=1,
            alpha=alpha,
            delta=0.05,
            seed=1,
        )
        for content, alpha in zip(files, (0.1, 0.2, 0.3), strict=True)
    ]
    state = State()
    for plan in map(state.after_seen, plans):
        assert plan.changed == {0.1: (), 0.2: ("alpha",), 0.3: ("alpha", "order of the rows")}[plan.alpha]
        assert not plan.resembles
        state.remember(plan)
    state.close()


def patients(seed, n=480):
    """A table as a clinic has it: measurements, counts, and columns of a few values; some cells are codes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    table = pd.DataFrame(
        {
            "nr": np.arange(1, n + 1),
            "age": rng.integers(30, 90, n),
            "sex": rng.choice(["f", "m"], n),
            "grade": rng.integers(1, 5, n),
            "glucose": (90 + 20 * y + 15 * rng.normal(size=n)).round(),
            "crp": rng.lognormal(1 + y, 1, n).round(1),
            "bmi": rng.normal(27, 4, n).round(1),
            "outcome": np.where(y == 1, "relapse", "none"),
        }
    )
    coded = rng.choice(n, 25, replace=False)
    table.loc[coded[:12], "glucose"] = 999
    table.loc[coded[8:20], "crp"] = -9
    table.loc[coded[18:], "bmi"] = 999
    return table


def coarse(seed, n=480):
    return patients(seed, n)[["sex", "grade", "outcome"]]


def plan_of_table(upload, table, **more):
    source = upload(table.to_csv(index=False))
    settings = {"label": "outcome", "class0": "relapse", "methods": ["lda"], "alpha": 0.1, **more}
    return plan_of(source, source.likely_predictors(settings["label"]), **settings)


@pytest.fixture
def visit():
    state = State()
    yield state
    state.close()


def seen(state, plan):
    """The plan as the page fits it, after which its band is on the screen."""
    plan = state.after_seen(plan)
    state.remember(plan)
    return plan


def all_told(result):
    """What the page says of a fit: the box of the level, the sentences in plain words, and what goes into files."""
    method, level = result.plan.methods[0], result.planned()
    fit, values = result.classifier(level, method), result.band(method).at(level.alpha)
    shown = status(result, level, method, values, fit), plainly(result, level, values, fit), fitted_box(result)
    return *(html.unescape(str(box)) for box in shown), " ".join(fit.caveats)


def test_patients_whose_codes_were_emptied_after_a_band_are_recognised_and_other_settings_have_no_guarantee(
    upload, visit
):
    table = patients(1)
    assert seen(visit, plan_of_table(upload, table)).changed == ()
    emptied = table.replace({"glucose": 999, "crp": -9, "bmi": 999}, np.nan)
    assert 20 <= (emptied.isna().any(axis=1)).sum() <= 25
    other = seen(visit, plan_of_table(upload, emptied, methods=["nb"], alpha=0.2, omit=True))
    assert set(other.changed) == {"methods", "alpha", "rows with missing values", "content of the table"}
    with pytest.warns(NPWarning, match="left out 25 of 480 rows"):
        box, _, around, caveats = all_told(fitted(other))
    late = (
        "methods, alpha, rows with missing values and content of the table changed after a band of these rows was seen"
    )
    assert f"<b>not guaranteed</b> because {late}." in box
    assert "keeps its guarantee" not in around
    assert "content of the table were changed after a band of these rows was seen" in caveats
    # the table itself is a choice, too
    same = seen(visit, plan_of_table(upload, emptied[~emptied.isna().any(axis=1)]))
    assert same.changed == ("content of the table",)
    result = fitted(same)
    title = draw(result, result.planned()).axes[0].get_title(loc="left")
    assert title == "Nothing in this picture is guaranteed:\nthe table was changed after a band was seen."
    assert same.unmet == ["if these settings and the table had been fixed before the first fit"]


def one_label(table):
    first, *others = table["outcome"]
    return table.assign(outcome=["none" if first == "relapse" else "relapse", *others])


def some_labels(table):
    return table.assign(outcome=np.where(table.index % 10, table["outcome"], "none"))


def dropped(table):
    return table[np.arange(len(table)) % 4 > 0]


def joined(table):
    return pd.concat([table, patients(2)])


def units(table):
    return table.assign(glucose=table["glucose"] / 18, crp=table["crp"] / 10)


def one_cell_in_each_row(table):
    names = ["crp", "bmi", "age"]
    return table.assign(**{name: table[name].where(table.index % 3 != k, 1) for k, name in enumerate(names)})


def renamed(table):
    return table.rename(columns={"crp": "CRP", "age": "years"}).drop(columns="sex")


def sorted_and_rounded(table):
    return table.sort_values("glucose").assign(bmi=table["bmi"].round())


CORRECTIONS = [one_label, some_labels, dropped, joined, units, one_cell_in_each_row, renamed, sorted_and_rounded]


@pytest.mark.parametrize("correct", CORRECTIONS)
def test_corrected_tables_are_recognised(upload, visit, correct):
    table = patients(1)
    seen(visit, plan_of_table(upload, table))
    corrected = correct(table)
    plan = seen(visit, plan_of_table(upload, corrected, seed=9))
    assert "seed" in plan.changed
    # where columns were only renamed, those that are left have not changed
    assert ("content of the table" in plan.changed) is (correct is not renamed)
    # and so is a correction of the correction
    assert "seed" in visit.after_seen(plan_of_table(upload, dropped(corrected), seed=9)).changed


@pytest.mark.parametrize(
    "part",
    [lambda table: table[:50].drop(columns="crp"), lambda table: table[:60].assign(site=1)],
    ids=["a column less", "a column more"],
)
@pytest.mark.parametrize("step", [1, -1], ids=["after the table", "before it"])
def test_a_few_rows_of_a_table_are_recognised_with_other_columns(upload, visit, part, step):
    first, second = [patients(1), part(patients(1))][::step]
    seen(visit, plan_of_table(upload, first))
    assert "content of the table" in visit.after_seen(plan_of_table(upload, second)).changed


@pytest.mark.parametrize(
    "fixed",
    [
        lambda rng, table: (table["bmi"].rank(method="first") - 1) / (len(table) - 1),
        lambda rng, table: rng.permutation(np.linspace(0.5, 9.7, len(table))),
        lambda rng, table: np.arange(len(table)) / 4,
    ],
    ids=["ranks", "doses", "times"],
)
def test_other_patients_are_not_taken_for_those_of_before_by_one_column_of_fixed_values(upload, visit, fixed):
    rng = np.random.default_rng(0)
    for seed in range(1, 5):
        table = patients(seed)
        plan = seen(visit, plan_of_table(upload, table.assign(fixed=fixed(rng, table))))
        assert (plan.changed, plan.unmet, plan.resembles) == ((), [], seed > 1)


@pytest.mark.parametrize("form", [patients, coarse])
def test_other_patients_with_the_same_columns_keep_their_guarantee_if_no_band_of_them_was_seen(upload, visit, form):
    first = seen(visit, plan_of_table(upload, form(1)))
    assert not first.resembles
    for seed in range(2, 12):
        # a larger table, too
        plan = seen(visit, plan_of_table(upload, form(seed, 480 * (1 + seed % 2)), alpha=0.2, methods=["nb"]))
        assert (plan.changed, plan.unmet, plan.resembles) == ((), [], True)


def test_where_rows_cannot_be_recognised_the_proof_is_said_to_need_that_none_was_seen(upload, visit):
    table = patients(1)
    # nothing tells these rows from those of other patients
    others = table.assign(**{name: table[name] / 7 for name in ("age", "glucose", "crp", "bmi")})
    alone = seen(visit, plan_of_table(upload, table))
    with pytest.warns(NPWarning, match="code for a missing value"):
        assert "was seen before" not in "".join(all_told(fitted(alone)))
    plan = seen(visit, plan_of_table(upload, others, alpha=0.2))
    assert (plan.changed, plan.resembles) == ((), True)
    box, plain, around, caveats = all_told(fitted(plan))
    unseen = "if no band of these rows was seen before"
    assert f"<b>proved</b>, {unseen}." in box
    assert f"confidence, {unseen}." in plain
    for said in (around, caveats):
        assert f"What is proved here is proved {unseen}." in said
    assert too_late(plan).startswith("If no band of these rows was seen before, this result keeps its guarantee.")
    # the same table again is recognised, and the condition stays
    again = visit.after_seen(plan_of_table(upload, others, alpha=0.2))
    assert (again.changed, again.resembles) == ((), True)
    assert visit.after_seen(plan_of_table(upload, others, alpha=0.3)).changed == ("alpha",)
    # a table with other columns is another problem
    other = patients(2).rename(columns={"grade": "stage"})
    assert not visit.after_seen(plan_of_table(upload, other)).resembles


def test_few_coarse_columns_are_recognised_if_nothing_in_them_is_changed(upload, visit):
    table = coarse(1)
    seen(visit, plan_of_table(upload, table))
    assert visit.after_seen(plan_of_table(upload, table.sort_values("sex"), alpha=0.2)).changed[:1] == ("alpha",)
    plan = visit.after_seen(plan_of_table(upload, one_label(table), alpha=0.2))
    assert (plan.changed, plan.resembles) == ((), True)
    # with a column less or more it could be the same table as well
    for other in (one_label(table).drop(columns="sex"), one_label(table).assign(site=table.index % 2)):
        plan = visit.after_seen(plan_of_table(upload, other, alpha=0.2))
        assert (plan.changed, plan.resembles) == ((), True)


@pytest.mark.parametrize(
    ("names", "changed"),
    [
        (["crp", "bmi"], ["crp"]),
        (["crp", "bmi", "glucose"], ["crp", "glucose"]),
        (["crp", "age", "grade"], ["age", "grade"]),
    ],
)
def test_rows_of_which_fewer_than_two_columns_keep_their_values_are_not_recognised_as_the_page_says(
    upload, visit, names, changed
):
    table = patients(1)[[*names, "outcome"]]
    seen(visit, plan_of_table(upload, table))
    plan = visit.after_seen(plan_of_table(upload, table.assign(**{name: table[name] * 7 for name in changed}), seed=9))
    assert (plan.changed, plan.resembles) == ((), True)
    assert "if fewer than two columns that can predict keep their values" in str(page())


@pytest.mark.parametrize("n_values", [2, 30, 300, 3000, 10**6])
@pytest.mark.parametrize("n_other", [60, 600, 6000])
def test_independent_samples_share_no_more_rows_than_by_chance_whatever_their_laws(n_values, n_other):
    rng = np.random.default_rng(n_values + n_other)

    def drawn(n):
        return rng.integers(0, n_values, n), np.floor(rng.exponential(n_values / 10, n))

    for _ in range(100):
        for one in drawn(600):
            for other in drawn(n_other):
                assert not share_rows(one.astype(np.uint64), other.astype(np.uint64))
