"""nproc.groups.membership: the group or cluster of every row, read once and found again in new rows."""

import datetime

import numpy as np
import pandas as pd
import pytest

from nproc.errors import InvalidInputError
from nproc.groups.membership import encode_members, find_labels, read_membership, without_column

FRAME = pd.DataFrame({"u": [1.0, 2.0, 3.0, 4.0], "site": ["b", "a", "b", "c"]})


@pytest.mark.parametrize(
    "given",
    [
        ["b", "a", "b", "c"],
        ("b", "a", "b", "c"),
        np.array(["b", "a", "b", "c"]),
        np.array([["b"], ["a"], ["b"], ["c"]]),
        np.array(["b", "a", "b", "c"], dtype=object),
        FRAME["site"],
        FRAME["site"].astype("category"),
        FRAME[["site"]],
    ],
    ids=["list", "tuple", "array", "column", "objects", "series", "categories", "frame"],
)
def test_any_sequence_gives_codes_in_sorted_order(given):
    _, _, members = read_membership(given, "groups", FRAME)
    assert members.values == ("a", "b", "c")
    assert members.codes.tolist() == [1, 0, 1, 2]
    assert members.size == 3
    assert members.counts(np.array([True, True, False, True])).tolist() == [1, 1, 1]


def test_labels_of_any_hashable_type_are_groups():
    dates = [datetime.date(2020, 1, day) for day in (2, 1, 2, 3)]
    assert read_membership(dates, "groups", FRAME)[2].codes.tolist() == [1, 0, 1, 2]
    pairs = [("x", 1), ("w", 2), ("x", 1), ("y", 0)]
    assert read_membership(pairs, "groups", FRAME)[2].values == (("w", 2), ("x", 1), ("y", 0))
    mixed = read_membership([1, "a", ("t", 2), 1], "groups", FRAME)[2]
    assert mixed.codes.tolist()[0] == mixed.codes.tolist()[3]
    stamps = np.array(["2020-02-01", "2020-01-01", "2020-02-01", "2020-03-01"], dtype="M8[ns]")
    assert read_membership(stamps, "groups", FRAME)[2].codes.tolist() == [1, 0, 1, 2]


def test_a_named_column_is_taken_out_of_the_rows_and_an_array_is_not():
    rows, data, members = read_membership("site", "groups", FRAME)
    assert rows.columns.tolist() == ["u"]
    assert (data, members.column) == (None, "site")
    assert read_membership(FRAME["site"], "groups", FRAME)[0] is FRAME


def test_the_name_of_values_is_taken_only_where_the_table_has_these_values_under_it():
    frame, site = FRAME.assign(site=FRAME["site"].astype("category")), FRAME["site"]
    polars_site = pytest.importorskip("polars").Series("site", site.tolist())
    for values in (site, frame["site"], site.astype("string"), FRAME[["site"]], polars_site):
        assert [read_membership(values, "groups", table)[2].column for table in (FRAME, frame)] == ["site"] * 2
        assert read_membership(values, "groups", "y ~ u", FRAME)[2].column == "site"
    gaps = FRAME.assign(site=["b", "a", "b", pd.NA])
    twice = pd.concat([FRAME, FRAME], axis=1)
    for table in (FRAME[["u"]], FRAME[["u"]].to_numpy(), gaps, twice):
        assert read_membership(site, "groups", table)[2].column is None
    for values in (site.str.upper(), site.map({"a": 1, "b": 0, "c": 0}), site.rename("u"), site.rename(""), site.array):
        assert read_membership(values, "groups", FRAME)[2].column is None


def test_a_column_of_a_formula_predicts_only_where_the_formula_names_it():
    assert read_membership("site", "groups", "y ~ .", FRAME)[1].columns.tolist() == ["u"]
    assert read_membership("site", "groups", "y ~ u + site", FRAME)[1].columns.tolist() == ["u", "site"]
    assert read_membership("site", "groups", "y ~ u + sites", FRAME)[1].columns.tolist() == ["u"]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, np.datetime64("NaT")], ids=str)
def test_a_missing_value_is_an_error(missing):
    with pytest.raises(InvalidInputError, match=r"groups has 2 missing value\(s\) .*, the first at groups\[1\]"):
        read_membership(["a", missing, "b", missing], "groups", FRAME)


