"""nproc.persistence: what is saved comes back, and what is not a model says so."""

import json
import os
import pickle
import re
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import nproc
from nproc import NPClassifier, NPROCBand, NPWarning, compare, load, npc, save
from nproc.cli import main
from nproc.comparison import compare_procedures, compare_scores
from nproc.errors import InvalidInputError
from nproc.monitoring import Type1ChangeDetector
from nproc.outputs import MARK
from nproc.serving import linear_rule, score_rule


def sample(n, p=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, p)) + 1.5 * y[:, None], y


@pytest.fixture(scope="module")
def fit():
    return npc(*sample(400), "lda", n_splits=3, random_state=1)


@pytest.mark.slow
def test_another_process_predicts_the_same(fit, tmp_path):
    X, _ = sample(50, seed=9)
    np.save(tmp_path / "X.npy", X)
    save(fit, tmp_path / "model.joblib")
    code = (
        "import sys, numpy as np, nproc\n"
        "fit = nproc.load(sys.argv[1] + '/model.joblib')\n"
        "np.save(sys.argv[1] + '/scores.npy', fit.decision_function(np.load(sys.argv[1] + '/X.npy')))\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=300)
    np.testing.assert_array_equal(np.load(tmp_path / "scores.npy"), fit.decision_function(X))


def test_an_estimator_and_a_band_come_back(tmp_path):
    X, y = sample(400)
    estimator = NPClassifier("lda", alpha=0.1, random_state=1).fit(X, y)
    again = load(save(estimator, tmp_path / "estimator.joblib"))
    np.testing.assert_array_equal(again.predict(X), estimator.predict(X))
    band = nproc.nproc(X, y, "lda", random_state=1)
    back = load(save(band, str(tmp_path / "band.joblib")))
    np.testing.assert_array_equal(back.type2_upper, band.type2_upper)
    np.testing.assert_array_equal(back.classifier(0.1).predict(X), band.classifier(0.1).predict(X))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["joblib", "skops"])
def test_comparisons_come_back_with_their_tables(suffix, tmp_path):
    if suffix == "skops":
        pytest.importorskip("skops")
    X, y = sample(400)
    bands = [nproc.nproc(X, y, method, random_state=1) for method in ("lda", "tree")]
    results = [
        compare(*bands),
        compare(*bands, regions="paired"),
        compare_scores(X[y == 0], X[y == 1], about="rules"),
        compare_procedures(X, y, ["lda", "nb"], alpha=0.1, random_state=1),
    ]
    for result in results:
        # a table that was asked for is made again, not kept
        shown = str(result.summary()), repr(result), getattr(result, "regions", None)
        trusted = ["sklearn.tree._tree.Tree"] if suffix == "skops" else None
        again = load(save(result, tmp_path / f"result.{suffix}"), trusted=trusted)
        assert (str(again.summary()), repr(again)) == shown[:2]
        pd.testing.assert_frame_equal(again.to_frame(), result.to_frame())
        if shown[2] is not None:
            pd.testing.assert_frame_equal(again.regions, shown[2])
            pd.testing.assert_frame_equal(again.at(0.1), result.at(0.1))
            assert again.best_at(0.1, "estimate") == result.best_at(0.1, "estimate")


def test_a_comparison_of_fits_by_formula_is_not_saved_without_pickle(tmp_path):
    pytest.importorskip("skops")
    X, y = sample(200, p=2)
    data = pd.DataFrame(X, columns=["u", "v"]).assign(y=y)
    raw = NPROCBand.from_scores(X[y == 0, 0], X[y == 1, 0])
    result = compare(raw, nproc.nproc("y ~ u + v", method="lda", data=data, random_state=1))
    with pytest.raises(InvalidInputError, match="a fit by a formula"):
        save(result, tmp_path / "result.skops")
    assert repr(load(save(result, tmp_path / "result.joblib"))) == repr(result)


def test_save_returns_the_path_and_leaves_no_other_file(fit, tmp_path):
    assert save(fit, tmp_path / "model.joblib") == tmp_path / "model.joblib"
    save(fit, tmp_path / "model.joblib")
    assert [p.name for p in tmp_path.iterdir()] == ["model.joblib"]


@pytest.mark.parametrize("how", ["array", "formula"])
def test_training_rows_are_not_saved(how, tmp_path):
    import pandas as pd

    sizes = []
    for n in (1000, 10000):
        X, y = sample(n, p=20)
        if how == "array":
            fit = npc(X, y, "lda", random_state=1)
        else:
            frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(20)]).assign(y=y)
            fit = npc("y ~ .", data=frame, method="lda", random_state=1)
        sizes.append(save(fit, tmp_path / f"{how}{n}").stat().st_size)
    # 9000 more rows of 20 columns are 1.4 MB; of them the 2250 more left-out scores stay
    assert sizes[1] - sizes[0] < 9 * 2250


