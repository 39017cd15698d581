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
    assert imread(tmp_path / "c.png").shape[:2] == (800, 670)


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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--order", "day"], "--order and --clusters are columns of --data"),
        (["--new", "new.csv"], "give --label"),
        (["--data", "new.csv", "--label", "ill"], "labels of the rows of the fit"),
        (["--data", "train.csv", "--label", "ill", "--order", "week"], "week"),
        (
            ["--data", "train.csv", "--label", "ill", "--order", "ill"],
            "error: --order ill holds neither numbers nor dates; name",
        ),
        (["--level", "2"], "level must lie"),
    ],
)
def test_what_does_not_go_together_is_refused(call, words, message):
    code, _, err = call("model.joblib", *words)
    assert code == 2
    assert message in err
    assert "infer format" not in err