def test_a_missing_number_or_date_of_an_array_is_an_error():
    for values in (np.array([1.0, np.nan, 2.0, 2.0]), np.array(["2020", "NaT", "2020", "2020"], dtype="M8[D]")):
        with pytest.raises(InvalidInputError, match="has 1 missing"):
            read_membership(values, "groups", FRAME)


@pytest.mark.parametrize(
    ("given", "X", "message"),
    [
        (["a", "b"], FRAME, "clusters has 2 values and there are 4 rows"),
        ("town", FRAME, r"clusters='town' is no column of the data; the columns are \['u', 'site'\]"),
        ("town", np.ones((4, 1)), "the rows are a ndarray without names"),
        (FRAME, FRAME, "one value a row, got a table of 2 columns"),
        (np.ones((4, 2)), FRAME, "one value a row, or the name of a column, got ndarray"),
        (7, FRAME, "one value a row, or the name of a column, got int"),
        ([[1], [2], [3], [4]], FRAME, "can be compared and hashed"),
        ([], np.ones((0, 1)), "clusters is empty"),
        (FRAME["site"].iloc[::-1], FRAME, "in a different order"),
    ],
    ids=["length", "column", "nameless", "table", "matrix", "number", "lists", "empty", "order"],
)
def test_other_values_are_errors(given, X, message):
    with pytest.raises(InvalidInputError, match=message):
        read_membership(given, "clusters", X)


def test_labels_of_new_rows_are_those_given_or_those_of_the_column():
    assert find_labels(None, "groups", FRAME, "site") == ["b", "a", "b", "c"]
    assert find_labels(["x"], "groups", FRAME, "site") == ["x"]
    assert find_labels("site", "groups", FRAME, None) == ["b", "a", "b", "c"]
    assert find_labels(None, "groups", FRAME, None) is None
    assert find_labels(None, "groups", FRAME[["u"]], "site") is None
    assert find_labels(None, "groups", np.ones((4, 2)), "site") is None


def test_labels_of_new_rows_in_another_order_are_an_error():
    sites = FRAME["site"]
    assert find_labels(sites, "groups", FRAME[["u"]], None) == sites.tolist()
    with pytest.raises(InvalidInputError, match=r"same row labels in a different order.*groups\.loc\[X\.index\]"):
        find_labels(sites.iloc[::-1], "groups", FRAME[["u"]], None)
    with pytest.raises(InvalidInputError, match="0 of the 4 labels of X are among those of groups"):
        find_labels(sites, "groups", FRAME.set_axis(list("wxyz")), None)
    # an array has none
    assert find_labels(sites.to_numpy()[::-1], "groups", FRAME.set_axis(list("wxyz")), None)[0] == "c"


def test_an_unknown_value_of_new_rows_is_an_error():
    assert encode_members(["b", "a"], ("a", "b"), "groups", 2).tolist() == [1, 0]
    with pytest.raises(InvalidInputError, match=r"groups has the value 'd', which has no threshold: the fit had \['a'"):
        encode_members(["b", "d"], ("a", "b"), "groups", 2)
    with pytest.raises(InvalidInputError, match="groups has 1 values and X has 2 rows"):
        encode_members(["b"], ("a", "b"), "groups", 2)


def test_the_column_of_the_groups_is_taken_out_unless_it_predicts():
    assert without_column(FRAME, "site", ("u",)).columns.tolist() == ["u"]
    assert without_column(FRAME, "site", ("u", "site")) is FRAME
    assert without_column(FRAME, None, ("u",)) is FRAME
    assert without_column(FRAME[["u"]], "site", None).columns.tolist() == ["u"]


def test_there_must_be_rows_to_belong_to():
    for X in (None, "y ~ u"):
        with pytest.raises(InvalidInputError, match=r"groups was given without rows\. Give a table as X, or a formula"):
            read_membership(["a", "b"], "groups", X)


class OtherFrame:
    """A frame of another library."""

    columns = ("u", "site")

    def to_pandas(self):
        return FRAME


def test_a_frame_of_another_library_has_columns_too():
    rows, _, members = read_membership("site", "groups", OtherFrame())
    assert rows.columns.tolist() == ["u"]
    assert members.values == ("a", "b", "c")
    assert find_labels(None, "groups", OtherFrame(), "site") == ["b", "a", "b", "c"]
    assert without_column(OtherFrame(), "site", ("u",)).columns.tolist() == ["u"]
