"""``npc check``: the checks of a saved classifier, with the columns of its table."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread

from nproc import load, npc, save
from nproc.cli import main


def rows(n, seed):
    rng = np.random.default_rng(seed)
    ill = rng.choice(["yes", "no"], n)
    day = pd.date_range("2020-01-01", periods=n).strftime("%Y-%m-%d")
    return pd.DataFrame(
        {"u": rng.normal(size=n) + 1.5 * (ill == "no"), "ill": ill, "day": day, "who": np.arange(n) // 3}
    )


@pytest.fixture
def call(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    train = rows(600, 1)
    save(npc(train[["u"]], train["ill"], "lda", class0="yes", alpha=0.1, random_state=1), "model.joblib")
    train.to_csv("train.csv", index=False)
    rows(300, 2).to_csv("new.csv", index=False)

    def run(*words):
        code = main(["check", *map(str, words)])
        return code, *capsys.readouterr()

    return run


@pytest.mark.slow
def test_the_command_gives_what_the_method_gives(call, tmp_path):
    words = ["--data", "train.csv", "--new", "new.csv", "--label", "ill", "--order", "day", "--clusters", "who"]
    code, out, err = call("model.joblib", *words, "--json", "-", "--plot", "c.png", "--figsize", "3.35x4")
    assert code == 0, err
    train, new = pd.read_csv("train.csv"), pd.read_csv("new.csv")
    wanted = load("model.joblib").check_assumptions(
        new.loc[new["ill"] == "yes", ["u"]],
        order=pd.to_datetime(train["day"]),
        clusters=train["who"],
        X=train[["u"]],
        y=train["ill"],
    )
    found = json.loads(out[out.index("{") :])
    assert [one["p_value"] for one in found["checks"]] == [check.p_value for check in wanted.checks]
    assert len(wanted.made) == 6
    assert found["order"] == wanted.order == "day"
    assert imread(tmp_path / "c.png").shape[:2] == (1200, 1005)


def test_the_clusters_of_new_rows_need_no_rows_of_the_fit(call):
    train, new = pd.read_csv("train.csv"), pd.read_csv("new.csv")
    given = {"clusters": train["who"].to_numpy(), "alpha": 0.1, "random_state": 1}
    save(npc(train[["u"]], train["ill"], "lda", class0="yes", **given), "clusters.joblib")
    new.assign(who=[f"new {name}" for name in new["who"]]).to_csv("new.csv", index=False)
    words = ["clusters.joblib", "--new", "new.csv", "--label", "ill"]
    code, out, err = call(*words, "--clusters", "who", "--json", "-")
    assert code == 0, err
    of_class0 = pd.read_csv("new.csv").query("ill == 'yes'")
    wanted = load("clusters.joblib").check_assumptions(of_class0[["u"]], clusters_new=of_class0["who"].to_numpy())
    found = json.loads(out[out.index("{") :])
    assert [one["p_value"] for one in found["checks"]] == [check.p_value for check in wanted.checks]
    assert "the column 'whose' is not in the data" in call(*words, "--clusters", "whose")[2]


@pytest.mark.slow
def test_new_rows_count_by_the_column_of_clusters_that_is_named_also_where_they_have_that_of_the_fit(call):
    train, new = pd.read_csv("train.csv"), pd.read_csv("new.csv")
    fit = npc(train[["u", "who"]], train["ill"], "lda", class0="yes", clusters="who", alpha=0.1, random_state=1)
    save(fit, "clusters.joblib")
    # families of two, and each in one file
    new = new.assign(who=[f"new {row}" for row in range(len(new))], family=[f"f{row // 2}" for row in range(len(new))])
    new.to_csv("new.csv", index=False)
    words = ["clusters.joblib", "--new", "new.csv", "--label", "ill", "--clusters", "family", "--json", "-"]
    of_class0 = new.query("ill == 'yes'")
    wanted = load("clusters.joblib").check_assumptions(of_class0[["u"]], clusters_new=of_class0["family"].to_numpy())
    for more in ([], ["--na-action", "omit"]):
        code, out, err = call(*words, *more)
        found = json.loads(out[out.index("{") :])
        assert (code, [one["p_value"] for one in found["checks"]]) == (0, [check.p_value for check in wanted.checks])
        assert "one of the new rows counts for each 'family', as --clusters says, and not for each 'who'" in err
        assert "not independent" not in err
    # numbers of families are not those of persons
    numbers = train.assign(who=np.arange(len(train)) // 2)
    save(npc(numbers[["u", "who"]], numbers["ill"], "lda", class0="yes", clusters="who", alpha=0.1), "numbers.joblib")
    new.assign(family=np.arange(len(new)) // 2).to_csv("new.csv", index=False)
    code, out, err = call("numbers.joblib", *words[1:])
    assert (code, "names of clusters of the fit" in out + err) == (0, False)
    said = "The clusters of the new rows are those of 'family', and the fit had those of 'who'. Whether"
    assert said in " ".join(call("numbers.joblib", *words[1:-2])[1].split())
    # nor where the new file lacks the column of the fit
    new.assign(family=np.arange(len(new)) // 2).drop(columns="who").to_csv("new.csv", index=False)
    code, out, err = call("numbers.joblib", *words[1:-2])
    assert (code, "names of clusters of the fit" in out + err, said in " ".join(out.split())) == (0, False, True)
    # other names are those of the fit, whatever their column is called
    texts = train.assign(who=[f"P{row // 2}" for row in range(len(train))])
    save(npc(texts[["u", "who"]], texts["ill"], "lda", class0="yes", clusters="who", alpha=0.1), "texts.joblib")
    new.assign(Who=texts["who"][: len(new)]).to_csv("new.csv", index=False)
    told = "have the names of clusters of the fit (the new clusters come from 'Who', those of the fit from 'who')"
    assert told in call("texts.joblib", *words[1:-4], "--clusters", "Who")[2]
    # visits of one person are not independent
    visits = new.assign(who=new["family"], family=new["who"])
    visits.to_csv("new.csv", index=False)
    assert "share their 'who' with a row of another cluster" in call(*words)[2]


def test_dates_with_points_are_days_first_where_a_day_above_12_shows_it(call):
    train = pd.read_csv("train.csv")
    days = pd.to_datetime(train["day"])
    train.assign(day=days.dt.strftime("%d.%m.%Y")).to_csv("points.csv", index=False)
    words = ["--label", "ill", "--order", "day", "--json", "-", "--data"]
    found = [call("model.joblib", *words, name) for name in ("train.csv", "points.csv")]
    assert [(code, err) for code, _, err in found] == [(0, "")] * 2
    first, second = (json.loads(out[out.index("{") :])["checks"] for _, out, _ in found)
    assert first == second
    train.assign(day="03.05.2024").assign(day=lambda frame: frame["day"].mask(frame.index == 7, "32.01.2024")).to_csv(
        "wrong.csv"
    )
    assert (
        "dates such as 2024-05-03; name a column that does. Row 8 has '32.01.2024'."
        in call("model.joblib", *words, "wrong.csv")[2]
    )


def test_a_model_with_clusters_is_checked_in_the_order_of_a_time_of_each_cluster(call):
    train = rows(600, 1).sample(frac=1, random_state=1).assign(entered=lambda frame: frame["who"] * 10)
    train.to_csv("mixed.csv", index=False)
    fit = npc(train[["u", "who"]], train["ill"], "lda", class0="yes", clusters="who", alpha=0.1, random_state=1)
    save(fit, "clusters.joblib")
    words = ["clusters.joblib", "--data", "mixed.csv", "--label", "ill", "--json", "-", "--order"]
    code, out, err = call(*words, "entered")
    assert code == 0, err
    found = {one["check"]: one for one in json.loads(out[out.index("{") :])["checks"]}
    wanted = fit.check_assumptions(order=train["entered"], X=train[["u", "who"]], y=train["ill"])
    assert found["trend"]["p_value"] == wanted.trend.p_value is not None
    assert "The values of order differ within a cluster" in call(*words, "day")[1]


@pytest.mark.slow
def test_without_files_the_order_of_the_rows_is_checked(call):
    code, out, err = call("model.joblib", "--plot", "c.svg")
    assert code == 0, err
    assert "3 of 6" in out
    assert "Order: the rows" in " ".join(out.split())


def test_an_order_of_digits_with_leading_zeros_is_one_of_numbers(call):
    train = pd.read_csv("train.csv")
    found = []
    for digits in (6, 0):
        ids = [f"{row:0{digits}d}" for row in range(len(train))]
        train.assign(id=ids).to_csv("ids.csv", index=False)
        found.append(call("model.joblib", "--data", "ids.csv", "--label", "ill", "--order", "id"))
    assert found[0] == found[1]
    assert found[0][0] == 0
    # days of 2023 and 2024 by turns, which their digits would put in another order
    days = [f"{1 + row % 28:02d}01{2023 + row % 2}" for row in range(len(train))]
    train.assign(id=days).to_csv("ids.csv", index=False)
    assert call("model.joblib", "--data", "ids.csv", "--label", "ill", "--order", "id")[0] == 2


@pytest.mark.slow
def test_dates_are_read_in_the_order_of_their_country_or_refused_where_that_is_in_doubt(call):
    train, days = pd.read_csv("train.csv"), pd.Timestamp("2024-03-01 08:00") + pd.to_timedelta(range(600), unit="h")
    zoned = [day.isoformat() for day in days.tz_localize("UTC").tz_convert("Europe/Berlin")]
    assert {day[-6:] for day in zoned} == {"+01:00"}
    # summer time begins half way
    zoned[300:] = [day.isoformat() for day in (days[300:] + pd.Timedelta(days=60)).tz_localize("Europe/Berlin")]

    def asked(texts):
        train.assign(day=texts).to_csv("dates.csv", index=False)
        return call("model.joblib", "--data", "dates.csv", "--label", "ill", "--order", "day", "--json", "-")

    wanted = asked(range(600))
    # of January to December, so that no day is above 12, and by turns
    turns = [pd.Timestamp(2000 + row // 144, 1 + row // 12 % 12, 1 + row % 12) for row in range(600)]
    for texts in (
        zoned,
        [f"{day:%d.%m.%Y}" for day in turns],
        [f"{day:%d.%m.%Y %H:%M}" for day in turns],
        [f"{day + pd.Timedelta(days=12):%d/%m/%Y}" for day in turns],
        [f"{day + pd.Timedelta(days=12):%m/%d/%Y}" for day in turns],
    ):
        assert asked(texts) == wanted
    for form in ("%d/%m/%Y", "%d-%m-%Y %H:%M"):
        code, _, err = asked([f"{day:{form}}" for day in turns])
        assert code == 2
        assert "in row 1, of which the day or the month may come first. Write them all as 2024-02-01." in err
    for first, rest, said in (
        ("%Y-%m-%d", "%d.%m.%Y", "dates in several formats; it begins with '2000-01-01'. Write them all as 2024-02-01"),
        ("%d.%m.%Y", "%m.%d.%Y", "dates such as '01.01.2000' in row 1, of which the day or the month may come first"),
    ):
        code, _, err = asked([f"{turns[0]:{first}}", *(f"{day + pd.Timedelta(days=12):{rest}}" for day in turns[1:])])
        assert (code, said in err) == (2, True), err


@pytest.mark.slow
def test_rows_with_gaps_that_the_fit_left_out_are_left_out_of_its_file(call):
    train = rows(600, 3).assign(code=lambda table: (table["ill"] == "no") * 1.0)
    train.loc[[4, 50], "u"] = np.nan
    train.loc[7, "code"] = np.nan
    train.loc[9, "day"] = None
    train.to_csv("gaps.csv", index=False)
    fit = ["gaps.csv", "--label", "code", "--features", "u", "--alpha", "0.1", "--seed", "1", "--na-action", "omit"]
    assert main(["fit", *fit, "--out", "omit.joblib"]) == 0
    words = ["--data", "gaps.csv", "--label", "code", "--clusters", "who", "--json", "-"]
    code, out, err = call("omit.joblib", *words)
    assert code == 0, err
    assert "note: 3 of the 600 rows of gaps.csv have missing values and are left out, as in the fit." in err
    kept = train.dropna(subset=["u", "code"])
    fit = load("omit.joblib")
    wanted = fit.check_assumptions(X=kept[["u"]], y=kept["code"], clusters=kept["who"])
    found = json.loads(out[out.index("{") :])
    assert [one["p_value"] for one in found["checks"]] == [check.p_value for check in wanted.checks]
    assert main(["report", "omit.joblib", *words[:4], "--out", "command.md"]) == 0
    fit.report("python.md", data=(kept[["u"]], kept["code"].astype(int)))
    fit.report("gaps.md", data=(train[["u"]], train["code"].astype("Int64").astype(object)))
    line = "SHA-256 of the rows and labels of the fit: "
    hashes = [Path(f"{name}.md").read_text().split(line)[1].split(".")[0] for name in ("command", "python", "gaps")]
    assert len(set(hashes)) == 1
    # rows count as in the file, whatever is left out before them
    train.astype({"who": object}).mask((train.index == 20)[:, None] & (train.columns == "who")).to_csv("who.csv")
    assert (
        "column of --clusters 'who' has 1 missing value(s), the first in row 21;"
        in call("omit.joblib", "--data", "who.csv", "--label", "code", "--clusters", "who")[2]
    )
    assert (
        "column of --order 'day' has 1 missing value(s), the first in row 10;"
        in call("omit.joblib", "--data", "gaps.csv", "--label", "code", "--order", "day")[2]
    )
    train.assign(day=train["day"].mask(train.index == 30, "soon").fillna("2020-01-09")).to_csv("day.csv")
    words = ["omit.joblib", "--data", "day.csv", "--label", "code", "--order", "day"]
    assert (
        "holds neither numbers nor dates such as 2024-05-03; name a column that does. Row 31 has 'soon'."
        in call(*words)[2]
    )


def test_missing_values_are_told_by_their_first_row_of_the_file_in_every_command(call, capsys):
    gaps = rows(300, 2)
    gaps.loc[gaps.index[gaps["ill"] == "yes"][-9], "u"] = np.nan
    place = int(np.flatnonzero(gaps["u"].isna())[0])
    lines = gaps.to_csv(index=False).splitlines()
    # an empty row before it
    Path("gaps.csv").write_text("\n".join([*lines[:5], ",,,", *lines[5:]]) + "\n")
    fit = npc(rows(600, 1)[["u", "who"]], rows(600, 1)["ill"], "lda", class0="yes", clusters="who", random_state=1)
    save(fit, "clusters.joblib")
    table = ["gaps.csv", "--label", "ill"]
    for words in (
        ["check", "model.joblib", "--new", *table],
        ["certify", "model.joblib", *table],
        ["certify", "clusters.joblib", *table],
        ["predict", "model.joblib", *table],
        ["report", "model.joblib", "--new", *table, "--out", "r.md"],
        ["monitor", "--model", "model.joblib", *table, "--state", "state.json"],
        ["fit", *table, "--features", "u"],
        ["fit", "train.csv", "--label", "ill", "--features", "u", "--test", "gaps.csv"],
        ["bands", *table, "--features", "u"],
        ["compare", *table, "--features", "u", "--method", "lda", "--method", "qda"],
    ):
        assert main(words) == 2, words
        err = capsys.readouterr().err
        assert f", the first in row {place + 2}" in err, (words, err)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--order", "day"], "--order is a column of --data"),
        (["--clusters", "who"], "--clusters is a column of --data"),
        (["--new", "new.csv"], "give --label"),
        (["--data", "new.csv", "--label", "ill"], "labels of the rows of the fit"),
        (["--data", "train.csv", "--label", "ill", "--order", "week"], "week"),
        (
            ["--data", "train.csv", "--label", "ill", "--order", "ill"],
            "error: --order ill holds neither numbers nor dates such as 2024-05-03; name",
        ),
        (["--level", "2"], "level must lie"),
    ],
)
def test_what_does_not_go_together_is_refused(call, words, message):
    code, _, err = call("model.joblib", *words)
    assert code == 2
    assert message in err
    assert "infer format" not in err


@pytest.mark.slow
def test_checks_of_new_rows_are_not_made_on_rows_of_the_fit(call):
    words = ["--data", "train.csv", "--new", "train.csv", "--label", "ill"]
    code, out, _ = call("model.joblib", *words, "--plot", "c.png")
    told = " ".join(out.split())
    assert code == 0
    assert "Not made: new scores, new errors. At least a fifth of the new class 0 rows are likely to be rows of" in told


def test_the_table_of_checks_says_that_new_rows_depend_on_each_other(call):
    rows(300, 2).assign(patient_id=np.arange(300) // 10).to_csv("new.csv", index=False)
    told = " ".join(call("model.joblib", "--new", "new.csv", "--label", "ill")[1].split())
    assert "New rows: The checks of new rows do not hold, because rows of one patient, country or other unit" in told