def test_other_versions_give_a_warning(fit, tmp_path):
    path = save(fit, tmp_path / "model.joblib")
    head, rest = path.read_bytes().split(b"\n", 1)
    versions = {**json.loads(head.removeprefix(MARK)), "scikit-learn": "0.1"}
    path.write_bytes(MARK + json.dumps(versions).encode() + b"\n" + rest)
    with pytest.warns(NPWarning, match=r"other versions: scikit-learn 0\.1 \(now"):
        assert load(path).seed == 1


def test_a_foreign_file_is_refused_without_running_it(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    joblib.dump(Trap(), tmp_path / "other.joblib")
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    (tmp_path / "empty").touch()
    for name in ("other.joblib", "table.csv", "empty"):
        with pytest.raises(InvalidInputError, match=r"is not a model file of this package.* joblib\.load, which runs"):
            load(tmp_path / name)
    with pytest.raises(
        InvalidInputError, match=r"got Pipeline\. Write it with joblib\.dump\(model, path\) and read it"
    ):
        save(make_pipeline(NPClassifier()), tmp_path / "pipeline.joblib")
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("keep", [0.3, 0.9])
def test_a_truncated_file_is_called_damaged(fit, keep, tmp_path):
    path = save(fit, tmp_path / "model.joblib")
    content = path.read_bytes()
    path.write_bytes(content[: int(keep * len(content))])
    with pytest.raises(InvalidInputError, match="is damaged"):
        load(path)


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing.joblib")


@pytest.mark.slow
def test_a_scorer_from_a_script_says_why_it_cannot_be_loaded(tmp_path):
    pytest.importorskip("skops")
    X, y = sample(200)
    script = tmp_path / "script.py"
    np.savez(tmp_path / "sample.npz", X=X, y=y)
    script.write_text(
        "import sys, numpy as np, nproc\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "from sklearn.pipeline import make_pipeline\n"
        "from sklearn.preprocessing import FunctionTransformer\n"
        "def first(X):\n    return X[:, :1]\n"
        "class Own(LogisticRegression):\n    pass\n"
        "data = np.load(sys.argv[1] + '/sample.npz')\n"
        "fit = nproc.npc(data['X'], data['y'], make_pipeline(FunctionTransformer(first), Own()))\n"
        "for ending in ('joblib', 'skops'):\n"
        "    nproc.save(fit, sys.argv[1] + '/model.' + ending)\n"
    )
    words = [sys.executable, "-W", "always", str(script), str(tmp_path)]
    told = subprocess.run(words, check=True, timeout=300, stderr=subprocess.PIPE, text=True).stderr
    for name in ("model.joblib", "model.skops"):
        warned = [line for line in told.splitlines() if f"{name} holds" in line]
        assert len(warned) == 1
        assert "Only a process that defines it in the same way, such as the same script, can load it." in warned[0]
        assert set(warned[0].split(" holds ")[1].partition(", defined in a script")[0].split(", ")) == {"first", "Own"}
        for trusted in (None, ["__main__.first", "__main__.Own"])[: 1 + name.endswith("skops")]:
            with pytest.raises(InvalidInputError, match=r"Its scorer was defined in a script .* into a module"):
                load(tmp_path / name, trusted=trusted)


def test_a_lambda_cannot_be_saved(tmp_path):
    fit = npc(*sample(200), lambda X: X[:, 0], prefit=True)
    with pytest.raises(InvalidInputError, match=r"cannot be saved .* not a lambda"):
        save(fit, tmp_path / "model.joblib")
    assert list(tmp_path.iterdir()) == []


def test_other_objects_and_unfitted_estimators_cannot_be_saved(tmp_path):
    with pytest.raises(InvalidInputError, match=r"got dict\. Several bands are saved together as save\(compare\(bands"):
        save({}, tmp_path / "model.joblib")
    with pytest.raises(InvalidInputError, match="call fit first"):
        save(NPClassifier(), tmp_path / "model.joblib")


def test_the_error_of_save_says_how_what_writes_itself_is_written_and_read(tmp_path):
    fit = npc(*sample(400), "lda", random_state=1)
    kept = {"path": tmp_path / "state.json"}
    for one in (fit.monitor(), Type1ChangeDetector(0.1), score_rule(np.arange(100.0)), linear_rule(fit)):
        with pytest.raises(InvalidInputError) as error:
            save(one, tmp_path / "one.joblib")
        write, read = re.findall(r"Write it with \w+(\.write\(path\)) and read it with (.*)\.$", str(error.value))[0]
        eval(f"one{write}", {"one": one, **kept})
        if "read" in read.partition("(")[0].rpartition(".")[2].split("_"):
            again = eval(read, {type(one).__name__: type(one), "nproc": nproc, **kept})
            assert again.to_dict() == one.to_dict()


def test_a_failed_save_leaves_the_old_file(fit, tmp_path):
    path = save(fit, tmp_path / "model.joblib")
    before = path.read_bytes()
    with pytest.raises(InvalidInputError, match="lambda"):
        save(npc(*sample(200), lambda X: X[:, 0], prefit=True), path)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_a_band_of_raw_scores_can_be_saved(tmp_path):
    rng = np.random.default_rng(0)
    band = NPROCBand.from_scores(rng.normal(size=100), rng.normal(2, 1, size=100))
    np.testing.assert_array_equal(load(save(band, tmp_path / "band")).alpha, band.alpha)


def test_a_band_that_was_looked_at_is_saved_without_its_knots():
    fresh = NPROCBand.from_scores(np.arange(100.0), np.arange(50.0, 150.0))
    size = len(pickle.dumps(fresh))
    knots, chosen = fresh.type2_upper, fresh.choose_alpha("youden")
    again = pickle.loads(pickle.dumps(fresh))
    assert len(pickle.dumps(fresh)) < size + 1000
    np.testing.assert_array_equal(again.type2_upper, knots)
    assert again._chosen == {again._order(chosen.alpha): chosen}


@pytest.mark.parametrize("versions", [b"[]", b"3", b"null", b"{"])
def test_a_file_whose_first_line_is_no_table_of_versions_is_damaged(versions, tmp_path):
    path = tmp_path / "model.joblib"
    path.write_bytes(MARK + versions + b"\n")
    with pytest.raises(InvalidInputError, match="is damaged"):
        load(path)


def test_a_pickle_behind_the_mark_that_is_no_result_is_refused(tmp_path):
    path = tmp_path / "model.joblib"
    with path.open("wb") as file:
        file.write(MARK + b"{}\n")
        joblib.dump({"a": 1}, file)
    with pytest.raises(InvalidInputError, match="holds a dict, no NPFit"):
        load(path)


@pytest.mark.slow
def test_a_report_takes_the_place_of_a_report_and_of_no_other_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X, y = sample(300)
    fit = npc(X, y, random_state=1)
    save(fit, "m.joblib")
    (tmp_path / "README.md").write_text("# Our study\n")
    said = "README.md: this file exists and is not a report of this package, so its contents would be lost. Give anoth"
    with pytest.raises(InvalidInputError, match=f"cannot write {said}"):
        fit.report("README.md")
    # before the model is read
    assert main(["report", "none.joblib", "--out", "README.md"]) == 2
    assert f"cannot write --out {said}" in capsys.readouterr().err
    assert (tmp_path / "README.md").read_text() == "# Our study\n"
    (tmp_path / "empty.md").touch()
    for name in ("empty.md", "r.html"):
        for _ in range(2):
            assert main(["report", "m.joblib", "--out", name]) == 0
    with pytest.raises(InvalidInputError, match="it is a report on a classifier"):
        load("r.html")


def test_a_model_takes_the_place_of_a_model_and_of_no_other_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X, y = sample(300)
    fit = npc(X, y, random_state=1)
    pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y).to_csv("train.csv", index=False)
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    said = "data.csv: this file exists and is not a saved model, so its contents would be lost. Give another name"
    with pytest.raises(InvalidInputError, match=f"cannot write {said}"):
        save(fit, "data.csv")
    for command, *more in (["fit"], ["npcs", "--alphas", "0=0.1"], ["multiclass", "--priority", "0,1"], ["bands"]):
        name = "notes.txt" if command == "bands" else "data.csv"
        (tmp_path / name).write_text("a,b\n1,2\n")
        # before anything is fitted, so that --label need not be right
        assert main([command, "train.csv", "--label", "wrong", "--out", name, *more]) == 2
        assert f"cannot write --out {name}: this file exists and is not" in capsys.readouterr().err
        assert (tmp_path / name).read_text() == "a,b\n1,2\n"
    (tmp_path / "empty").touch()
    for name in ("empty", "empty", "new.joblib", "new.joblib"):
        assert load(save(fit, name)).seed == 1
