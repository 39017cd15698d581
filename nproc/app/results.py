"""What a fit has given: the bands, a level on them, and the classifier there."""

from __future__ import annotations

import io
import math
import re
import textwrap
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from nproc.app.data import (
    CONTENT,
    IF_UNSEEN,
    ORDER,
    READER,
    READER_OF_NEW_ROWS,
    Plan,
    and_list,
    names_class,
    page_words,
)
from nproc.app.seen_rows import same_rows
from nproc.bands import OF_SINGLE_SPLITS, ONE_REGION, AlphaChoice, choose_from_knots, estimate_text
from nproc.checks import check_level, count_of, level_text
from nproc.cli import (
    GAP,
    TEXT,
    UNSEEN,
    best_text,
    evaluate_table,
    knots,
    labels_for,
    listed,
    reasons_of_rows,
    repeated_note,
    rows_counted,
    rows_for,
)
from nproc.comparison import compare
from nproc.errors import InvalidInputError, NPError, NPWarning, changed_filter, warnings_heard
from nproc.fits import (
    BY_EYE,
    OWN_ROWS_WARNINGS,
    SETTINGS_FIXED,
    UnseenRows,
    choice_call,
    listing,
    new_rows_left_out,
    with_known,
    with_shared_owners,
    with_unmet,
)
from nproc.plotting import (
    LETTERS_OF_COLUMN,
    add_to_names,
    as_given,
    end_of_levels,
    figure_for_file,
    one_picture,
    short_name,
    short_names,
)
from nproc.rows import (
    TOLD_OF_NEW_ROWS,
    NewValues,
    are_numbers,
    columns_of_labels,
    near_names,
    owners_told,
    owners_within,
    refuse_commas,
    share_of_right_calls,
)
from nproc.tables import WIDTH, at_least, at_most, summary_table

# columns that do not predict, beside the predictions on the page; the file has all
OTHERS_SHOWN = 5
CHANGED = "changed after a band of these rows was seen"
# above the picture, whose legend says what holds at an alpha fixed beforehand
MARKED_IN_DOUBT = "Nothing is guaranteed at the marked $\\alpha$:\nbounds hold for one $\\alpha$ fixed beforehand."
ALL_IN_DOUBT = "Nothing in this picture is guaranteed:\n{}."
# after the name of a column of new rows that is also the name of one that is made here
FROM_FILE = " (from the file)"
NO_REVIEW = "This comparison is without review: each method calls every row one of the two classes."

HALVES = (
    "Half of the rows of each class are left out, because a band bounds both errors at every alpha. The command npc "
    "fit makes a classifier for one alpha: it leaves out a number of class 0 rows that suits this alpha and, without "
    "beta, trains on all class 1 rows. Its classifier therefore differs from this one."
)


