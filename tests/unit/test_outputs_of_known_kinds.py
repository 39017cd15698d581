"""A file of this package in the wrong place: the error says what the file is and what reads it."""

import json
import zipfile

import numpy as np
import pytest

from nproc import Type1Monitor, load, npc, save
from nproc.errors import InvalidInputError
from nproc.monitoring import Type1ChangeDetector
from nproc.outputs import MODEL, kind_of_file
from nproc.serving import linear_rule, read_rule, score_rule

RNG = np.random.default_rng(1)
Y = np.arange(400) % 2
X = RNG.normal(size=(400, 2)) + Y[:, None]


@pytest.fixture(scope="module")
def fit():
    return npc(X, Y, "lda", alpha=0.1, random_state=1)


@pytest.fixture
def rule(tmp_path):
    score_rule(X[Y == 0, 0], alpha=0.1).write(tmp_path / "rule.json")
    return tmp_path / "rule.json"


def test_every_file_that_the_package_writes_is_known_by_its_contents(fit, rule, tmp_path):
    linear_rule(fit).write(tmp_path / "linear.json")
    Type1Monitor(0.1).write(tmp_path / "monitor.json")
    Type1ChangeDetector(0.1, 1000).write(tmp_path / "change.json")
    found = {path.name: kind_of_file(path) for path in tmp_path.glob("*.json")}
    assert found == {
        "rule.json": "nproc-rule",
        "linear.json": "nproc-linear-rule",
        "monitor.json": "nproc-monitor",
        "change.json": "nproc-change-detector",
    }
    assert kind_of_file(save(fit, tmp_path / "model.json")) == MODEL


@pytest.mark.parametrize(
    "content",
    [b"", b"a,b\n1,2\n", b'{"a": 1}\n{"a": 2}\n', b"[1]", b'{"format": ["nproc-rule"]}', b"PK\x03\x04", b"\xff" * 40],
)
def test_other_files_are_of_no_kind(content, tmp_path):
    (tmp_path / "file").write_bytes(content)
    assert kind_of_file(tmp_path / "file") is None
    assert kind_of_file(tmp_path) is None
    assert kind_of_file(tmp_path / "missing") is None
    with pytest.raises(InvalidInputError, match="is not a model file of this package"):
        load(tmp_path / "file")


def test_load_says_that_a_rule_is_a_rule_and_what_reads_it(rule):
    # another program may have sorted the entries
    for text in (rule.read_text(), "\n" + json.dumps(json.loads(rule.read_text()), sort_keys=True)):
        rule.write_text(text)
        with pytest.raises(
            InvalidInputError, match=r"must be a saved model, and it is a rule .* `npc apply`"
        ) as caught:
            load(rule)
        assert "nproc.serving.read_rule" in str(caught.value)
        assert "joblib" not in str(caught.value)


def test_read_rule_says_that_a_saved_model_is_one_and_what_reads_it(fit, tmp_path):
    path = save(fit, tmp_path / "model.joblib")
    with pytest.raises(InvalidInputError, match=r"must be a rule, and it is a saved model .* `npc predict`") as caught:
        read_rule(path)
    assert "nproc.load reads the file" in str(caught.value)


def test_read_rule_says_that_another_json_file_of_the_package_is_no_rule(fit, tmp_path):
    linear_rule(fit).write(tmp_path / "linear.json")
    with pytest.raises(InvalidInputError, match="must be a rule, and it is a linear rule, written for programs"):
        read_rule(tmp_path / "linear.json")


def test_a_model_in_the_format_of_skops_is_known_by_any_name(fit, tmp_path):
    pytest.importorskip("skops")
    path = save(fit, tmp_path / "model.skops")
    with pytest.raises(InvalidInputError, match="must be a rule, and it is a saved model"):
        read_rule(path)
    path = path.rename(tmp_path / "model.joblib")
    with pytest.raises(InvalidInputError, match=r"rename it so that it ends in \.skops"):
        load(path)
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a.txt", "a")
    assert kind_of_file(tmp_path / "other.zip") is None
