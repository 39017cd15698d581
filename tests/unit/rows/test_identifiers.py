"""Columns that tell rows apart are told of where they would be predictors."""

import numpy as np
import pandas as pd
import pytest

from nproc import npc, nproc_bands
from nproc.datasets import load_breast_cancer_np, load_logistic_world
from nproc.errors import InvalidInputError, NPWarning
from nproc.rows import n_sharing_owners, why_identifier

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
        "Nº de casos",
        "nombre de patients",
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
    match = r"column 'record' is a predictor, but it looks like an identifier: .* leave it"
    for _ in range(2):
        with pytest.warns(NPWarning, match=match) as found:
            call(frame, y, method, class0=0, random_state=1)
        assert len(found) == 1


def test_a_formula_that_names_it_is_no_accident_and_a_point_is():
    frame, y = frame_and_labels()
    table = frame.assign(y=y)
    npc("y ~ a + record", data=table, method="lda", class0=0, random_state=1)
    with pytest.warns(NPWarning, match="'record' is a predictor"):
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