@dataclass(frozen=True, eq=False)
class Result:
    """The bands of a plan.

    Attributes
    ----------
    plan : Plan
        What was fitted.
    bands : tuple of NPROCBand
        One for each method of the plan.
    warnings : tuple of str
        What the methods warned of.
    """

    plan: Plan
    bands: tuple
    warnings: tuple = ()

    def band(self, method):
        """Return the band of one method."""
        return self.bands[self.plan.methods.index(method)]

    @cached_property
    def comparison(self):
        """The `Comparison` of all bands; None for one."""
        return compare(*self.bands) if len(self.bands) > 1 else None

    @cached_property
    def names_in_code(self):
        """What the code of the page calls both axes at each width, None where these get their names without it."""
        return {width: self._names_in_code(width) for width in WIDTHS}

    def _names_in_code(self, width):
        with one_picture, letters_of(width):
            ax = figure_for_file(size_of_file(self, width)).subplots()
            if self.comparison is not None:
                # what it draws leaves other room to the names
                self.comparison.plot(ax=ax, alpha=self.plan.alpha, layout="overlay")
            return _name_classes(ax, self.plan)

    def planned(self):
        """Return the level of the plan, which is no choice on the band if it was fixed before any band was seen."""
        # the rank follows from both: another delta is another level
        reset = [name for name in ("alpha", "delta") if name in self.plan.changed]
        if not reset:
            return Level(self.plan.alpha)
        criterion = f"{' and '.join(reset)} {CHANGED}"
        # where more is missing, that is no way to a guarantee
        fix = "" if self.plan.n_splits > 2 or self.plan.owners else "fix all settings before the first fit, or "
        reason = (
            "The level was changed after the band of the same rows had been seen. For a guarantee, "
            f"{fix}certify the classifier on fresh class 0 rows that are independent."
        )
        return self._chosen(self.plan.alpha, self.plan.methods[0], criterion, reason=reason)

    def by_eye(self, alpha, method):
        """Return the level that the user chose with the band in sight; the planned one is no such choice."""
        alpha = check_level(alpha, "alpha")
        if np.isclose(alpha, self.plan.alpha, rtol=1e-9, atol=0):
            return self.planned()
        return self._chosen(alpha, method, BY_EYE)

    def _chosen(self, alpha, method, criterion, **reason):
        values = self.band(method).at(alpha)
        return Level(alpha, AlphaChoice(alpha, values.type2_lower, values.type2_upper, criterion, **reason), method)

    def smallest(self, method):
        """Return the smallest level that the left-out class 0 rows can carry, rounded up."""
        return self.by_eye(float(self.plan.room.smallest), method)

    def by_target(self, type2_max, method):
        """Return the smallest level whose upper bound on the type II error is at most `type2_max`."""
        band = self.band(method)
        # as band.choose_alpha, which would also remember the choice and so take the promise from a planned level of
        # the same rank
        choice = choose_from_knots(band, (band.alpha, band.type2_lower, band.type2_upper), None, type2_max)
        return Level(choice.alpha, choice, method)

    def is_in_doubt(self, level):
        """Whether nothing is guaranteed at a level that the band itself would be drawn with as one fixed beforehand."""
        return level.choice is not None or bool(self.plan.unmet)

    def _changed_beside(self, level):
        """Return the settings that were changed; of a level that was set anew the choice itself tells."""
        return [name for name in self.plan.changed if level.choice is None or name not in ("alpha", "delta")]

    def band_in_doubt(self, level, method):
        """Return the band of a method with what is unmet, which it must know before it says what holds at a level."""
        band = replace(self.band(method), unmet=(SETTINGS_FIXED,) * bool(self._changed_beside(level)))
        band = with_shared_owners(band, self.plan.owners, self.plan.source.shared_owners)
        if not band.unmet and level.choice is not None and level.method == method:
            # this copy remembers the choice, as the band of the printed code does
            band.choose_alpha(**level.choice.asked)
        return band

    def classifier(self, level, method):
        """Return the classifier of a method at a level, without another fit."""
        band = self.band_in_doubt(level, method)
        with changed_filter("ignore", NPWarning, "the .* every row is called class 0"):
            # the page says it in its own words, see `nothing_called`
            fit = band.classifier(level.as_given, review_beta=self.plan.review_beta)
        # what is told here stays with the classifier, in its file and in a report on it
        return replace(fit, caveats=(*fit.caveats, *self._told_here(level, fit)))

    def told_beyond_code(self, level, method, fit):
        """Return what is told of a classifier, and not by the one that the code of the page makes."""
        own = self.band(method).caveats
        told = [caveat for caveat in self.band_in_doubt(level, method).caveats if caveat not in own]
        if level.choice is not None and level.choice.criterion.endswith(CHANGED):
            told.append(f"Choice of alpha: {level.choice.criterion}. {level.choice.reason}")
        return [*told, *self._told_here(level, fit)]

    def _told_here(self, level, fit):
        changed, caveats = self._changed_beside(level), [self._of_methods(fit)] * (len(self.bands) > 1)
        source = self.plan.source
        if source.unlabelled_told:
            read = f"{Path(source.name).name} was read{source.unlabelled_told}"
            caveats.append(f"{read}. What is proved is about rows that have a label.")
        if changed:
            caveats.append(
                f"{_were(changed)} {CHANGED}. The bound holds for settings fixed beforehand. Nothing "
                "is proved for a fit that is chosen among several by their bands."
            )
        if self.plan.resembles_told:
            caveats.append(self.plan.resembles_told)
        return caveats

    def _of_methods(self, fit):
        """Return how many methods were compared, and what that means for one that is chosen among them."""
        k = len(self.bands)
        said = f"This is one of {k} methods whose NP-ROC bands were compared ({', '.join(self.plan.methods)})."
        if self.plan.changed or self.plan.owners or fit.alpha_chosen:
            return said
        said += " What is proved holds for a method chosen beforehand."
        if not fit.guaranteed:
            return said
        too = " The same would be true of the type II error and beta." * (self.plan.review_beta is not None)
        return (
            f"{said} Had the method been chosen by its band, the type I error would exceed alpha with probability at "
            f"most {min(k * fit.delta, 1):g} ({k} delta), not delta.{too}"
        )

    def doubt(self, level, fit):
        """Return why the bound at a level is not proved of its classifier, in a few words; empty where it is."""
        reasons = self._chosen_late(level) + [f"{fit.n_splits} splits vote"] * (fit.n_splits > 2)
        if self.plan.owners:
            reasons.append(self.plan.owners)
        clauses = [f"because {reason}" for reason in reasons]
        return ", ".join([*clauses[:-1], f"and {clauses[-1]}"] if len(clauses) > 1 else clauses)

    def _chosen_late(self, level):
        """Return what was chosen after a band had been seen, as a list of clauses."""
        is_planned = level.choice is None or CHANGED in level.choice.criterion
        late = [] if is_planned else ["alpha was chosen on the band"]
        return late + [f"{and_list(self.plan.changed)} {CHANGED}"] * bool(self.plan.changed)

    def comparison_doubt(self, level):
        """Return a sentence that says why no probability is proved of the comparison; empty where some are."""
        reasons = self._chosen_late(level)
        # of a level that was chosen here; at others it may be proved
        where = "for this fit" if self.plan.unmet else f"at alpha = {level.shown_alpha}"
        if self.plan.owners:
            reasons.append(self.plan.owners)
        why = ", and because ".join(reasons)
        return f"None of the probabilities below is proved {where}, because {why}." if reasons else ""

    def has_ties(self, method):
        """Whether some left-out class 0 rows have the same score."""
        return any(np.any(np.diff(scores) == 0) for scores in self.band(method).sorted0)

    def nothing_called(self, level, method, fit):
        """Return what to do where no left-out row of either class is called class 1, in two sentences; else None."""
        band = self.band(method)
        if self.plan.review_beta is not None or band.at(level.alpha).type2 < 1:
            return None
        pairs = list(zip(band.sorted0, fit.thresholds, strict=True))
        if any(scores[-1] > threshold for scores, threshold in pairs):
            return None
        tied = any(np.sum(scores == threshold) > 1 for scores, threshold in pairs)
        reason = ", since many scores are equal" if tied else ""
        return (
            f"At this alpha it calls every left-out row {self.plan.class0}{reason}. Choose a larger alpha or another "
            "method."
        )

    def predictive_values(self, level, method, prevalence):
        """Return the `PredictiveValues` at a level where class 0 has a prevalence."""
        values = self.band_in_doubt(level, method).predictive_values({self.plan.class0: prevalence})
        return values.at(level.as_given)

    def predictive_promise(self, values, level, fit):
        """Return what is promised of the bounds on predictive values, as a sentence or two."""
        doubt = self.doubt(level, fit)
        if doubt:
            of_vote = f" {OF_SINGLE_SPLITS}" * (self.plan.n_splits > 1)
            return f"The bounds are not guaranteed {doubt}.{of_vote} {ONE_REGION}"
        chosen = " They are for a method chosen beforehand." * (len(self.plan.methods) > 1)
        chosen += f" They hold {IF_UNSEEN}." * self.plan.resembles
        return f"{values.note}{chosen} {values.copies}".rstrip()

    def notes(self, fit):
        """Return what is and is not promised of a classifier, as a list of sentences."""
        # the table with these columns is in another place
        return [*fit.notes(columns=False), HALVES]


