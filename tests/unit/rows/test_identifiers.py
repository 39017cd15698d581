"""Columns that tell rows apart are told of where they would be predictors."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from nproc import npc, nproc_bands
from nproc.cli import main
from nproc.datasets import load_breast_cancer_np, load_logistic_world
from nproc.errors import InvalidInputError, NPWarning
from nproc.rows import formulas, identifiers, n_sharing_owners, why_identifier
from nproc.rows.identifiers import settled_columns

RNG = np.random.default_rng(0)
N = 400


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(np.arange(1, N + 1), name="record"),
        pd.Series(RNG.permutation(N) + 1000, name="patient"),
        pd.Series(np.sort(RNG.choice(10**6, N, replace=False)), name="case"),
        pd.Series(RNG.permutation(N).astype(float), name="case"),
        # gaps do not count
        pd.Series([np.nan, *range(N)], name="day"),
        pd.Series([*range(N), None, None], name="day", dtype="Int64"),
        pd.Series(RNG.choice(10**6, N), name="patient_id"),
        pd.Series(np.arange(N) // 2, name="PatientID"),
        # texts, however few they are and whatever the name
        pd.Series([f"P-{k}" for k in range(12)], name="probe"),
        pd.Series([f"P-{k}" for k in range(12)], name="probe", dtype="category"),
        # two of twenty rows share one
        pd.Series([None, "P-0", *(f"P-{k}" for k in range(19))], name="probe"),
    ],
)
def test_numbers_of_rows_and_names_of_identifiers_are_found(values):
    assert why_identifier(values) is not None


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(RNG.normal(size=N), name="weight"),
        # so few of so many incomes are all different by chance
        pd.Series(RNG.choice(10**6, 100, replace=False), name="income"),
        pd.Series(RNG.poisson(200, N), name="count"),
        pd.Series([3.0, 5.0, 8.0, *[np.nan] * N], name="visits"),
        pd.Series(np.sort(RNG.poisson(200, N)), name="count"),
        pd.Series(np.repeat([0, 1], N), name="id"),
        pd.Series(RNG.integers(0, 5, N), name="humid"),
        pd.Series([f"stage {k // 2}" for k in range(12)], name="stage"),
        pd.Series([Decimal(k) / 7 for k in range(12)], name="dose"),
    ],
)
def test_measurements_are_not(values):
    assert why_identifier(values) is None


def frame_and_labels():
    world = load_logistic_world()
    return pd.DataFrame(np.asarray(world.X), columns=["a", "b"]).assign(record=np.arange(len(world.y))), world.y


@pytest.mark.parametrize(
    "name",
    [
        "NHS number",
        "Hospital No",
        "Patient No.",
        "Fallnummer",
        "subject",
        "case_number",
        "PatNr",
        "lfd_nr",
        "accession",
        "Patienten-Nr.",
        "Patienten_Nr",
        "Nr",
        "N° patient",
        "Nº paciente",
        "numéro_patient",
        "numéro du dossier",
        "codice paziente",
        "patientid",
        "Aktennummer",
        "Fall-Nr.",
        "Nr. Fall",
        "codice_fiscale",
        "numero_ipp",
        "NHC",
        "dni",
        "NIF",
        "KVNR",
        "Aktenzeichen",
    ],
)
def test_usual_names_of_identifiers_are_known_by_values_that_differ_and_are_no_measurements(name):
    numbers = pd.Series(RNG.choice(10**9, 60, replace=False), name=name)
    assert why_identifier(numbers) == "its name is that of an identifier"
    assert why_identifier("p" + numbers.astype(str)) == "its name is that of an identifier"
    assert why_identifier(pd.Series(RNG.normal(size=60), name=name)) is None
    assert why_identifier(pd.Series(np.arange(60) % 9, name=name)) is None
    twice = pd.Series(np.repeat(numbers.to_numpy(), 2), name=name)
    assert "some rows share their value" in why_identifier(twice)
    assert n_sharing_owners(twice) == 120
    assert n_sharing_owners(numbers) == 0


@pytest.mark.parametrize(
    ("names", "fewest"),
    [
        (["patient", "Patient", "patientnr", "patient_no", "Patientennummer", "Probanden-Nr.", "participant code"], 20),
        (["subject", "case", "customer", "client_number", "Kundennummer", "Fallnummer", "person", "animal"], 50),
    ],
)
def test_a_name_that_says_whose_a_row_is_needs_no_different_value_for_every_few_rows(names, fewest):
    for name in names:
        for n_owners in (fewest - 1, fewest):
            owners = pd.Series(np.repeat(RNG.choice(40_000, n_owners, replace=False), 20), name=name)
            told = 20 * n_owners if n_owners == fewest else 0
            assert n_sharing_owners(owners) == n_sharing_owners("P" + owners.astype(str)) == told, name


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(np.arange(2000) % 2, name="case"),
        pd.Series(np.arange(2000) % 7, name="customer").map("type {}".format),
        pd.Series(np.arange(2000) % 40, name="subject").map("field {}".format),
        pd.Series(RNG.normal(60, 10, 2000).round(1), name="patient"),
        *(pd.Series(RNG.poisson(60, 2000) * 2, name=name) for name in ("patients", "n_patients", "persons", "cases")),
        *(
            pd.Series(RNG.poisson(200, 2000), name=name)
            for name in ("patients", "case_number", "customers", "hospital")
        ),
    ],
)
def test_kinds_counts_and_measurements_named_after_owners_of_many_rows_are_none(values):
    assert n_sharing_owners(values) == 0


@pytest.mark.parametrize("name", ["Patienten", "Número", "n_patient", "No", "Patients number"])
def test_names_of_counts_too_are_those_of_identifiers_if_the_values_are_texts_or_leave_out_few_numbers(name):
    owners = pd.Series(np.repeat(RNG.permutation(60) + 1, 3), name=name)
    assert n_sharing_owners(owners) == n_sharing_owners("p" + owners.astype(str)) == 180
    assert n_sharing_owners(owners * 2) == 0
    assert why_identifier(pd.Series(RNG.choice(10**5, 60, replace=False), name=name)) is None


@pytest.mark.parametrize(
    "name",
    [
        "platelet number",
        "number of cases",
        "número de pacientes",
        "num_patient_visits",
        "patient_num_visits",
        "cliente_num_compras",
        "persona_numero_hijos",
        "kunde_nr_kaeufe",
        "hospital_number_of_beds",
        "person_no_shows",
        "Nº de casos",
        "nombre de patients",
        "fall_number",
        "fall_no",
        "fall_code",
        "Hausnummer",
        "Zimmernummer",
        "Telefonnummer",
        "casino",
        "study",
        "phosphor",
        "age at admission",
        "--",
    ],
)
def test_counts_and_measurements_with_like_names_are_no_identifiers(name):
    assert why_identifier(pd.Series(RNG.choice(10**5, 60, replace=False), name=name)) is None


@pytest.mark.parametrize("call", [npc, nproc_bands])
def test_each_call_warns_once_of_an_identifier_among_its_predictors(call):
    frame, y = frame_and_labels()
    method = "lda" if call is npc else ["lda", "nb"]
    match = r"'record' is used as a predictor, but its name is that of an identifier\. .* leave it"
    for _ in range(2):
        with pytest.warns(NPWarning, match=match) as found:
            call(frame, y, method, class0=0, random_state=1)
        assert len(found) == 1


def visits():
    """Return rows of 200 patients with 5 visits each, under a name that says nothing."""
    frame, y = frame_and_labels()
    who = np.repeat(RNG.permutation(900)[:200], 5)
    settled = {name: RNG.integers(0, n, 900)[who] for name, n in (("sex", 2), ("age", 60))}
    return frame.drop(columns="record").assign(w=who, **settled), y


def test_owners_whose_name_says_nothing_are_told_by_columns_that_are_the_same_in_all_of_their_rows():
    frame, y = visits()
    told = (
        "'w' is used as .* looks like an .*: all rows that share its value agree in 'sex' and 'age' too.* clusters='w'"
    )
    with pytest.warns(NPWarning, match=told) as found:
        npc(frame, y, "lda", class0=0, random_state=1)
    assert len(found) == 1
    nullable = frame.astype({"w": "Int64", "sex": "category"})
    nullable.loc[[3, 4], ["w", "a"]] = None
    assert settled_columns(nullable, "w") == ["sex", "age"]
    # one column, or one that differs within a single patient, shows nothing
    npc(frame.drop(columns="sex"), y, "lda", class0=0, random_state=1)
    moved = frame.assign(sex=frame["sex"].where(frame.index != 501, 1 - frame["sex"]))
    npc(moved, y, "lda", class0=0, random_state=1)
    # neither does what nearly all rows share
    rare = {name: (frame["w"] == frame["w"].iloc[j]).astype(int) for j, name in ((0, "sex"), (9, "age"))}
    npc(frame.assign(**rare), y, "lda", class0=0, random_state=1)


def test_of_columns_that_may_be_owners_one_is_told_and_none_where_the_clusters_are_known():
    frame, y = visits()
    person = frame["w"].rank(method="dense").astype(int) - 1
    area = RNG.permutation(200)[person] // 2
    of_area = {name: RNG.integers(0, n, 100)[area] for name, n in (("dens", 40), ("rent", 30))}
    made = frame.assign(area=RNG.permutation(100)[area], **of_area)
    assert settled_columns(made, "area") == ["dens", "rent"]
    for left_out, told in ([], "'w'"), (["w"], "'area'"):
        with pytest.warns(NPWarning, match=f"^{told} is used as a predictor, but its? ") as found:
            npc(made.drop(columns=left_out), y, "lda", class0=0, random_state=1)
        assert len(found) == 1
    # no warning, which would be an error here
    npc(made, y, "lda", class0=0, random_state=1, clusters="w")
    npc(made.drop(columns="w"), y, "lda", class0=0, random_state=1, clusters=made["w"])


def test_the_search_for_owners_reads_each_column_once(monkeypatch):
    frame, _ = visits()
    person = frame["w"].rank(method="dense").astype(int).to_numpy() - 1
    # all rise with the first, so that none of them shows an owner
    table = pd.DataFrame({f"x{j}": person * (j + 1) for j in range(12)})
    read = []
    monkeypatch.setattr(identifiers, "_codes", lambda values, codes=identifiers._codes: read.append(0) or codes(values))
    identifiers.warn_of_identifiers(table)
    assert 0 < len(read) <= 12


def test_the_command_line_names_its_option_for_owners_whose_name_says_nothing(tmp_path, capsys):
    frame, y = visits()
    frame.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    assert main(["fit", str(tmp_path / "rows.csv"), "--label", "y", "--class0", "0", "--seed", "1"]) == 0
    told = "give --clusters w; --drop w would not make them independent. If they do not, ignore this."
    assert told in capsys.readouterr().err


def test_a_measurement_in_whole_numbers_is_no_owner_beside_columns_that_are_made_of_it():
    age = pd.Series(RNG.integers(20, 90, 600), name="age")
    words = (age // 20).map({1: "young", 2: "grown", 3: "old", 4: "aged"})
    made = pd.DataFrame({"age": age, "square": age**2, "inverse": 100 / age, "group": age // 10, "word": words})
    made = made.assign(old=age > 65, other=RNG.normal(size=600), gaps=age.where(age > 30))
    assert [settled_columns(made, column) for column in made] == [[]] * made.shape[1]


def test_a_text_of_each_row_is_warned_of_and_new_rows_are_told_to_fit_again_without_it(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, y = frame_and_labels()
    rows = frame[["a", "b"]].assign(
        probe=[f"P-{k}" for k in range(len(y))], site=[f"S-{k % 12}" for k in range(len(y))]
    )
    rows = rows.assign(y=y).groupby("y").head(24)
    rows.iloc[::2].to_csv("rows.csv", index=False)
    rows.iloc[1::2].to_csv("new.csv", index=False)
    rows.iloc[1::2].assign(probe="P-0", site="other").to_csv("site.csv", index=False)

    def run(command, *more):
        code = main([*command.split(), *more])
        return code, capsys.readouterr().err

    known = ("--label", "y", "--class0", "0")
    levels = ("--method", "lda", "--seed", "1", "--delta", "0.3")
    told = (
        "'probe' is used as a predictor, but it looks like an identifier: it has another text in each row. If it is one"
    )
    for command in ("bands rows.csv", "fit rows.csv --alpha 0.3 --out m.joblib"):
        code, err = run(command, *known, *levels)
        assert code == 0
        assert f"{told}, give --drop probe." in err
        assert err.count("identifier") == 1
    again = "f 'probe' tells rows apart, as a name does, fit again with --drop probe"
    for command in ("predict m.joblib new.csv", "certify m.joblib new.csv --label y"):
        for more in ([], ["--na-action", "omit"]):
            code, err = run(command, *more)
            assert (code, again in err) == (2, True)
    # a new value of all rows is no name
    code, err = run("predict m.joblib site.csv")
    assert (code, "'other'" in err, "fit again" in err) == (2, True, False)
    with pytest.warns(NPWarning, match=f"{told}, leave it out"):
        fit = npc("y ~ .", pd.read_csv("rows.csv"), method="lda", alpha=0.3, delta=0.3, random_state=1)
    with pytest.raises(InvalidInputError, match="If 'probe' tells rows apart, as a name does, fit again without it"):
        fit.predict(pd.read_csv("new.csv"))
    # a few new rows may all have categories that are new but tell no rows apart
    for n, again in ((1, False), (9, False), (10, True)):
        with pytest.raises(InvalidInputError) as refused:
            fit.predict(pd.read_csv("new.csv")[:n])
        assert ("tells rows apart" in str(refused.value)) is again


def test_a_formula_that_names_it_is_no_accident_and_a_point_is():
    frame, y = frame_and_labels()
    table = frame.assign(y=y)
    npc("y ~ a + record", data=table, method="lda", class0=0, random_state=1)
    with pytest.warns(NPWarning, match="'record' is used as a predictor"):
        npc("y ~ .", data=table, method="lda", class0=0, random_state=1)


def test_the_data_of_the_package_have_none():
    cancer = load_breast_cancer_np()
    assert [why_identifier(cancer.X[column]) for column in cancer.X] == [None] * cancer.X.shape[1]


@pytest.mark.parametrize("text", [False, True])
def test_an_identifier_whose_values_repeat_is_told_as_the_column_of_clusters(text):
    frame, y = frame_and_labels()
    who = pd.Series(np.arange(len(y)) // 2)
    frame = frame.drop(columns="record").assign(patient_id="p" + who.astype(str) if text else who)
    match = (
        r"'patient_id'.* such as those of one patient, give npc clusters='patient_id'\. If they do not, leave it out"
    )
    with pytest.raises(InvalidInputError, match=match) if text else pytest.warns(NPWarning, match=match):
        npc(frame, y, "lda", class0=0, random_state=1)
    fit = npc(frame, y, "lda", class0=0, random_state=1, clusters="patient_id")
    assert (fit.cluster_column, fit.feature_names) == ("patient_id", ("a", "b"))


def test_a_measurement_named_as_an_identifier_keeps_the_guarantee_as_the_warning_says():
    frame, y = frame_and_labels()
    table = frame[["a"]].assign(weekday_id=np.arange(len(y)) % 7)
    given = {"method": "lda", "class0": 0, "alpha": 0.1, "random_state": 1}
    match = (
        r"leave it out\. Until then nothing is guaranteed\. To keep it as a measurement, give the column another name, "
        "or name it in a formula where one can be given"
    )
    with pytest.warns(NPWarning, match=match):
        fit = npc(table, y, **given)
    renamed = npc(table.rename(columns={"weekday_id": "weekday"}), y, **given)
    named = npc("y ~ a + weekday_id", data=table.assign(y=y), **given)
    assert [one.guaranteed for one in (fit, renamed, named)] == [False, True, True]
    # those whose values lie in one cluster each cost nothing
    with pytest.warns(NPWarning, match="each value of this column lies in one of them") as heard:
        beside = npc(
            table[["a"]].assign(patient_id=np.arange(len(y)) // 2), y, clusters=np.arange(len(y)) // 4, **given
        )
    assert (beside.guaranteed, any("Until then" in str(one.message) for one in heard)) == (True, False)


@pytest.mark.parametrize("by_formula", [True, False])
@pytest.mark.parametrize("text", [True, False])
@pytest.mark.parametrize(
    ("size", "told"),
    [
        # of 600 rows, in clusters of 4
        (2, r"Keep the clusters that you gave: each value of this column lies in one of them\."),
        (8, r"All 600 rows share .* with a row of another cluster\. .* clusters='patient_id', in whose values"),
        (6, r"All 600 rows share .* guarantee nothing: give clusters that join both, if there are such\."),
    ],
)
def test_a_second_identifier_beside_clusters_is_not_told_to_replace_them_unless_it_joins_them(
    size, told, text, by_formula
):
    rows, y = np.arange(600), np.arange(600) % 2
    table = pd.DataFrame({"x": RNG.normal(size=600), "family": rows // 4})
    table["patient_id"] = [f"p{who}" for who in rows // size] if text else rows // size
    given = ("y ~ .", table.assign(y=y)) if by_formula else (table, y)
    match = rf"'patient_id'.* If it is none of the measurements, leave it out.* {told}"
    with pytest.raises(InvalidInputError, match=match) if text else pytest.warns(NPWarning, match=match):
        npc(*given, method="lda", clusters="family", class0=0, alpha=0.3, delta=0.3, random_state=1)


def table_with_texts(n_values, name="note"):
    rng, y = np.random.default_rng(1), np.arange(400) % 2
    texts = [f"text {value}" for value in rng.permutation(400) % n_values]
    return pd.DataFrame({"y": y, "x": rng.normal(size=400) + y, name: texts})


@pytest.mark.parametrize(("n_values", "name"), [(400, "note"), (201, "case note"), (60, "patient_id")])
def test_a_dot_makes_no_columns_of_a_text_with_many_values(n_values, name, monkeypatch):
    monkeypatch.setattr(formulas, "_materialize", lambda *_: pytest.fail("the design was made"))
    clusters = rf"give npc clusters='{name}'\. If they do not" if n_values < 400 else "If it tells rows apart"
    written = name if name.isidentifier() else f"`{name}`"
    with pytest.raises(
        InvalidInputError, match=rf"'{name}' is text with {n_values} .* {clusters}, leave it out"
    ) as told:
        npc("y ~ .", table_with_texts(n_values, name), "lda", class0=0)
    assert str(told.value).endswith(f"as in 'y ~ . - {written}'.")


@pytest.mark.parametrize(
    ("formula", "n_values", "more"),
    [
        ("y ~ . - note", 400, {}),
        ("y ~ .", 200, {}),
        ("y ~ .", 400, {"clusters": "note"}),
        ("y ~ x", 400, {}),
    ],
)
def test_texts_that_enter_no_formula_or_have_fewer_values_pass(formula, n_values, more):
    assert npc(formula, table_with_texts(n_values), "lda", class0=0, random_state=1, **more).n0 == 200


def test_a_declared_category_with_many_values_is_not_refused():
    rows = table_with_texts(300)
    rows["note"] = rows["note"].astype("category")
    with pytest.warns(NPWarning, match="'note' is categorical with 300 different values in 400 rows"):
        fit = npc("y ~ .", rows, "lda", class0=0, random_state=1)
    assert fit.n0 == 200


@pytest.mark.parametrize("formula", ["y ~ x + note", "y ~ x + C(note)", "y ~ . + C(note)", "y ~ x + `note`"])
def test_a_formula_that_names_a_text_with_many_values_warns_before_its_columns_are_made(formula, monkeypatch):
    def stop(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(formulas, "_materialize", stop)
    with pytest.warns(NPWarning, match="text with 300 different values in 400 rows"), pytest.raises(ZeroDivisionError):
        npc(formula, table_with_texts(300), "lda", class0=0)
