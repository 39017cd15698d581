"""Several methods on the command line: the bands of `nproc_bands`, from one pool."""

import json
from pathlib import Path

from nproc import cli, nproc
from nproc.cli.files import read_table

DATA = str(Path(__file__).resolve().parents[3] / "data" / "simulation2.csv")


def test_bands_of_several_methods_are_those_of_each_alone_from_one_pool(capsys):
    command = ["bands", DATA, "--label", "y", "--class0", "0", "--method", "lda", "--method", "nb", "--seed", "1"]
    assert cli.main([*command, "--splits", "3", "-v", "--json"]) == 0
    out, err = capsys.readouterr()
    assert "6 of 6 done" in err
    frame = read_table(DATA)
    for record in json.loads(out)["bands"]:
        alone = nproc(frame.drop(columns="y"), frame["y"], record["method"], n_splits=3, random_state=1)
        assert (record["auc_lower"], record["auc_upper"]) == (alone.auc_lower, alone.auc_upper)