@dataclass(frozen=True)
class Level:
    """A level and where it comes from.

    Attributes
    ----------
    alpha : float
        The bound on the type I error.
    choice : AlphaChoice or None
        How it was chosen on a band; None if it was fixed before the fit.
    method : str or None
        The method on whose band it was chosen.
    """

    alpha: float
    choice: AlphaChoice | None = None
    method: str | None = None

    @property
    def as_given(self):
        """The level as a band is asked for it, which then knows of a choice."""
        return self.alpha if self.choice is None else self.choice

    @property
    def shown_alpha(self):
        """The level as text, rounded up, so that typed in it does not fall below its knot."""
        return level_text(self.alpha, 10) if self.choice is None else self.choice.shown_alpha


def checks_against(fit):
    """Return how many checks of the order of the rows speak against independence, in a sentence; "" for none.

    They take the scores of the left-out class 0 rows, which are the same at every level.
    """
    try:
        checks = fit.check_assumptions()
    except NPError:
        # the thresholds are not order statistics of one sample
        return ""
    # as the repr of the checks counts them
    n = sum(p is not None and p <= checks.level for p in checks.holm)
    if not n:
        return ""
    speak = "speaks" if n == 1 else "speak"
    return (
        f"{n} of {len(checks.made)} checks of the order of the rows {speak} against the assumption that they are "
        "independent; see the report, under \u201cChecks of the assumptions\u201d."
    )


def check_new_rows(source, plan):
    """Raise InvalidInputError if a table of new rows lacks a predictor of a plan, or text where the fit has none."""
    from pandas.api.types import is_numeric_dtype

    lost = [name for name in plan.features if name not in source.frame.columns]
    if lost:
        others = source.frame.columns.drop(plan.label, errors="ignore")
        meant = near_names(plan.features, others, OTHERS_SHOWN)
        rename = " Columns must have the names that they had in the fit: rename them, and upload the file again."
        raise InvalidInputError(
            f"{source.name} lacks {len(lost)} of the predictors of the fit: {listed(lost, OTHERS_SHOWN)}. "
            f"{meant.strip()}{rename * bool(meant)}".rstrip()
        )
    for name in plan.features:
        if is_numeric_dtype(plan.source.frame[name]):
            try:
                refuse_commas(source.frame[name], f"column {name!r} of {source.name}", source.decimal)
            except InvalidInputError as error:
                raise InvalidInputError(page_words(error, source.ways_out)) from error
    _refuse_text(source, plan)


def _refuse_text(source, plan):
    """Raise if columns that hold numbers, or true and false, in the fit have text alone now; say what and in which row.

    Of a column with such values the rows with text get no prediction.
    """
    found = {"numbers": [], "true and false": []}
    for name, rows in _texts(source, plan).items():
        values = source.frame[name]
        if rows.any() and not (values.notna() & ~rows).any():
            row = int(np.argmax(rows))
            found[_held(name, plan)].append((name, str(values.iloc[row]), values.index[row] + 1))
    told = [_text_told(what, *columns) for what, columns in found.items() if columns]
    if told:
        raise InvalidInputError(
            f"{source.name}: {' And '.join(told)} Correct such cells, or leave these rows out, and "
            "upload the file again."
        )


def _held(name, plan):
    from pandas.api.types import is_bool_dtype

    return "true and false" if is_bool_dtype(plan.source.frame[name]) else "numbers"


def _texts(source, plan):
    """Return which rows have text, for each column read as text that holds numbers, or true and false, in the fit."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    found = {}
    for name in plan.features:
        fitted, values = plan.source.frame[name], source.frame[name]
        is_flag = is_bool_dtype(fitted)
        # true and false are no numbers, but 1 and 0 will do for them
        will_do = is_numeric_dtype(values) and (is_flag or not is_bool_dtype(values))
        if will_do or not is_numeric_dtype(fitted):
            continue
        texts = values.dropna().astype(str)
        fits = texts.str.lower().isin(("true", "false")) if is_flag else are_numbers(texts, source.decimal or ".")
        found[name] = np.isin(values.index, texts.index[~np.asarray(fits)])
    return found


def _read_as_in_fit(frame, source, plan):
    """Return rows without text where the fit has none, with their numbers, or true and false, in place of texts."""
    flags, sign = {"true": True, "false": False}, source.decimal or "."
    for name in _texts(source, plan):
        is_flag = _held(name, plan) != "numbers"
        values = [
            value
            if not isinstance(value, str)
            else flags[value.lower()]
            if is_flag
            else float(value.replace(sign, "."))
            for value in frame[name]
        ]
        frame = frame.assign(**{name: values})
    return frame


def _text_told(what, first, *others):
    """Return in a sentence or two which columns have text where the fit has `what`: each a name, a text and its row."""
    name, text, row = first
    more = f" and {len(others) - OTHERS_SHOWN} more columns" if len(others) > OTHERS_SHOWN else ""
    also = ", ".join(f"{other!r} ({value!r} in row {place})" for other, value, place in others[:OTHERS_SHOWN])
    also = f" The same is true of {also}{more}." if others else ""
    return f"column {name!r} has text {text!r}, the first in row {row}, where the fit has {what}.{also}"


def count_errors(source, fit, plan):
    """Return the predictions of new rows, the `Evaluation` or None, and what is said of rows seen or incomplete.

    Warnings of the package are said there, too: nobody who looks at the page sees those of the server.
    """
    # beside it stands what is said of the file of the fit
    whose = " set aside" if source is plan.aside else f" of {Path(source.name).name}"
    with warnings_heard() as heard:
        predictions = predict_rows(source, fit, plan, most=OTHERS_SHOWN)
        evaluation, seen, said = _evaluated_rows(source, fit, plan)
    said = [*_left_out_told(source, fit, plan, whose), *said]
    # of rows that are found to equal those of the fit it is said already
    told = [one for one in heard if not (seen and str(one) in OWN_ROWS_WARNINGS)]
    # it is said with the rows of the file
    told = [one for one in told if getattr(one, "fault", None) not in TOLD_OF_NEW_ROWS]
    said += [f"{one[:1].upper()}{one[1:]}" for one in map(page_note, map(page_words, told))]
    return predictions, evaluation, " ".join(said)


def _evaluated_rows(source, fit, plan):
    """Return the `Evaluation` of new rows or None, whether some equal rows of the fit, and sentences on them."""
    known = _read_as_in_fit(source.frame[_is_predicted(source, fit, plan)], source, plan)
    ranges = fit.design.ranges
    warnings = NewValues(ranges).add(known, row_of=known.index.__getitem__).warnings()
    told = [ranges.told(ranges.count_outside(known)), *map(page_words, warnings)]
    said = [f"{one[:1].upper()}{one[1:]}" for one in told if one]
    if plan.label not in source.frame.columns:
        return None, False, said
    counted = _counted(source, fit, plan)
    if counted.empty:
        return None, False, said
    try:
        evaluation = evaluate_table(fit, counted, plan.label, source.name)
    except InvalidInputError as error:
        if error.fault != "unknown labels":
            raise
        return None, False, [*said, f"No errors are counted: {page_words(error)}"]
    note = repeated_note(plan.kept.frame, counted, plan.features).removeprefix("warning: ").strip()
    said += [f"{note[:1].upper()}{note[1:]}."] if note else []
    # of rows set aside the page says it below their table
    said += [] if source is plan.aside else _owners_of_errors(source, fit, plan)
    return with_known(evaluation, dependent=_dependent_errors(source, fit, plan)), bool(note), said


def _owners_of_errors(source, fit, plan):
    """Return that there are no intervals, because of `_dependent_errors`, as a list of a sentence, or empty."""
    told = _dependent_errors(source, fit, plan)
    return [f"No intervals are shown, because {told}."] if told else []


def _dependent_errors(source, fit, plan):
    """Return by which owners rows depend on others of their class, or rows set aside on any, in words, or ""."""
    counted = _counted(source, fit, plan)
    classes = [part for _, part in counted.groupby(plan.label)]
    counts = owners_within(counted, classes, {plan.label}, plan.source.shared_owners)
    told = owners_told(counts, len(counted), "another row of their class")
    return told or (plan.owners if source is plan.aside else "")


def barred_from_certifying(source, fit, plan, evaluation):
    """Return why new rows certify nothing, as the end of a sentence, or "" where nothing speaks against them.

    The `evaluation` is that of `count_errors`.
    """
    rows0, has_labels = _counted(source, fit, plan), plan.label in source.frame.columns
    if has_labels and evaluation is None:
        return "no errors are counted on them"
    if rows0.empty:
        return "none of them gets a prediction"
    other = None if has_labels else next(iter(columns_of_labels(source.frame, fit.labels, plan.features)), None)
    if other is not None:
        return (
            f"the column {str(other)!r} has the labels of both classes, which the fit knows by the name "
            f"{plan.label!r}. Give the column this name in the file, and upload it again"
        )
    if (has_labels and evaluation.own_rows) or repeated_note(plan.kept.frame, rows0, plan.features):
        return "some of them equal rows of the fit, and may be the same observations"
    if has_labels:
        rows0 = rows0[labels_for(fit, rows0, plan.label, source.name) == fit.class0]
        if rows0.empty:
            return "none of them is of class 0"
    counts = owners_within(source.frame, [rows0], {plan.label}, plan.source.shared_owners)
    return owners_told(counts, len(rows0))


def _unpredicted(source, fit, plan):
    """Return which rows get no prediction: a dict by the reason, of dicts of arrays by column.

    The reasons are a gap that the classifier does not take, text where the fit has none, and a category that no row of
    the fit has. A row has the first of them that is true of it.
    """
    frame, needed = source.frame, fit.design.columns_without_gaps(plan.features)
    reasons = {
        GAP: {name: frame[name].isna().to_numpy() for name in needed},
        TEXT: _texts(source, plan),
        UNSEEN: plan.unseen(frame),
    }
    found, before = {}, np.zeros(len(frame), dtype=bool)
    for reason, columns in reasons.items():
        found[reason] = {name: rows & ~before for name, rows in columns.items() if (rows & ~before).any()}
        before |= np.any([before, *found[reason].values()], axis=0)
    return found


def _is_predicted(source, fit, plan):
    """Return for each row whether it is predicted."""
    found = [rows for columns in _unpredicted(source, fit, plan).values() for rows in columns.values()]
    return ~np.any([np.zeros(len(source.frame), dtype=bool), *found], axis=0)


def is_counted(source, fit, plan):
    """Return for each row whether it is predicted, and has a label where the table has labels."""
    predicted = _is_predicted(source, fit, plan)
    return predicted & source.frame[plan.label].notna().to_numpy() if plan.label in source.frame.columns else predicted


def _counted(source, fit, plan):
    """Return the rows that can be predicted and have a label."""
    return _read_as_in_fit(source.frame[is_counted(source, fit, plan)], source, plan)


def _left_out_told(source, fit, plan, whose=""):
    """Return how many rows get no prediction or do not count in the errors, and why, as a list of sentences.

    The first of them says `whose` rows these are.
    """
    n, said = len(source.frame), []
    for reason, found in _unpredicted(source, fit, plan).items():
        if not found:
            continue
        n_rows = int(np.any(list(found.values()), axis=0).sum())
        if reason == GAP:
            have, get = ("has", "gets") if n_rows == 1 else ("have", "get")
            said.append(
                f"{count_of(n_rows, n, first=True)}{whose} {have} missing values in the predictors and {get} no "
                "prediction."
            )
            continue
        have = f"has {reason}, and gets" if n_rows == 1 else f"have {reason}, and get"
        of = "" if said else whose
        said.append(f"{count_of(n_rows, n, first=True)}{of} {have} no prediction: {_where(source, found)}.")
        # rows that were set aside are some of those of the file
        line = "" if source is plan.aside else rows_counted(" ".join(said), [source.name])
        said += [line] * bool(line)
    n_unlabelled = int(source.frame[plan.label].isna().sum()) if plan.label in source.frame.columns else 0
    if n_unlabelled:
        have = "has no label and does" if n_unlabelled == 1 else "have no label and do"
        of = "" if said else whose
        said.append(f"{count_of(n_unlabelled, n, first=True)}{of} {have} not count in the errors.")
    return said


def _where(source, found):
    """Return which values some rows have in which columns, and where."""
    where = []
    for name, rows in list(found.items())[:OTHERS_SHOWN]:
        values = source.frame[name][rows]
        more = f" and {values.nunique() - 1} more" if values.nunique() > 1 else ""
        first = "" if len(values) == 1 else "first "
        where.append(f"{name!r} has {values.iloc[0]!r}{more} ({first}in row {source.frame.index[np.argmax(rows)] + 1})")
    more = f"; and {len(found) - OTHERS_SHOWN} more columns" if len(found) > OTHERS_SHOWN else ""
    return f"{'; '.join(where)}{more}"


def new_rows_told(source, fit, plan):
    """Return what a report says of the file of the new rows: its name, its rows, and which of them it leaves out."""
    said = [f"New rows: {Path(source.name).name}, {len(source.frame)} rows.", *_left_out_told(source, fit, plan)]
    counted = _counted(source, fit, plan)
    if len(counted) < len(source.frame):
        said.append(f"The errors below are those of the other {len(counted)} rows.")
    return " ".join([*said, *_owners_of_errors(source, fit, plan)])


def known_rows(source, fit, plan):
    """Return the new rows that can be predicted and have a label, for a report; none if there are no such rows.

    With them goes why a report cannot use them, as a sentence, or "".
    """
    if source is None or plan.label not in source.frame.columns:
        return (), ""
    if same_rows(source.marks_of_rows(plan.label), plan.marks):
        return (), "They are the rows of the fit, and the errors on them are not those of new rows."
    frame = _counted(source, fit, plan)
    if frame.empty:
        return (), ""
    try:
        rows = rows_for(fit, frame), labels_for(fit, frame, plan.label, source.name)
        # there may be a value that the classifier cannot take
        fit.predict(rows[0])
    except NPError as error:
        told = page_words(error)
        return (), f"{told[:1].upper()}{told[1:]}"
    return rows, ""


def rows_of_report(new, fit, plan):
    """Return the rows on which a report counts the errors: those set aside, or `known_rows` of the new ones.

    With them go what the report says of them, or None, and why it is without the new rows, as a sentence, or "".
    """
    if plan.aside is None:
        rows, unused = known_rows(new, fit, plan)
        return rows, new_rows_told(new, fit, plan) if rows else None, unused
    rows, unused = known_rows(plan.aside, fit, plan)
    name = Path(plan.source.name).name
    said = [f"New rows: {plan.n_aside} rows of {name}, which were set aside and took no part in the fit."]
    said += [told for told in (plan.unknown, *_left_out_told(plan.aside, fit, plan)) if told]
    said += _owners_of_errors(plan.aside, fit, plan)
    if rows and new is not None:
        unused = "It has the errors on the rows that were set aside."
    return rows, " ".join(said) if rows else None, unused


def unseen_rows(rows, new, fit, note, plan):
    """Return what `write_report` takes of `rows_of_report`, with what its methods section says of rows left out."""
    aside, left_out, dependent, of_errors = "", "", "", ""
    if plan.aside is not None:
        aside = f"Of {len(plan.source.frame)} rows, {plan.n_aside} were drawn at random and set aside before the fit."
    if rows:
        n_given = len(new.frame) if plan.aside is None else plan.n_aside
        source = new if plan.aside is None else plan.aside
        left_out, counted = new_rows_left_out(_causes(source, fit, plan), n_given), _counted(source, fit, plan)
        class0 = counted[rows[1] == fit.class0]
        owners = owners_within(counted, [class0], {plan.label}, plan.source.shared_owners)
        dependent = owners_told(owners, len(class0))
        of_errors = _dependent_errors(source, fit, plan)
    X, y = rows or (None, None)
    name = new.name if rows and plan.aside is None else None
    return UnseenRows(X, y, note, {}, left_out, aside, dependent, of_errors, name=name)


def _causes(source, fit, plan):
    """Return how many rows a report does not count, by what they had."""
    counts = {}
    for reason, found in _unpredicted(source, fit, plan).items():
        had = "missing values" if reason == GAP else reason
        counts[had] = int(np.any(list(found.values()), axis=0).sum()) if found else 0
    if plan.aside is not None:
        # these the plan has left out of the rows set aside
        counts[UNSEEN] += plan.n_aside - len(source.frame)
    unlabelled = source.frame[plan.label].isna().to_numpy()
    return counts | {"no label": int(np.sum(unlabelled & _is_predicted(source, fit, plan)))}


def _were(names):
    """Return the names of settings and the verb that follows them, as the begin of a sentence."""
    told = [name if name in ("alpha", "delta", "beta", "class 0") else f"the {name}" for name in names]
    many = len(names) > 1 or names[0] in ("methods", "predictors", "splits")
    text = " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
    return f"{text[0].upper()}{text[1:]} {'were' if many else 'was'}"


def summaries(result, level, method, prevalence):
    """Return what a report shows beside the band: the comparison, and a summary of predictive values."""
    found = []
    if result.comparison is not None:
        found += [_comparison_summary(result, level), result.comparison]
    if prevalence is not None and result.plan.review_beta is None:
        # without a usable prevalence the page says why there are none
        with suppress(NPError):
            found.append(_predictive_summary(result, level, method, prevalence))
    return found


def _comparison_summary(result, level):
    comparison = result.comparison
    rows = [
        (row.method, at_least(row.type2_lower, 4), estimate, at_most(row.type2_upper, 4), row.dominates)
        for row in comparison.at(level.alpha).itertuples()
        for estimate in ["-" if math.isnan(row.type2) else row.type2]
    ]
    columns = ["Method", "Type II from", "Estimate", "to", "Better than"]
    try:
        best = best_text(comparison, comparison.best_at(level.alpha, fallback="estimate"), level.alpha)
    except NPError as error:
        best = str(error)
    notes = [NO_REVIEW] * (result.plan.review_beta is not None) + [best]
    return summary_table(f"All methods at alpha = {level.shown_alpha}{result.plan.without}", [], columns, rows, notes)


def _predictive_summary(result, level, method, prevalence):
    values, fit = result.predictive_values(level, method, prevalence), result.classifier(level, method)
    zero, one = values.classes
    bounds = [(zero, values.npv_lower, values.npv, values.npv_upper)]
    bounds += [(one, values.ppv_lower, values.ppv, values.ppv_upper)]
    rows = [
        (share_of_right_calls(name), at_least(low, 4), estimate_text(middle), at_most(high, 4))
        for name, low, middle, high in bounds
    ]
    pairs = [("alpha", level.shown_alpha), (f"Prevalence of {zero}", f"{prevalence:g}")]
    columns = ["Share of right calls", "From", "Estimate", "To"]
    return summary_table("Predictive values", pairs, columns, rows, [result.predictive_promise(values, level, fit)])


def bounds_at_all_ranks(result, prevalence):
    """Return the table of all bands that `npc bands` writes, with predictive values where a prevalence is given."""
    predictive = []
    if prevalence is not None and result.plan.review_beta is None:
        # without a usable prevalence the page says why there are none
        with suppress(NPError):
            predictive = [band.predictive_values({result.plan.class0: prevalence}) for band in result.bands]
    return knots(result.bands, predictive)


def page_note(note):
    """Return a note without the names of arguments of Python, or of options of the command line."""
    return re.sub(r" \((?:na_action='omit'|--na-action omit|X0_new)\)", "", note)


def predict_rows(source, fit, plan, *, most=None):
    """Return a DataFrame: row number, prediction, score minus threshold, columns that do not predict, label.

    If some rows get no prediction, it also has the reason.

    The columns that do not predict, such as the number of a patient, are those of the table; at most `most` of them. If
    the table has a column with the name of one that is made here, `FROM_FILE` follows the name of the former.

    Of several splits it also has the share of votes for class 1, which of one split says no more than the prediction.
    """
    import pandas as pd

    frame, known = source.frame, _is_predicted(source, fit, plan)
    columns = {"row": frame.index.to_numpy() + 1}
    names = ["predicted", *["votes"] * (fit.n_splits > 1), "score"]
    ours = pd.DataFrame(index=np.arange(len(frame)), columns=names)
    if known.any():
        rows = rows_for(fit, _read_as_in_fit(frame[known], source, plan))
        found = {"predicted": fit.predict(rows), "votes": fit.votes(rows), "score": fit.decision_function(rows)}
        found = {name: found[name] for name in names}
        # the others stay empty
        ours = pd.DataFrame(found, index=np.flatnonzero(known)).reindex(ours.index)
    columns.update({name: ours[name].to_numpy() for name in ours})
    if not known.all():
        columns["reason"] = reasons_of_rows(frame, _unpredicted(source, fit, plan))
    given = _given_beside(source, plan, most)
    for name in given:
        shown = str(name)
        while shown in columns or (shown != name and shown in given):
            shown += FROM_FILE
        columns[shown] = frame[name].array
    return pd.DataFrame(columns)


def _given_beside(source, plan, most=None):
    """Return the columns of a table of new rows that stand beside the predictions: at most `most`, and the label."""
    columns = source.frame.columns
    others = [name for name in columns if name not in plan.features and name != plan.label][:most]
    return [*others, *[plan.label] * (plan.label in columns)]


def renamed_told(source, fit, plan):
    """Return which columns of new rows are renamed in the predictions, as a sentence or two; empty if none are."""
    ours = ["row", "predicted", *["votes"] * (fit.n_splits > 1), "score"]
    ours += ["reason"] * (not _is_predicted(source, fit, plan).all())
    same = [name for name in ours if name in _given_beside(source, plan)]
    if not same:
        return ""
    has = "a column of its own with the name" if len(same) == 1 else "columns of its own with the names"
    return (
        f"{source.name} has {has} {listed(same, len(same))}. Here and in the download "
        f"\u201c{FROM_FILE.strip()}\u201d stands behind such a name. The name alone is that of a column of this page."
    )


@dataclass(frozen=True)
class BandOnShow:
    """A band whose picture ends where that of the page does.

    Attributes
    ----------
    band : NPROCBand
        The band; what is not drawn is asked of it.
    alpha_up_to : float
        Where the alpha axis ends.
    plan : Plan
        The plan of the fit, which has the names of both classes.
    """

    band: object
    alpha_up_to: float
    plan: Plan

    def __getattr__(self, name):
        return getattr(self.band, name)

    def _with_level_fixed(self, alpha):
        """Return this band for a level that was fixed beforehand; see `NPROCBand._with_level_fixed`."""
        return replace(self, band=self.band._with_level_fixed(alpha))

    def plot(self, **how):
        """Draw the band as `NPROCBand.plot` does, up to that alpha, with the classes on the axes; return the Axes."""
        ax = self.band.plot(**(how | {"xlim": (0, self.alpha_up_to)}))
        _name_classes(ax, self.plan)
        return ax


# the choice of the user that leaves the end of the alpha axis to the page, and where it may end then
AROUND_ALPHA = "around"


def axis_end(result, level, zoom):
    """Return where the alpha axis ends: as the user says, or soon behind the alpha of the fit, or where bands are flat.

    The level is in sight, wherever it was moved.
    """
    if zoom != AROUND_ALPHA:
        return float(zoom)
    return end_of_levels(result.plan.alpha, [band.shown_knots for band in result.bands], marked=level.alpha)


def _name_classes(ax, plan):
    """Name both axes anew where only the page knows what tells the classes; return these names, else None.

    Labels such as 1 or "yes" need their column, and errors without review a word.
    """
    if not plan.without and names_class(plan.class0) and names_class(plan.class1):
        return None

    def parts(longest):
        column = as_given(short_name(plan.label, longest))
        zero, one = map(as_given, short_names([str(plan.class0), str(plan.class1)], longest))
        whose0, whose1 = (
            name if names_class(label) else f"{column} = {name}"
            for name, label in ((zero, plan.class0), (one, plan.class1))
        )
        called = f"called {one})"
        return (f"({whose0}", called), (f"({whose1}", called)

    ax.set(xlabel=r"type I error bound, $\alpha$", ylabel=f"1 $-$ type II error{plan.without}")
    add_to_names(ax, parts)
    return ax.get_xlabel(), ax.get_ylabel()


# inches for each width in millimetres, and the size of letters in points where it is not that of matplotlib
WIDTHS, LETTERS = {"170": 6.7, "85": 3.35}, {"85": LETTERS_OF_COLUMN}
WIDEST = "170"
# height of a picture as a share of its width; inches more for each method from the fifth on, whose bars take room
HEIGHT, ROW = 0.94, 0.4
# pixels in an inch of a PNG file
DPI = 300
FORMATS = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}


def size_of_file(result, width):
    """Return width and height in inches of a picture that is so many millimetres wide."""
    return WIDTHS[width], round(HEIGHT * WIDTHS[width] + ROW * max(0, len(result.bands) - 4), 2)


def letters_of(width):
    """Return a context in which matplotlib has the letters of a picture that is so many millimetres wide."""
    import matplotlib as mpl

    return mpl.rc_context({"font.size": LETTERS[width]} if width in LETTERS else {})


def draw(result, level, *, alpha_up_to=1.0, layout="constrained", pixels=None, width=WIDEST):
    """Return a matplotlib Figure with all bands, the level, and dominance bars where there are several methods.

    Parameters
    ----------
    result : Result
        What to draw.
    level : Level
        The level to mark.
    alpha_up_to : float
        Where the alpha axis ends.
    layout : str
        The layout engine of matplotlib.
    pixels : (float, float), optional
        Width and height at which the picture will be shown, by which its legend is placed; None takes those of a file.
    width : str
        Width of a file in millimetres, one of `WIDTHS`.
    """
    figure = figure_for_file(size_of_file(result, width), layout=layout)
    if pixels is not None:
        figure.set_size_inches(*(side / figure.dpi for side in pixels))
    ax = figure.subplots()
    if result.comparison is None:
        result.bands[0].plot(ax=ax, alpha=level.alpha, xlim=(0, alpha_up_to))
    else:
        # panels would be slivers here, and a click needs one pair of axes
        result.comparison.plot(ax=ax, alpha=level.alpha, layout="overlay", xlim=(0, alpha_up_to))
    _name_classes(ax, result.plan)
    if result.is_in_doubt(level):
        ax.set_title(_doubt(result, level), loc="left", fontsize="medium")
    return ax.figure


def _doubt(result, level):
    """Return what stands above a picture in doubt: why nothing in it is guaranteed, or why the marked level is not."""
    if result.plan.owners:
        return ALL_IN_DOUBT.format("some rows depend on each other")
    if result._changed_beside(level):
        tables = {CONTENT, ORDER}.intersection(result.plan.changed)
        what = "the table was" if tables.issuperset(result.plan.changed) else "settings were"
        return ALL_IN_DOUBT.format(f"{what} changed after a band was seen")
    return MARKED_IN_DOUBT


def drawn_picture(result, level, ratio, **view):
    """Return the Figure of `draw`, drawn already: saved as PNG at this ratio of pixels, it writes what was drawn."""
    buffer = io.BytesIO()
    with one_picture:
        figure = draw(result, level, **view)
        figure.savefig(buffer, format="png", dpi=ratio * figure.dpi)
    figure.savefig = lambda file, **_: file.write(buffer.getvalue())
    return figure


def picture_bytes(result, level, kind, width=WIDEST, *, alpha_up_to=1.0):
    """Return the picture as the bytes of an SVG, PDF or PNG file that is so many millimetres wide."""
    buffer = io.BytesIO()
    with one_picture, letters_of(width):
        draw(result, level, alpha_up_to=alpha_up_to, width=width).savefig(buffer, format=kind, dpi=DPI)
    return buffer.getvalue()


_WIDTH = 100


def python_code(result, level, method, new=None, prevalence=None, *, alpha_up_to=1.0, width=WIDEST):
    """Return Python source that fits the same bands and gives the same classifier.

    Parameters
    ----------
    result : Result
        What is on the screen.
    level : Level
        The level.
    method : str
        The method whose classifier is shown.
    new : Source, optional
        New rows, if there are some.
    prevalence : float, optional
        Share of class 0 where the classifier is used, for predictive values.
    alpha_up_to : float
        Where the alpha axis of the picture ends.
    width : str
        Width of the picture in millimetres, one of `WIDTHS`.

    Returns
    -------
    str
        It reads uploaded files from the working folder, under the names they had. Where no classifier is on the screen,
        it makes none.
    """
    plan, fit = result.plan, None
    with suppress(NPError):
        fit = result.classifier(level, method)
    known_new = fit is not None and new is not None and bool(known_rows(new, fit, plan)[0])
    evaluated = {"aside": plan.aside if fit is not None else None, "new": new if known_new else None}
    dependent = {
        name: _dependent_errors(rows, fit, plan) if rows is not None else "" for name, rows in evaluated.items()
    }
    imports = _imports(result, level, new, width, any(dependent.values()))
    parts = [imports, _fit(plan), _show(result, level, method, fit, alpha_up_to, width)]
    if fit is None:
        return "\n\n".join(parts) + "\n"
    if prevalence is not None:
        share = {plan.class0: prevalence}
        parts.append(f"values = band.predictive_values({share!r})\nprint(values.at(alpha).summary())")
    if plan.aside is not None:
        lines = [
            *(_known_only("aside", plan) if plan.unknown else []),
            *_complete_only("aside", plan.aside, plan, fit),
            _evaluated("aside", plan, dependent["aside"]),
        ]
        parts.append("\n".join(lines))
    if new is not None:
        parts.append(_new(new, plan, fit, known_new, dependent["new"]))
    return "\n\n".join(parts) + "\n"


def _imports(result, level, new, width, dependent):
    lines = [f"from nproc import {'nproc' if result.comparison is None else 'compare, nproc'}"]
    if new is not None and any(_held(name, result.plan) == "numbers" for name in _texts(new, result.plan)):
        lines.insert(0, "import pandas as pd\n")
    if width in LETTERS:
        lines.insert(0, "import matplotlib as mpl" + "\n" * (len(lines) == 1))
    if _unmet(result, level) or dependent:
        lines.insert(0, "from dataclasses import replace\n")
    lines += [source.code[0] for source in (result.plan.source, new) if source is not None]
    lines += [result.plan.division[0]] if result.plan.division else []
    # one line for both readers
    lines = [line for line in lines if line != READER or READER_OF_NEW_ROWS not in lines]
    return "\n".join(dict.fromkeys(lines))


def _fit(plan):
    label = repr(plan.label)
    lines = [f"frame = {plan.source.code[1]}"]
    if plan.division:
        lines += ["# the rows set aside take no part in the fit", plan.division[1]]
    lines += [listing("features", plan.features), listing("methods", plan.methods)]
    if plan.texts:
        # a name in the file is data: as a literal it stays so, whatever quotes it holds
        data = f"{plan.formula!r}, data=frame[[*features, {label}]], method=method"
    else:
        data = f"frame[features], frame[{label}], method"
    settings = f"class0={plan.class0!r}, delta={plan.delta!r}, n_splits={plan.n_splits}, random_state={plan.seed}"
    if plan.leaves_out:
        settings += ", na_action='omit'"
    call = f"nproc({data}, {settings})"
    if len(call) > _WIDTH - 15:
        call = f"nproc(\n        {data},\n        {settings},\n    )"
    return "\n".join([*lines, "bands = {", f"    method: {call}", "    for method in methods", "}"])


def _unmet(result, level):
    """Return the conditions of the guarantee that do not hold, which are the same for all bands."""
    return result.band_in_doubt(level, result.plan.methods[0]).unmet


def _show(result, level, method, fit, alpha_up_to, width):
    band = f"bands[{method!r}]"
    view = "" if alpha_up_to == 1 else f", xlim=(0, {alpha_up_to!r})"
    view += f", figsize={size_of_file(result, width)!r}"
    lines = [f"mpl.rc('font', size={LETTERS[width]})"] if width in LETTERS else []
    if level.choice is None:
        lines.append(f"alpha = {level.alpha!r}  # fixed before the fit")
    else:
        chosen = choice_call(f"bands[{level.method!r}]", level.choice.asked)
        lines.append(f"alpha = {chosen}  # no guarantee")
    if result.comparison is not None:
        marked = "alpha" if level.choice is None else "float(alpha)"
        lines += [
            "comparison = compare(*bands.values())",
            f"ax = comparison.plot(alpha={marked}, layout='overlay'{view})",
            "print(comparison.regions)",
        ]
    else:
        lines.append(f"ax = {band}.plot(alpha=alpha{view})")
    if (named := result.names_in_code[width]) is not None:
        lines += [f"ax.set_{axis}label({name!r})" for axis, name in zip("xy", named, strict=True)]
    if result.is_in_doubt(level):
        lines.append(f"ax.set_title({_doubt(result, level)!r}, loc='left', fontsize='medium')")
    if fit is None:
        lines.append(f"# there is no classifier of {band} at this alpha")
        return "\n".join(lines)
    review = "" if result.plan.review_beta is None else f", review_beta={result.plan.review_beta!r}"
    unmet = _unmet(result, level)
    return "\n".join(
        [
            *lines,
            f"band = {with_unmet(band, unmet) if unmet else band}",
            f"classifier = band.classifier(alpha{review})",
            "print(classifier.summary())",
            *_printed(result.told_beyond_code(level, method, fit)),
        ]
    )


def _printed(told):
    """Return lines of code that print what the page tells of the classifier, and the summary before them does not."""
    lines = [line for one in told for line in textwrap.wrap(one, WIDTH)]
    return ["print(", *(f"    {line!r}," for line in lines), "    sep='\\n',", ")"] if lines else []


def _new(new, plan, fit, known, dependent):
    unseen = any(rows.any() for rows in plan.unseen(new.frame).values())
    lines = [f"new = {new.code[1]}", *_without_text(new, plan), *(_known_only("new", plan) if unseen else [])]
    lines += _complete_only("new", new, plan, fit)
    lines.append("predicted = classifier.predict(new[features])")
    labelled = plan.label in new.frame.columns
    if known or (labelled and same_rows(new.marks_of_rows(plan.label), plan.marks)):
        if new.frame[plan.label].isna().any():
            lines.append(f"new = new.dropna(subset=[{plan.label!r}])")
        lines.append(_evaluated("new", plan, dependent))
    return "\n".join(lines)


def _without_text(new, plan):
    columns = list(_texts(new, plan))
    if not columns:
        return []
    lines = ["# text where the fit has none cannot be predicted"]
    replaced = ".str.replace(',', '.')" * (new.decimal == ",")
    for what, read in (
        ("numbers", f"pd.to_numeric(new[name]{replaced}, errors='coerce')"),
        ("true and false", "new[name].astype('str').str.lower().map({'true': 1, 'false': 0})"),
    ):
        if names := [name for name in columns if _held(name, plan) == what]:
            lines += [
                f"for name in {names!r}:",
                f"    values = {read}",
                "    new = new.assign(**{name: values})[values.notna() | new[name].isna()]",
            ]
    return lines


def _known_only(name, plan):
    fitted = "frame.dropna(subset=features)" if plan.leaves_out else "frame"
    return [
        "# a category that no row of the fit has cannot be predicted",
        f"for name in {list(plan.texts)!r}:",
        f"    {name} = {name}[{name}[name].isin({fitted}[name]) | {name}[name].isna()]",
    ]


def _complete_only(name, rows, plan, fit):
    columns = fit.design.columns_without_gaps(plan.features)
    subset = "features" if len(columns) == len(plan.features) else repr(columns)
    return [f"{name} = {name}.dropna(subset={subset})"] if rows.with_gaps(columns).any() else []


def _evaluated(name, plan, dependent):
    errors = f"classifier.evaluate({name}[features], {name}[{plan.label!r}])"
    if not dependent:
        return f"print({errors}.summary())"
    return (
        f"errors = {errors}\n# the rows are not independent\nprint(replace(errors, dependent={dependent!r}).summary())"
    )
