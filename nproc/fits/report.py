"""A report on a fitted classifier in one file: claim, assumptions, rule, errors on new rows, checks, how to redo it."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import bdtrc

from nproc.checks import check_choice, check_seed, class_names, count_of, level_text, shown
from nproc.errors import InvalidInputError, NPWarning, changed_filter, each_warning_once, warn_at_call
from nproc.fits.evaluation import (
    BY_CHANCE,
    EQUAL_ROWS,
    MANY_OWN,
    NO_CLUSTERS_TO_COUNT,
    NO_INTERVALS,
    OWN_ROWS,
    with_known,
)
from nproc.fits.made_again import ONE_OR_TWO, call_of, needed_for, votes_at_random, writes_seeds
from nproc.fits.own_rows import own_rows_of
from nproc.fits.unmet import NO_FROZEN_LABELS, NO_LABELS_IN_FRONT, NO_SEARCH, NO_SHARED_OWNERS, SETTINGS_FIXED
from nproc.outputs import REPORT, REPORT_TITLE, refuse_other_file, replaced_file
from nproc.row_chunks import RefusedValuesError
from nproc.rows import (
    UnseenCategoriesError,
    as_table,
    check_same_length,
    check_same_rows,
    count_shared,
    encode_labels,
    has_twin,
    is_frame,
    n_rows,
    near_names,
    read_given,
    row_keys,
    share_of_all_rows,
    share_of_right_calls,
    take_rows,
    times_among,
)
from nproc.scorers import describe_trained, method_in_words, not_converged
from nproc.tables import Summary, at_least, at_most, note_text, rounded_up, share_text, summary_table
from nproc.thresholds import Threshold, and_of_rank

FORMATS = {".html": "html", ".htm": "html", ".md": "md"}
SOURCES = {
    "tong2018": "Tong, X., Feng, Y. and Li, J. J. (2018). Neyman-Pearson classification algorithms and NP receiver "
    "operating characteristics. Science Advances 4(2), eaao1659.",
    "berk1979": "Berk, R. H. and Jones, D. H. (1979). Goodness-of-fit test statistics that dominate the Kolmogorov "
    "statistics. Zeitschrift fuer Wahrscheinlichkeitstheorie und verwandte Gebiete 47, 47-59.",
    "moscovich2016": "Moscovich, A., Nadler, B. and Spiegelman, C. (2016). On the exact Berk-Jones statistics and "
    "their p-value calculation. Electronic Journal of Statistics 10(2), 2329-2354.",
    "massart1990": "Massart, P. (1990). The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality. Annals of "
    "Probability 18(3), 1269-1283.",
    "holm1979": "Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of "
    "Statistics 6(2), 65-70.",
    "delong1988": "DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the areas under two or "
    "more correlated receiver operating characteristic curves: a nonparametric approach. Biometrics 44(3), 837-845.",
    "sun2014": "Sun, X. and Xu, W. (2014). Fast implementation of DeLong's algorithm for comparing the areas under "
    "correlated receiver operating characteristic curves. IEEE Signal Processing Letters 21(11), 1389-1393.",
    "nadeau2003": "Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52(3), "
    "239-281.",
    "clopper1934": "Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in "
    "the case of the binomial. Biometrika 26(4), 404-413.",
}
STYLE = (
    "body{font:15px/1.5 sans-serif;max-width:52em;margin:2em auto;padding:0 1em;color:#111}"
    "table{border-collapse:collapse;margin:.5em 0}td,th{padding:.15em .7em;text-align:left;"
    "border-bottom:1px solid #ddd;vertical-align:top}img{max-width:100%}pre{background:#f5f5f5;padding:.7em;"
    "white-space:pre-wrap;overflow-wrap:anywhere}p{overflow-wrap:anywhere}.wide{overflow-x:auto}h2{margin-top:1.6em}"
)


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    words: str

    def as_html(self):
        return f"<p>{html.escape(self.words)}</p>"

    def as_md(self):
        # a label may hold signs of the markup
        return "".join(f"\\{sign}" if sign in "\\`*_[]<>#|$" else sign for sign in self.words)


@dataclass(frozen=True)
class Code:
    """Lines to copy."""

    lines: str

    def as_html(self):
        return f"<pre>{html.escape(self.lines)}</pre>"

    def as_md(self):
        fence = "`" * max(3, 1 + max((len(run) for run in self.lines.split("\n") if set(run) == {"`"}), default=0))
        return f"{fence}\n{self.lines}\n{fence}"


@dataclass(frozen=True)
class ToPaste(Text):
    """A paragraph to paste elsewhere, on one line and without signs of the markup."""

    def as_md(self):
        return Code(self.words).as_md()


@dataclass(frozen=True)
class Table:
    """A summary."""

    summary: Summary

    def as_html(self):
        # on a narrow screen it scrolls inside the page
        return f'<div class="wide" tabindex="0">{self.summary.as_html()}</div>'

    def as_md(self):
        return Code(str(self.summary)).as_md()


@dataclass(frozen=True)
class Picture:
    """An SVG picture."""

    svg: bytes
    words: str

    def as_html(self):
        return f'<p><img alt="{html.escape(self.words)}" src="{self._address()}"></p>'

    def as_md(self):
        return f"![{Text(self.words).as_md()}]({self._address()})"

    def _address(self):
        return f"data:image/svg+xml;base64,{base64.b64encode(self.svg).decode()}"


@dataclass(frozen=True)
class UnseenRows:
    """Rows that had no part in the fit, as `NPFit.report` is given them.

    Attributes
    ----------
    X, y : array-like or None
        Predictors and labels.
    note : str or None
        What is said of them before their errors.
    evaluation : dict
        What `evaluate` takes besides.
    left_out : str
        How many rows were left out and why, as a sentence; empty for none.
    set_aside : str
        How many rows of the table were set aside before the fit, as a sentence; empty for none.
    dependent : str
        As in `CertifiedBound`.
    dependent_errors : str
        Likewise why the rows of a class, on which errors are counted, are not independent.
    name : str or None
        That of their file or table, for the reader.
    prevalence : float or dict or None
        The share at which predictive values are shown, as in `NPFit.report`.
    """

    X: Any
    y: Any
    note: str | None
    evaluation: dict[str, Any]
    left_out: str = ""
    set_aside: str = ""
    dependent: str = ""
    dependent_errors: str = ""
    name: str | None = None
    prevalence: float | Mapping[Any, float] | None = None


def write_report(fit, path, new, *, data, band, summaries, named, data_code=None, fmt=None) -> Path:
    """Write the file of `NPFit.report`; return its path.

    `named` are the names of the table and of its label column. The lines `data_code` read the table as ``data``. They
    stand before the call that makes the fit again.
    """
    fmt = _format_of(path, fmt)
    refuse_other_file(path, REPORT)
    data = None if data is None else _rows_used(fit, *_rows_and_labels(fit, data))
    if isinstance(summaries, Iterator):
        summaries = list(summaries)
    told, origins = _told_in_methods(fit, summaries)
    summaries = _summaries(summaries)
    if band is not None:
        _check_band(fit, band)
    beside = {"new_note": new.note, "prevalence": new.prevalence}
    about_new = [*(name for name, value in beside.items() if value is not None), *new.evaluation]
    if new.X is None and new.y is not None:
        raise InvalidInputError("y has the labels of new rows; give their X too, or leave it out.", argument="y")
    if new.X is None and about_new:
        name = about_new[0]
        raise InvalidInputError(f"{name} is about new rows; give X and y, or leave it out.", argument=name)
    if new.X is not None and _calls_at_random(fit):
        # the same rows are called the same at each time that the report is written
        new = replace(new, evaluation={"random_state": fit.seed} | new.evaluation)
    if hasattr(fit, "n_clusters") and new.evaluation.get("random_state") is not None:
        # a generator would draw other rows at each time
        new = replace(new, evaluation=new.evaluation | {"random_state": check_seed(new.evaluation["random_state"])})
    new, counted = _counted(fit, new)
    with counted:
        sections = list(_sections(fit, new, data, band, (summaries, told, origins), named, data_code))
    text = _as_html(REPORT_TITLE, sections) if fmt == "html" else _as_md(REPORT_TITLE, sections)
    with replaced_file(path) as part:
        Path(part).write_text(text, encoding="utf-8")
    return Path(path)


def _counted(fit, new):
    """Return new rows without those with missing values, if the fit left such rows out, and a note of how many.

    In the block that comes with them, what is said of a row counts all new rows.
    """
    if new.X is None:
        return new, nullcontext()
    beside = {name: new.evaluation.get(name) for name in ("groups", "clusters")}
    (X, y, *members), n_gaps, counted = fit._complete_rows(new.X, new.y, *beside.values())
    if not n_gaps:
        return new, counted
    # it warns, and raises if no row is left
    fit._counted_rows(new.X)
    evaluation = new.evaluation | {name: one for name, one in zip(beside, members, strict=True) if one is not None}
    have = "has missing values and is" if n_gaps == 1 else "have missing values and are"
    left = f"{count_of(n_gaps, n_gaps + n_rows(X), 'new rows', first=True)} {have} left out."
    note = " ".join(filter(None, [new.note, left]))
    left_out = new_rows_left_out({"missing values": n_gaps}, n_gaps + n_rows(X))
    return replace(new, X=X, y=y, note=note, evaluation=evaluation, left_out=left_out), counted


def new_rows_left_out(counts, n_new):
    """Return how many of the new rows were left out, as a methods section says it; "" for none.

    The dict `counts` has how many rows had what.
    """
    counts = {what: n for what, n in counts.items() if n}
    if not counts:
        return ""
    n = sum(counts.values())
    of, was = count_of(n, n_new, "new rows", first=True), "was" if n == 1 else "were"
    if len(counts) == 1:
        return f"{of} had {next(iter(counts))} and {was} left out."
    *most, last = [f"{n} had {what}" for what, n in counts.items()]
    return f"{of} {was} left out: {', '.join(most)} and {last}."


def _summaries(given):
    """Return summaries, each of them as it is or that of a result."""
    if isinstance(given, str) or not hasattr(type(given), "__iter__") or hasattr(given, "as_html"):
        raise InvalidInputError(
            f"summaries must be a list of summaries, or of results that have one, got {shown(given)}.",
            argument="summaries",
        )
    made = [one.summary() if callable(getattr(one, "summary", None)) else one for one in given]
    for one, summary in zip(given, made, strict=True):
        if not hasattr(summary, "as_html"):
            raise InvalidInputError(
                f"summaries must hold summaries, such as band.summary(), or results that have one, got {shown(one)}.",
                argument="summaries",
            )
    return made


def _told_in_methods(fit, given):
    """Return what results say for a methods section, and the `Origin` of the rows of each of them.

    The first is a sentence, the keys of its papers and the methods, for each result that has them.
    """
    if isinstance(given, str) or not hasattr(type(given), "__iter__"):
        return [], []
    results = [one for one in given if hasattr(one, "_in_methods_section")]
    for band in [band for one in results for band in getattr(one, "bands", ())]:
        _check_classes(fit, band, "summaries", "hold results of")
    origins = [_origin(fit, one) for one in results]
    told = [one._in_methods_section(fit.method, origin.rows) for one, origin in zip(results, origins, strict=True)]
    return told, origins


@dataclass(frozen=True)
class Origin:
    """Where the rows of a result come from.

    Attributes
    ----------
    rows : str
        The rows, as in "on ...": empty if they are the left-out rows of the fit.
    kinds : set of {"fit", "split", "perhaps", "others", "trained", "scores", "procedures"}
        Whether they were left out by the fit, or by another split, of the same rows, perhaps of them or of others, or
        are those of scorers that were trained beforehand, or came as scores without a scorer, or belong to a comparison
        of procedures.
    seeds : tuple of int
        The seeds that `rows` names.
    """

    rows: str
    kinds: set
    seeds: tuple = ()


def _origin(fit, result):
    """Return the `Origin` of the rows of a comparison, of AUCs or of a band."""
    bands = [result] if hasattr(result, "sorted0") else getattr(result, "bands", None)
    if bands is None:
        return Origin(f"seed {result.seed}", {"procedures"}, (result.seed,))
    if not bands:
        return Origin(f"given scores of {result.n0} rows of class 0 and {result.n1} of class 1", {"scores"})
    of_kind = {}
    own = {_marks(band) for band in bands if _has_left_out_rows(fit, band)}
    for band in bands:
        if band.subject is None:
            kind = "scores"
        elif _marks(band) in own and _may_have_rows_of(fit, band.subject):
            kind = "fit"
        elif band.subject.prefit:
            kind = "trained"
        elif not _may_have_rows_of(fit, band.subject):
            kind = "others"
        else:
            kind = "split" if _same_keys(fit, band.subject) else "perhaps"
        of_kind.setdefault(kind, []).append(band)
    if set(of_kind) == {"fit"}:
        return Origin("", {"fit"})
    rows = [_rows_of_kind(fit, kind, of_kind[kind]) for kind in sorted(of_kind)]
    seeds = {band.seed for kind in ("split", "perhaps", "others") for band in of_kind.get(kind, ())}
    return Origin(" and on ".join(rows), set(of_kind), tuple(seeds))


def _rows_of_kind(fit, kind, bands):
    """Return the rows of bands of one of the kinds of `Origin`, as in "on ..."."""
    one, sizes = bands[0], {(band.n0_left_out, band.n1_left_out) for band in bands}
    counted = f"{one.n0_left_out} rows of class 0 and {one.n1_left_out} of class 1" if len(sizes) == 1 else ""
    if kind == "fit":
        return "the same left-out rows"
    if kind == "scores":
        return f"given scores of {counted}" if counted else "given scores"
    if kind == "trained":
        return f"{counted or 'rows'} that had no part in the training"
    several = len({(band.seed, band.n_splits) for band in bands}) > 1 or not counted
    if kind == "others":
        of = "other sets of rows" if several else "another set of rows"
        splits = f"{one.n_splits} splits of " * (one.n_splits > 1 and not several)
    else:
        of = "other splits" if several else "another split" if one.n_splits == 1 else f"{one.n_splits} other splits"
        splits = ""
        of += ", perhaps of other rows" * (kind == "perhaps")
    if several:
        seeds = sorted({band.seed for band in bands})
        return f"the left-out rows of {of} (seed{'s' * (len(seeds) > 1)} {', '.join(map(str, seeds))})"
    each = " in each" * (one.n_splits > 1)
    return f"the left-out rows of {splits}{of} ({counted.replace(' rows', '')}{each}, seed {one.seed})"


def _marks(band):
    return tuple(split.rows for split in band.scored)


def _has_left_out_rows(fit, band):
    """Return whether a fit and a band left out the same rows, as far as their places, keys and scores tell."""
    if band.subject is None or not _may_have_rows_of(fit, band.subject):
        return False
    if fit.prefit or band.subject.prefit:
        return fit.prefit and band.subject.prefit and fit.orders.ndim == 1 and _has_scores_of(fit, band)
    return fit.of_band is not None and fit.of_band["rows"] == _marks(band)


def _may_have_rows_of(fit, subject):
    """Return whether a fit may have the rows of a band; of other columns, or without keys, sizes alone tell."""
    if (fit.n0, fit.n1) != (subject.n0, subject.n1):
        return False
    return _same_keys(fit, subject) is not False


def _same_keys(fit, subject):
    """Return whether the hashes of the class 0 rows of a fit and of a band are the same; None if nothing tells.

    Formulas with different terms have different hashes, and those of all columns of their table tell.
    """
    columns = [(one.design.feature_names, one.design.n_features) for one in (fit, subject)]
    if fit.keys0 is not None and subject.keys0 is not None and columns[0] == columns[1]:
        return np.array_equal(fit.keys0, subject.keys0)
    tables = fit.table_keys0, subject.table_keys0
    if None in tables or tables[0].columns != tables[1].columns:
        return None
    return np.array_equal(*(table.keys for table in tables))


def _not_about_fit(origins, classifier):
    """Return what results are not about, as a list of sentences; `classifier` names that of the fit."""
    told, kinds = [], set().union(*(origin.kinds for origin in origins))
    if kinds & {"split", "perhaps"}:
        told.append(("another random split", "the training rows of that split"))
    if "others" in kinds:
        told.append(("another set of rows", "rows of that set"))
    return [
        f"Results of {of} have scorers that were trained on {rows}, so none of these scorers is {classifier}."
        for of, rows in told
    ]


def _if_chosen(fit, n_compared):
    """Return what holds if the method was chosen among those of comparisons, as a sentence; "" where nothing does."""
    if n_compared < 2 or not fit.guaranteed:
        return ""
    chance = at_most(min(n_compared * fit.delta, 1.0))
    return (
        f"If the method was chosen by a comparison of {n_compared} methods on these rows, the type I error is above "
        f"alpha with probability at most {n_compared} delta = {chance}, not delta."
    )


def _format_of(path, fmt):
    if not isinstance(path, str | PathLike):
        raise InvalidInputError(
            f"path must be the file to write, such as 'report.html', got {shown(path)}.",
            argument="path",
            way_out="Give the rows after it.",
        )
    if fmt is not None:
        return check_choice(fmt, "fmt", ("html", "md"))
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise InvalidInputError(
            f"path must end in .html or .md, got {shown(str(path))}.",
            argument="path",
            fault="unknown ending",
            way_out="Or say by fmt which of the two it is.",
        )
    return FORMATS[ending]


def _as_html(title, sections):
    body = "\n".join(
        f"<h2>{html.escape(name)}</h2>\n" + "\n".join(part.as_html() for part in parts) for name, parts in sections
    )
    head = f'<meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body><h1>{title}</h1>\n{body}\n</body></html>\n'


def _as_md(title, sections):
    body = "\n\n".join(f"## {name}\n\n" + "\n\n".join(part.as_md() for part in parts) for name, parts in sections)
    return f"# {title}\n\n{body}\n"


def _sections(fit, new, data, band, others, named, data_code):
    X, y = new.X, new.y
    summaries, told, origins = others
    n_compared = len({name for *_, names in told for name in names})
    try:
        seen = None if X is None else _rows_seen(fit, X, y, data)
        checks = _assumption_checks(fit, X, y, data, seen, new.evaluation)
    except (RefusedValuesError, UnseenCategoriesError):
        if X is not None:
            # of those of class 0 only some were asked for; an error tells the first of all rows
            fit._scores(X)
        raise
    copies = None if data is None else _copies(fit, *data)
    label0, label1 = names = _named_labels(fit, named[1])
    named_fit = replace(fit, labels=np.array(names))
    claims = named_fit._claims()
    bound = "The bound on the type I error"
    if hasattr(fit, "review_rules"):
        bound = "Each of the two bounds"
    elif hasattr(fit, "group_values"):
        bound = "The bound on the type I error in the groups of the fit"
    if fit.unmet:
        proved = "The type I error of this classifier is not guaranteed."
    elif hasattr(fit, "assumption"):
        proved = f"{bound} is proved for each split if the assumption holds: {fit.assumption}."
    elif fit.guaranteed:
        proved = f"{bound} is proved under what is assumed below."
    elif fit.alpha_chosen and not fit.simultaneous:
        # the claim has said so
        proved = ""
    else:
        proved = "The bound at alpha is not proved for the classifier as a whole."
    meant = f"Class 0 is {label0}: its rows should seldom be called {label1}."
    others = ("review_rules", "group_values")
    if fit.guaranteed and not any(hasattr(fit, name) for name in others):
        most, sure = at_most(fit.alpha, percent=True), at_least(1 - fit.delta, percent=True)
        rank = and_of_rank(fit.rules[0])
        drawn = f", over the draw of the rows{rank}," * bool(rank)
        # of a bare number alone nobody would know what it is
        whose = label0 if class_names(fit.labels)[0] == label0 else "class 0"
        whose += " without missing values" * bool(fit.design.n_omitted)
        rows = f"all future rows of {whose}"
        if hasattr(fit, "n_clusters"):
            cluster = "cluster" if fit.cluster_column is None else f"value of {fit.cluster_column}"
            rows = f"the future rows of {whose}, one drawn at random from each new {cluster},"
        meant = (
            f"Class 0 is {label0}. If what is assumed below holds, then with {sure} confidence{drawn} at most {most} "
            f"of {rows} are called {label1}."
        )
    if not hasattr(fit, "review_rules"):
        missed = f"rows of {label1} that are called {label0} (the type II error)"
        own = band is not None and is_of_band(fit, band)
        meant += f" {'This claim says nothing' if own else 'Nothing is promised here'} about {missed}."
        if own:
            meant += " The band below is about that error, and its notes say what is proved."
        elif band is not None:
            meant += " The band below bounds that error of its own classifiers, and not of this one."
        # the names that these errors have for a diagnostic test
        meant += (
            f" If {label0} is the disease, sensitivity is 1 - type I error and specificity 1 - type II error. If "
            f"{label1} is the disease, they change places."
        )
    # copies are a matter of what is assumed
    proved = " ".join([proved, *(caveat for caveat in _caveats(fit) if ONE_OR_TWO not in caveat)]).strip()
    doubt = _spoken_against(checks, "what is assumed", "below")
    yield "What is claimed", [Text(words) for words in [meant, *claims, proved, doubt] if words]
    yield "What is assumed", [Text(words) for words in _assumptions(fit, checks, copies, n_compared)]
    yield "What was analysed", [Text(words) for words in _analysed(fit, *named)]
    # what the fit warned of in its table stands above in full
    in_short = replace(named_fit, design=replace(fit.design, told=()))
    yield "The classifier", [Table(in_short.summary(max_rows=None)), *_picture(fit)]
    if band is not None:
        without = " without review" * hasattr(fit, "review_rules")
        yield f"The price of other levels{without}", _of_band(fit, band)
    elif not any(hasattr(fit, name) for name in ("review_rules", "group_values", "n_clusters")):
        yield "The price of other levels", [Text(_without_band(fit))]
    if summaries:
        about = _not_about_fit(origins, "the classifier of this report")
        if any(origin.kinds & {"scores", "trained"} for origin in origins):
            about.append(
                "Where scores were given or scorers were trained beforehand, it cannot be told whether they are those "
                "of the classifier of this report."
            )
        said = [*map(Text, [" ".join(about)] * bool(about)), *_not_proved(fit, "below")]
        yield "Other results", [*said, *(Table(summary) for summary in summaries)]
    if seen is not None:
        title = "Errors on new rows"
        if seen.many:
            title = "Errors on rows that the fit has seen: they tell nothing about new rows"
        yield (
            title,
            [
                *([Text(f"Table of the new rows: {new.name}.")] if new.name else []),
                *([Text(new.note)] if new.note else []),
                *_on_new_rows(fit, new, seen, named_fit.labels, checks),
            ],
        )
    yield "Checks of the assumptions", list(_checks(fit, copies, seen, checks))
    yield "To make it again", list(_again(fit, data, *named, data_code))
    papers = ["tong2018", *_papers_of_bounds(fit)]
    compared, seeds = [words for words, *_ in told], {seed for origin in origins for seed in origin.seeds}
    # a band is always without review
    if band is not None and (hasattr(fit, "review_rules") or not is_of_band(fit, band)):
        of_band = _origin(fit, band)
        papers += band.rule.papers if band.simultaneous else ()
        compared, seeds = [_band_of_methods(band, of_band), *compared], seeds.union(of_band.seeds)
        origins = [of_band, *origins]
    compared += _not_about_fit(origins, "the classifier above")
    papers += [key for _, keys, _ in told for key in keys]
    if seen is not None and not seen.many and not new.dependent_errors:
        papers.append("clopper1934")
    compared += filter(None, [_if_chosen(fit, n_compared)])
    yield (
        "For a methods section",
        [
            ToPaste(_methods(fit, new, checks, band, (compared, seeds - {fit.seed}), seen, named_fit)),
            *(Text(SOURCES[key]) for key in dict.fromkeys(papers)),
        ],
    )


def _label_name(fit, label_name):
    """Return the name of the label column, as given or that of the formula; None if it is not known."""
    return fit.design.coding.label if label_name is None and fit.design.coding is not None else label_name


def _named_labels(fit, label_name):
    """Return the labels as text: bare numbers with the name of their column, where it is known."""
    labels, name = [str(label) for label in fit.labels], _label_name(fit, label_name)
    bare = all(label.lstrip("-").replace(".", "", 1).isdigit() for label in labels)
    return [f"{name} = {label}" for label in labels] if bare and name is not None else labels


def _assumptions(fit, checks, copies, n_compared):
    rows, where = ("clusters" if hasattr(fit, "n_clusters") else "class 0 rows"), ""
    if hasattr(fit, "group_values"):
        where = " within their group"
    if hasattr(fit, "review_rules"):
        rows, where = "rows of each class", " within their class"
    cut = "cuts" if hasattr(fit, "review_rules") else "threshold"
    if fit.unmet:
        yield (
            "Not everything that the proof requires holds here. The bound would be proved only "
            f"{' and '.join(fit.unmet)}. This is why the type I error is not guaranteed."
        )
    doubt = f" {_spoken_against(checks, 'this assumption', 'below', alone=True)}".rstrip()
    if NO_SHARED_OWNERS in fit.unmet:
        yield (
            f"The {rows} that set the {cut}, and those that will be classified, have the same distribution{where}. The "
            "proof also requires that they are independent, which rows of one patient, country or other unit are not."
            f"{doubt}"
        )
    else:
        yield (
            f"The {rows} that set the {cut}, and those that will be classified, are independent and have the same "
            f"distribution{where}.{doubt}"
        )
    if hasattr(fit, "assumption"):
        yield f"Beyond that, the rule assumes {fit.assumption}."
    yield from map(note_text, fit.design.omitted_notes())
    found = _copies_at_the_fit(fit) or ("" if copies is None else copies.said())
    copied = f" But {found}" * bool(found)
    if fit.prefit:
        yield "The scorer was trained beforehand on other rows."
    elif hasattr(fit, "n_folds"):
        yield f"The score of each class 0 row is that of a scorer which did not see the row.{copied}"
    elif {NO_LABELS_IN_FRONT, NO_FROZEN_LABELS} & set(fit.unmet):
        had = "had" if NO_LABELS_IN_FRONT in fit.unmet else "may have"
        yield (
            f"The rows that set the {cut} were left out of the training of the classifier at random, but a step in "
            f"front of it {had} learned from their labels.{copied}"
        )
    else:
        yield f"The rows that set the {cut} had no part in the training, since they were left out at random.{copied}"
    if fit.simultaneous:
        yield "The level alpha may have been chosen on the scores, since the bounds hold at all levels at once."
    elif fit.alpha_chosen:
        yield "The level alpha was chosen on the scores. This is why the type I error is not guaranteed."
    elif NO_SEARCH not in fit.unmet:
        levels = "levels alpha and beta were" if hasattr(fit, "review_rules") else "level alpha was"
        yield f"The {levels} fixed before anybody looked at the scores."
    if not {NO_SEARCH, SETTINGS_FIXED} & set(fit.unmet):
        fixed = "The method and all other settings were fixed before anybody looked at the scores."
        yield f"{fixed} {_if_chosen(fit, n_compared)}".rstrip()
    yield "Two scores that differ by rounding errors alone count as equal."


def _spoken_against(checks, what, where="", *, alone=False) -> str:
    """Say how many of the checks speak against something, and which; "" for none.

    With `alone` it says so, too, of checks that speak against it only before adjustment for their number.
    """
    from nproc.assumptions import AGAINST, ALONE

    if checks is None:
        return ""
    read = list(zip(checks.checks, checks.holm, checks.readings, strict=True))
    found = [f"{check.name} (Holm p = {p:.2g})" for check, p, reading in read if reading == AGAINST]
    but = ""
    if not found and alone:
        found = [f"{check.name} (p = {check.p_value:.2g})" for check, _, reading in read if reading == ALONE]
        but = ", but not after adjustment for the number of checks"
    if not found:
        return ""
    speak = "speaks" if len(found) == 1 else "speak"
    see = f" See Checks of the assumptions {where}." if where else ""
    few = count_of(len(found), len(checks.made), "checks", first=True)
    return f"{few} {speak} against {what}{but}: {', '.join(found)}.{see}"


# more names of predictors than this hide the rest
MOST_NAMES = 20


def _analysed(fit, data_name, label_name):
    """Return what is known of the table, as a list of sentences."""
    label0, label1 = _named_labels(fit, label_name)
    label_name = _label_name(fit, label_name)
    if data_name is not None:
        yield f"Table: {data_name}."
    if label_name is not None:
        yield f"Label column: {label_name}."
    yield f"Rows of the fit: {fit.n0} of {label0} (class 0) and {fit.n1} of {label1} (class 1).{_left_out(fit)}"
    names = fit.feature_names
    if names is not None:
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        yield f"Predictors ({len(names)}): {', '.join(map(str, names[:MOST_NAMES]))}{more}."
    if hasattr(fit, "n_clusters"):
        named = "" if fit.cluster_column is None else f", by the column {fit.cluster_column}"
        yield f"Clusters of rows that belong together: {fit.n_clusters}{named}."
    yield from map(note_text, fit.design.told)


def _left_out(fit):
    """Return how many rows with missing values were left out of how many, as a sentence; nothing for none."""
    n_omitted = fit.design.n_omitted
    if not n_omitted:
        return ""
    had = "had a missing value and was" if n_omitted == 1 else "had missing values and were"
    return f" Before that, {n_omitted} of {n_omitted + fit.n0 + fit.n1} rows {had} left out."


def _caveats(fit):
    """Return what must be read with the claim; of a level that was chosen the claim has said what its caveat says."""
    chosen = fit.alpha_chosen and not fit.simultaneous
    return [caveat for caveat in fit.caveats if not (chosen and caveat.startswith("Choice of alpha: "))]


def _copies_at_the_fit(fit):
    """Return what the fit tells of left-out rows with copies that trained; "" if it found none."""
    return next((caveat for caveat in fit.caveats if ONE_OR_TWO in caveat), "")


def _picture(fit):
    from nproc.plotting import as_svg

    words = "Scores of the left-out class 0 rows, and the threshold"
    if hasattr(fit, "review_rules"):
        words = "Scores of the left-out rows of both classes, and the two cuts"
    try:
        return [Picture(as_svg(fit.plot), words)]
    except InvalidInputError:
        # this kind of fit has no single threshold to draw
        return []


def _check_band(fit, band):
    """Raise unless a band can be shown beside a fit: with its classes, and up to its alpha at least."""
    if not hasattr(band, "sorted0"):
        raise InvalidInputError(f"band must be an NPROCBand, as nproc makes it, got {shown(band)}.", argument="band")
    _check_classes(fit, band, "band", "have")
    if band.alpha_max is not None and band.alpha_max < fit.alpha:
        raise InvalidInputError(
            f"band must reach the alpha of the fit, {level_text(fit.alpha)}, and it ends at alpha_max="
            f"{band.alpha_max:g}.",
            argument="band",
            way_out="Make the band again without alpha_max or with a larger one, or leave band out.",
        )


def _check_classes(fit, band, argument, must):
    """Raise if a band has other classes than a fit, as its type II error would then be the type I error of the fit.

    `must` is what `argument` must do with the same classes.
    """
    labels = fit.labels.tolist()
    if band.subject is not None and band.subject.labels.tolist() != labels:
        found0, found1 = band.subject.labels.tolist()
        raise InvalidInputError(
            f"{argument} must {must} the same classes as the fit, {labels[0]!r} as class 0 and {labels[1]!r} as class "
            f"1, got {found0!r} as class 0 and {found1!r} as class 1.",
            argument=argument,
            way_out=f"Make the band{'s' * (argument != 'band')} with class0={labels[0]!r}.",
        )


def is_of_band(fit, band) -> bool:
    """Return whether a fit is the classifier of a band at its level, as far as settings and left-out scores tell."""
    if band.subject is None or (fit.of_band is None and not (fit.prefit and band.subject.prefit)):
        return False
    usual = fit.ties == fit.rank == "conservative" and isinstance(fit.rules[0], Threshold)
    # band.method may be a name that the user gave, which its classifiers do not have
    same = (fit.method, fit.delta, fit.n_splits) == (band.subject.method, band.delta, band.n_splits)
    if not (usual and same and np.all(fit.orders == band.at(fit.alpha).order)):
        return False
    return _has_scores_of(fit, band)


def _has_scores_of(fit, band):
    return len(fit.scores0) == band.n_splits and all(
        np.shape(own) == of_band.shape and np.array_equal(np.sort(own), of_band)
        for own, of_band in zip(fit.scores0, band.sorted0, strict=True)
    )


def _of_band(fit, band):
    from nproc.plotting import as_svg, end_of_levels

    if not fit.alpha_chosen:
        band = band._with_level_fixed(fit.alpha)

    usual = min(end_of_levels(fit.alpha, [band.shown_knots], marked=fit.alpha), band.alpha_max or 1.0)
    # the band of the page ends where the user sees it end
    end = getattr(band, "alpha_up_to", usual)

    def draw(ax):
        return band.plot(ax=ax, alpha=fit.alpha, xlim=(0.0, end))

    own = is_of_band(fit, band)
    said = [] if own else [Text(" ".join(_of_others(fit, band)))]
    if hasattr(fit, "review_rules"):
        said.append(
            Text(
                "Without review: this band is that of classifiers which call every row by one of the two labels. Its "
                "type II errors are therefore not those of the classifier of this report, which leaves rows to review."
            )
        )
    if own:
        said += _not_proved(fit, "of the band")
    shown = f"; the axis ends at alpha = {end:g}" * (end < 1)
    picture = Picture(as_svg(draw), f"NP-ROC band, marked at alpha = {level_text(fit.alpha)}{shown}")
    return [*said, picture, Table(band._summary_with(fit.alpha))]


def _without_band(fit):
    """Say how a report gets a band."""
    none = (
        "This report has no NP-ROC band, because none was given. A band bounds the type II error of its own "
        "classifiers at each alpha. nproc(X, y, ...) makes one of the same rows, as does the command npc bands --out."
    )
    if fit.of_band is not None:
        none = "This classifier comes from an NP-ROC band, which was not given to the report."
    drawn = f"draws the band here, marked at alpha = {level_text(fit.alpha)}"
    return f"{none} report(..., band=band), or npc report --band, {drawn}."


def _of_others(fit, band):
    """Say of a band to which the fit does not belong of what it is, and what is known to differ, as sentences."""
    subject = band.subject
    if subject is None:
        yield (
            "This band was made from scores. Its bounds on the type II error are about thresholds of these scores. It "
            "cannot be told whether they are the scores of the classifier of this report."
        )
    else:
        yield (
            "The classifier of this report does not come from this band. The bounds on the type II error are about the "
            "classifiers of the band, band.classifier(alpha). The type II error of the classifier of this report may "
            "lie outside them."
        )
        if not (fit.prefit or subject.prefit or hasattr(fit, "review_rules")) and fit.of_band is None:
            yield "The classifiers of the band were trained on a part of the class 1 rows only, and this one on all."
    differ = []
    if subject is not None and subject.method != fit.method:
        differ.append(f"its method is {subject.method}, not {fit.method}")
    if band.delta != fit.delta:
        differ.append(f"its delta is {band.delta:g}, not {fit.delta:g}")
    if band.n_splits != fit.n_splits:
        differ.append(f"it has {band.n_splits} split{'s' * (band.n_splits > 1)}, not {fit.n_splits}")
    other_rows = subject is not None and (subject.n0, subject.n1) != (fit.n0, fit.n1)
    if other_rows:
        differ.append(
            f"it is of other rows, {subject.n0} of class 0 and {subject.n1} of class 1, not {fit.n0} and {fit.n1}"
        )
    if subject is not None and subject.design.required_columns != fit.design.required_columns:
        differ.append("its predictors are other columns")
    if differ:
        yield f"The band also differs from this fit in its settings or rows: {'; '.join(differ)}."
    if subject is not None and not other_rows:
        alike = None if fit.prefit or subject.prefit else _same_keys(fit, subject)
        if alike is None:
            yield "It cannot be told whether the band is of the same rows, because a band does not store its rows."
        elif alike:
            yield "The class 0 rows of the band equal those of this fit, as far as hashes of their values tell."
        else:
            yield "The band is of other rows: its class 0 rows differ from those of this fit."


def _not_proved(fit, where):
    """Say why what notes promise with some probability is not proved here, as a list of no or one text."""
    said = []
    if fit.unmet:
        said.append(
            f"The probabilities in the notes {where} are not proved here. They would hold only "
            f"{' and '.join(fit.unmet)}."
        )
    if fit.alpha_chosen and not fit.simultaneous:
        said.append(
            f"The level alpha = {level_text(fit.alpha)} was chosen on these rows. What the notes {where} say of an "
            "alpha fixed beforehand is therefore not proved at this level."
        )
    return [Text(" ".join(said))] if said else []


def _rows_and_labels(fit, data):
    """Return `data` as a pair of rows and labels: of a fit by formula it may be the table, which has both."""
    if isinstance(data, tuple | list) and len(data) == 2:
        X, y = data
        y = fit.design.labels_of(X, y)
        check_same_length(X, y, name="data")
        return _columns_of_fit(fit, X, "data"), y
    if fit.design.formula is None or not hasattr(data, "columns"):
        raise InvalidInputError(
            f"data must be a pair (X, y), the rows of the fit and their labels, got {shown(data)}.", argument="data"
        )
    table, labels = as_table(data, "data"), fit.design.labels_beside(data)
    names = [*fit.design.required_columns, getattr(fit, "group_column", None), getattr(fit, "cluster_column", None)]
    names = list(dict.fromkeys(name for name in names if name is not None))
    missing = [name for name in names if name not in table.columns]
    if labels is None or missing:
        lost = missing or [fit.design.coding.label]
        raise InvalidInputError(
            f"data must be the table of the fit, and it lacks the column {lost[0]!r}. "
            f"{near_names(lost[:1], table.columns)}".rstrip(),
            argument="data",
        )
    return table[names], labels


def _columns_of_fit(fit, X, name):
    """Return a table with the columns of the fit alone, in their order, and then those of its groups or clusters."""
    table, names = as_table(X, name), fit.feature_names
    if names is not None and is_frame(table) and all(isinstance(column, str) for column in table.columns):
        missing = [column for column in names if column not in table.columns]
        if missing:
            meant = near_names(names, table.columns)
            raise InvalidInputError(
                f"{name} lacks the column {missing[0]!r} of the fit. {meant}".rstrip(), argument=name
            )
        beside = [getattr(fit, which, None) for which in ("group_column", "cluster_column")]
        return table[list(dict.fromkeys([*names, *(column for column in beside if column in table.columns)]))]
    if fit.design.formula is not None:
        raise InvalidInputError(f"{name} must be a table with the columns of the formula.", argument=name)
    width = table.shape[1] if table.ndim == 2 else 1
    if width != fit.design.n_features:
        raise InvalidInputError(
            f"{name} must have the {fit.design.n_features} columns of the fit, in their order, got {width}.",
            argument=name,
            way_out="Leave out columns that are no predictors.",
        )
    return table


def _predictors(fit, table):
    """Return a table of `_columns_of_fit` without groups or clusters that are no predictors."""
    return table.iloc[:, : len(fit.feature_names)] if is_frame(table) and fit.feature_names is not None else table


@dataclass(frozen=True)
class RowsSeen:
    """What is known of new rows that are rows of the fit.

    Attributes
    ----------
    own : tuple of two int, or None
        How many class 0 rows have exactly the score of a row that set the threshold, of how many; None where that tells
        nothing.
    sizes, n_equal : ndarray of int, shape (2,), or None
        The new rows of each class, and those that equal a row of the fit in all predictors; None without its rows.
    many_equal : bool
        Whether these are too many for chance.
    """

    own: tuple[int, int] | None
    sizes: np.ndarray | None
    n_equal: np.ndarray | None
    many_equal: bool

    @property
    def many_own(self):
        """Whether so many rows set the threshold that the errors on these rows tell nothing about new ones."""
        return self.own is not None and self.own[0] >= MANY_OWN * self.own[1]

    @property
    def many(self):
        """Whether the errors on these rows tell nothing about new ones."""
        return self.many_equal or self.many_own

    @property
    def none_of_class0(self):
        """Whether it is known that no new class 0 row equals a row of the fit in all predictors."""
        return self.n_equal is not None and not self.n_equal[0]

    def said_of_class0(self):
        """Return what must be read with a bound by the rows of class 0, as no or one text in a list."""
        if self.n_equal is None or self.none_of_class0:
            return []
        equal = "equals" if self.n_equal[0] == 1 else "equal"
        return [
            f"{count_of(self.n_equal[0], self.sizes[0], 'new class 0 rows', first=True)} {equal} a row of the fit in "
            "all predictors. If they are the same observations, no bound holds."
        ]

    def said(self):
        """Return what must be read with the errors on these rows, as a list of sentences."""
        said = []
        if self.n_equal is not None and self.n_equal.any():
            n_equal, n_new = self.n_equal.sum(), self.sizes.sum()
            equal = "equals" if n_equal == 1 else "equal"
            of_class0 = f"; of class 0, {self.n_equal[0]} of {self.sizes[0]}" if n_equal < n_new else ""
            said.append(
                f"{count_of(n_equal, n_new, 'new rows', first=True)} {equal} a row of the fit in all predictors"
                f"{of_class0}. If they are the same observations, the errors are not those of new rows."
            )
        if self.many_equal and self.n_equal is not None:
            said.append(
                "Chance does not explain so many, unless copies were dropped before the fit. Use rows that the fit has "
                "not seen."
            )
        elif self.many_equal:
            said.append("These rows are likely to be rows of the fit: " + EQUAL_ROWS)
        elif self.many:
            said.append("These rows are likely to be rows of the fit: " + OWN_ROWS)
        return said


def _rows_seen(fit, X, y, data):
    """Return how many new rows are likely to be those of the fit; where it is certain that all are, raise."""
    with changed_filter("ignore", NPWarning):
        # a gap is told of all rows; what else there is to say comes with the numbers
        fit.design.transform(fit._table(X))
    labels = fit.design.labels_of(X, y)
    codes = encode_labels(labels, fit.labels)
    # all of them, since the report gives the number
    looked = own_rows_of(fit, X, np.flatnonzero(codes == 0), most=np.inf)
    own = None if looked.share is None else looked.n_seen
    if data is None:
        return RowsSeen(own, None, None, bool(looked.equal))
    check_same_length(X, labels)
    rows = _columns_of_fit(fit, X, "X")
    if hash_of_rows(rows, labels) == hash_of_rows(*data):
        raise InvalidInputError(
            "X and y are the rows of the fit, which are given as data; the errors on them are not those of new rows. "
            "Give rows that had no part in the fit, or leave X and y out.",
            argument="X",
            fault="rows of the fit",
        )
    table, labels = data
    table, own_codes = _predictors(fit, table), encode_labels(labels, fit.labels)
    equal, twin = times_among(_predictors(fit, rows), table) > 0, has_twin(row_keys(table))
    sizes = np.bincount(codes, minlength=2)
    n_equal, many = np.bincount(codes[equal], minlength=2), False
    for code in (0, 1):
        # values that rows of the fit share are common, and new rows have them as well
        common = (np.sum(twin[own_codes == code]) + 1) / (np.sum(own_codes == code) + 1)
        excess = n_equal[code] / max(sizes[code], 1) - common
        many |= bool(excess >= MANY_OWN and bdtrc(n_equal[code] - 1, sizes[code], common) < BY_CHANCE)
    return RowsSeen(own, sizes, n_equal, many)


# several parts look at the same rows
@each_warning_once()
def _on_new_rows(fit, new, seen, names, checks):
    X, y, evaluation = new.X, new.y, new.evaluation
    check = None if checks is None or not checks.new_errors.made else checks.new_errors
    see = "" if check is None else f"See the check '{check.name}'."
    said, labels = seen.said(), fit.design.labels_of(X, y)
    counted = seen.many_equal and seen.n_equal is not None
    if counted and not seen.many_own:
        # evaluate warns of what the scores tell
        warn_at_call(" ".join(said), NPWarning)
    with changed_filter("ignore", NPWarning, EQUAL_ROWS) if counted else nullcontext():
        found = with_known(fit.evaluate(X, y, **evaluation), dependent=new.dependent_errors)
    if seen.many:
        found = with_known(found, own_rows=True)
    parts = [
        *([Text(" ".join(said))] if said else []),
        Table(_with_names(found, names)._summary(see)),
        Text(f"SHA-256 of these rows and labels: {hash_of_rows(_columns_of_fit(fit, X, 'X'), labels)}."),
    ]
    if _calls_at_random(fit):
        seed = evaluation["random_state"]
        parts.append(
            Text(f"Some rows are called at random; here random_state={seed!r}. Another one gives other calls.")
        )
    if seen.many:
        return parts
    codes = encode_labels(labels, fit.labels)
    if np.any(codes == 0):
        drawn = {name: one for name, one in evaluation.items() if name in ("groups", "clusters")}
        # the rows of clusters that the errors count, too
        if _calls_at_random(fit) or (hasattr(fit, "n_clusters") and "random_state" in evaluation):
            drawn["random_state"] = evaluation["random_state"]
        # of the same rows evaluate has warned
        with changed_filter("ignore", NPWarning, ""):
            bound = fit.certify(X, labels, **drawn)
        note = " ".join([*[bound.note] * bool(bound.note), *seen.said_of_class0()])
        bound = replace(bound, class0=names[0], class1=names[1], dependent=new.dependent or bound.dependent, note=note)
        if bound.own_rows is None and seen.none_of_class0 and not fit.prefit:
            bound = replace(bound, own_rows=False)
        parts.append(Table(bound._summary(in_report=True, check=check, counted=seen.n_equal is not None)))
    one_threshold = fit.orders.ndim == 1 and not (fit.alpha_chosen or fit.simultaneous or hasattr(fit, "review_rules"))
    may_have_table = one_threshold and not evaluation.keys() - {"random_state", "clusters"}
    missing = [name for code, name in enumerate(names) if not np.any(codes == code)]
    if new.prevalence is not None and not may_have_table:
        raise InvalidInputError(
            "prevalence is for the predictive values of a classifier with one threshold, whose alpha was fixed "
            "beforehand; leave it out.",
            argument="prevalence",
        )
    if new.prevalence is not None and missing:
        raise InvalidInputError(
            f"prevalence is for new rows of both classes, and these have none of {missing[0]}; leave it out.",
            argument="prevalence",
        )
    if may_have_table and not missing:
        table = fit.thresholds_table(X, y, level=0.95, prevalence=new.prevalence, **evaluation)
        ends = "Upper and lower: the ends of two-sided 95 % Clopper-Pearson intervals."
        if not found.intervals_hold:
            ends = NO_INTERVALS
            table[[name for name in table if name.endswith(("_lower", "_upper"))]] = np.nan
        # a vote has no single threshold
        cut = ["threshold"] * ("threshold" in table)
        rows = [
            (
                *(level_text(at.alpha), at.rank, *(getattr(at, name) for name in cut)),
                "-" if np.isnan(at.type1_bound) else rounded_up(at.type1_bound, at.alpha),
                *(at.type1, _up(at.type1_upper), at.type2, _down(at.type2_lower), _up(at.type2_upper)),
            )
            for at in table.itertuples(index=False)
        ]
        drawn = " As in the errors above, one row of each cluster and class counts." * getattr(
            found, "one_per_cluster", False
        )
        notes = [
            f"Type I and Type II: the shares of these rows that are called by the other label.{drawn} {ends} Proved "
            "bound: the bound on the type I error that is proved without these rows.",
            "Each line holds by itself, not all at once. A level that is chosen by this table has no guarantee.",
        ]
        errors = ["Type I", "upper", "Type II", "lower", "upper"]
        names = ["alpha", "Rank", *(name.capitalize() for name in cut), "Proved bound", *errors]
        parts.append(Table(summary_table("Other levels on the same rows", [], names, rows, notes)))
        if new.prevalence is not None:
            parts.append(Table(_predictive_values(fit, table, found.intervals_hold)))
    return parts


def _predictive_values(fit, table, holds):
    """Return the predictive values of a table of thresholds that was made with a prevalence, as a summary.

    `holds` says whether the intervals of its errors do.
    """
    label0, label1 = class_names(fit.labels)
    share, right = share_of_all_rows(label1), [share_of_right_calls(label1), share_of_right_calls(label0)]
    ends = [f"{name}{end}" for name in right for end in ("", "_lower", "_upper")]
    # no row may be called so
    rounds = [lambda value: "-" if np.isnan(value) else value, _down, _up] * 2
    rows = [
        (level_text(alpha), *(one(value) for one, value in zip(rounds, row, strict=True)))
        for alpha, *row in table[["alpha", *ends]].itertuples(index=False)
    ]
    of_class1 = float(table[share].iloc[0])
    pairs = [(share, f"{of_class1:.4g}"), (share_of_all_rows(label0), f"{1 - of_class1:.4g}")]
    intervals = NO_INTERVALS
    if holds:
        intervals = (
            "Lower and upper: both intervals of a line hold together with probability at least 0.95. They follow from "
            "the type I and type II error on these rows."
        )
    notes = [
        f"{right[0]}: of the rows that are called {label1}, the share that is of {label1}, if the classes have the "
        f"shares above; {right[1]} likewise. {intervals} If {label0} is the disease, "
        f"{right[1]} is the PPV and {right[0]} the NPV.",
        "Each line holds by itself, not all at once.",
    ]
    columns = ["alpha", right[0], "lower", "upper", right[1], "lower", "upper"]
    return summary_table("Predictive values at another prevalence", pairs, columns, rows, notes)


def _with_names(evaluation, names):
    """Return an `Evaluation`, or one of groups, with labels as the report names them."""
    if hasattr(evaluation, "overall"):
        return replace(evaluation, overall=_with_names(evaluation.overall, names))
    return replace(evaluation, labels=names)


def _up(bound):
    return "-" if np.isnan(bound) else at_most(bound, 4)


def _down(bound):
    return "-" if np.isnan(bound) else at_least(bound, 4)


def _checks(fit, copies, seen, checks):
    if checks is None:
        yield Text(
            "The order of the rows and the distribution of new rows are not checked, because the thresholds of this "
            "fit are not order statistics of one sample of class 0 scores."
        )
    else:
        yield Table(checks.summary())
    if "normal" in getattr(fit, "assumption", ""):
        yield Table(fit.check().summary())
    yield Table(_other_checks(fit, copies, seen))


def _rows_used(fit, X, y):
    """Return the rows and labels without those with missing values, if the fit left such rows out."""
    check_same_rows(X=X, y=y)
    if not fit.design.n_omitted:
        return X, y
    with changed_filter("ignore", NPWarning):
        # what was left out stands in the report
        kept = read_given(X, y, None, na_action="omit")
    return kept.X, kept.y


def _check_counts(fit, y):
    from nproc.assumptions import way_to_rows

    counts = [int(np.sum(np.asarray(y) == label)) for label in fit.labels]
    if counts != [fit.n0, fit.n1]:
        raise InvalidInputError(
            f"data must be the rows of the fit, {fit.n0} of class 0 and {fit.n1} of class 1, got {counts[0]} and "
            f"{counts[1]}.",
            argument="data",
            way_out=way_to_rows(fit, sum(counts)),
        )


def _rows_counted(fit, X, codes, evaluation):
    """Return the positions of the rows of clusters on which the errors are counted."""
    return fit._one_row_each(X, codes, evaluation.get("clusters"), evaluation.get("random_state"))


def _assumption_checks(fit, X, y, data, seen, evaluation):
    """Return the `AssumptionChecks` of a fit; None if its thresholds are no order statistics of one sample."""
    from nproc.assumptions import check_fit

    if data is not None:
        _check_counts(fit, data[1])
    try:
        fit._need_ranks("check_assumptions")
    except InvalidInputError:
        return None
    given = {} if data is None else {"X": data[0], "y": data[1]}
    set_aside = None
    if seen is not None and seen.many:
        set_aside = "New rows were given. They are not used here, because the fit has seen a fifth of them or more."
    elif seen is not None:
        codes = encode_labels(fit.design.labels_of(X, y), fit.labels)
        if np.any(codes == 0):
            kept = np.arange(codes.size)
            if hasattr(fit, "n_clusters"):
                with changed_filter("ignore", NPWarning, "clusters is missing"):
                    kept = _rows_counted(fit, X, codes, evaluation)
            rows0 = kept[codes[kept] == 0]
            given["X0_new"] = take_rows(as_table(X, "X"), rows0)
            if (
                hasattr(fit, "n_clusters")
                and fit._clusters_of_new(X, evaluation.get("clusters"), "clusters") is not None
            ):
                # these are one row of each cluster, and evaluate has told of clusters of the fit
                given["clusters_new"] = [f"new {row}" for row in rows0]
        else:
            set_aside = "None of the new rows is of class 0."
    with changed_filter("ignore", NPWarning, "clusters_new is missing"):
        checks = check_fit(fit, **given)
    if not hasattr(fit, "n_clusters"):
        not_known = "It is not known here which rows belong together."
        checks = replace(checks, clusters=replace(checks.clusters, found=not_known))
    if set_aside is None:
        return checks
    return replace(
        checks,
        new_scores=replace(checks.new_scores, found=set_aside),
        new_errors=replace(checks.new_errors, found=set_aside),
    )


def _other_checks(fit, copies, seen):
    rows = [_ties(fit)]
    exactly = "counted exactly" if fit.ties == "conservative" else "broken at random by the share that the rank allows"
    ties = f"They are {exactly}, so they do not weaken the bound."
    if hasattr(fit, "assumption"):
        ties = "The assumption of the rule is about a distribution without ties."
    notes = [f"Ties: left-out class 0 scores that equal another one. {ties}"]
    if seen is not None and (seen.own is not None or seen.n_equal is None):
        rows.append(("new rows that set the threshold", *_judged(seen)))
    if seen is not None and seen.own is not None:
        notes.append(
            "New rows that set the threshold: class 0 rows with exactly the score of a row that set it, which few rows "
            "have by chance. Rows that trained the score are not found."
        )
    if seen is not None and seen.n_equal is not None:
        found = f"{seen.n_equal.sum()} of {seen.sizes.sum()}; of class 0, {seen.n_equal[0]} of {seen.sizes[0]}"
        judgement = "look at them" if seen.n_equal.any() else "none"
        if seen.many_equal:
            judgement = "the errors on them tell nothing"
        rows.append(("new rows that equal a row of the fit", found, judgement))
        notes.append("New rows that equal a row of the fit: they agree with it in all predictors.")
    if copies is None and fit.prefit:
        notes.append("Copies were not looked for: the report was made without the rows of the fit.")
    elif copies is None:
        found = "found some: see What is assumed" if _copies_at_the_fit(fit) else "found none"
        notes.append(
            "Copies: the fit looked among its training rows for exact copies, with the same label, of left-out rows, "
            f"and {found}. Others were not looked for: the report was made without the rows of the fit."
        )
    else:
        rows += copies.rows()
        note, told = copies.note(), _copies_at_the_fit(fit)
        if told and copies.trained is not None and not told.startswith(f"{max(copies.trained)} of "):
            note += (
                " The number in What is assumed is that of rows which agree in all columns that the fit was given, "
                "also in those that are no predictors."
            )
        notes.append(note)
    declared, judgement = "declared" if hasattr(fit, "n_clusters") else "none declared", "only you know"
    if getattr(fit, "cluster_column", None) is not None:
        declared = f"declared: column {fit.cluster_column}"
    if NO_SHARED_OWNERS in fit.unmet:
        declared, judgement = "rows of one patient or other unit", "not independent"
    rows.append(("rows that belong together", declared, judgement))
    return summary_table("What else was looked at", [], ["What", "Found", "Judgement"], rows, notes)


def _judged(seen):
    """Return what the scores tell of new rows that set the threshold, and what that means."""
    if seen.many_equal and not seen.many_own:
        return "equal to rows of the fit", "the errors on them tell nothing"
    if seen.own is None:
        return "cannot be told", "only you know"
    found, judgement = f"{seen.own[0]} of {seen.own[1]} of class 0", "errors may look too small"
    if seen.own[0] == 0:
        judgement = "none"
    elif seen.many_own:
        judgement = "the errors on them tell nothing"
    elif seen.n_equal is not None and seen.n_equal[0] == 0:
        judgement = "none: equal scores by chance"
    return found, judgement


@dataclass(frozen=True)
class Copies:
    """Rows of the fit that agree in all predictors.

    Attributes
    ----------
    n : int
        Rows of the fit with an exact copy.
    trained : list of int, or None
        For each split the left-out class 0 rows with a copy among the class 0 rows that trained; None if not known.
    n0_left_out : int
        The left-out class 0 rows of each split.
    """

    n: int
    trained: list[int] | None
    n0_left_out: int

    def rows(self):
        """Return what is found, as rows of a table."""
        rows = [("rows of the fit with an exact copy", str(self.n), "look at them" if self.n else "none")]
        if self.trained is not None:
            most = max(self.trained)
            found, judgement = f"{most} of {self.n0_left_out}", "look at them" if most else "none"
            rows.append(("left-out class 0 rows with a copy that trained", found, judgement))
        return rows

    def note(self):
        """Return what a copy is."""
        note = "Exact copies are rows that agree in all predictors, whatever their labels."
        if self.trained is not None:
            note += " A copy that trained is a class 0 row among the training rows"
            note += "." if len(self.trained) == 1 else "; the number is that of the split with the most."
        return note

    def said(self):
        """Return what copies that trained mean for the guarantee, as a sentence or two; "" where there are none."""
        most = max(self.trained or [0])
        if not most:
            return ""
        are = "is an exact copy of a class 0 row" if most == 1 else "are exact copies of class 0 rows"
        split = ", in the split with the most" if len(self.trained) > 1 else ""
        share = f"{share_text(most, self.n0_left_out)}{split}"
        return (
            f"{most} of the {self.n0_left_out} left-out class 0 rows ({share}) {are} that trained. {ONE_OR_TWO} in all "
            "predictors, they do no harm."
        )


def _copies(fit, X, y):
    keys = row_keys(_predictors(fit, X))
    n_copies = int(np.sum(has_twin(keys)))
    left_out = _left_out_rows(fit, y) if n_copies else None
    trained = None
    if left_out is not None:
        keys0 = keys[encode_labels(y, fit.labels) == 0]
        trained = [count_shared(keys0, np.delete(np.arange(fit.n0), left), left) for left in left_out]
    return Copies(n_copies, trained, fit.n0_left_out)


def _left_out_rows(fit, y):
    """Return for each split which rows of class 0 were left out; None if nothing trained or they are not known."""
    from nproc.assumptions import left_out_positions

    if fit.prefit or hasattr(fit, "n_folds") or fit.orders.ndim != 1:
        return None
    return left_out_positions(fit, encode_labels(y, fit.labels))


def _ties(fit):
    scores, n_tied = _first_scores(fit), 0
    # scores of two folds come from two models
    for own in fit.scorers[0].sorted0 if hasattr(fit, "n_folds") else [scores]:
        _, counts = np.unique(own, return_counts=True)
        n_tied += int(counts[counts > 1].sum())
    judgement = "counted exactly" if fit.ties == "conservative" else "broken at random"
    if hasattr(fit, "assumption"):
        judgement = "look at them"
    return "tied class 0 scores", f"{n_tied} of {scores.size}", judgement if n_tied else "none"


def _calls_at_random(fit):
    """Return whether `predict` draws random numbers."""
    return fit.ties == "randomize" or votes_at_random(fit)


def _first_scores(fit):
    """The left-out class 0 scores of the first split, of all groups."""
    first = fit.scores0[0]
    return np.concatenate(first) if isinstance(first, tuple) else np.asarray(first, dtype=np.float64)


def _again(fit, data, data_name, label_name, data_code):
    yield Code(call_of(fit, label_name, data_code))
    yield Text(needed_for(fit, data_name, label_name, data_code))
    versions = ", ".join(f"{name} {version}" for name, version in fit.versions.items())
    yield Text(f"Versions: {versions}.")
    scorer, seeds = describe_trained(fit.scorers, names=fit.design.feature_names), ""
    if writes_seeds(fit) and "random_state" not in scorer:
        seeds = " This text and the summary leave out its random_state; the lines above have it."
    yield Text(f"{scorer}{seeds}")
    if data is not None:
        yield Text(f"SHA-256 of the rows and labels of the fit: {hash_of_rows(*data)}.")
    digest = hashlib.sha256()
    for scores in fit.scorers[0].sorted0 if hasattr(fit, "n_folds") else fit.scores0:
        for part in scores if isinstance(scores, tuple) else [scores]:
            digest.update(np.ascontiguousarray(part, dtype=np.float64).tobytes())
    yield Text(f"SHA-256 of the left-out class 0 scores: {digest.hexdigest()}.")


def _papers_of_bounds(fit):
    return fit.band_rule.papers if fit.simultaneous else ()


def _how_chosen(fit):
    """Return by what rule the level was chosen on a band; "" if that is not known."""
    asked = (fit.of_band or {}).get("choice", {})
    if "type2_max" in asked:
        most = level_text(asked["type2_max"])
        return f"from the NP-ROC band as the smallest with an upper bound on the type II error of at most {most}"
    if "criterion" in asked:
        return "from the NP-ROC band by the largest 1 - alpha - upper bound on the type II error (Youden's index)"
    return ""


def _promise_of_methods(fit):
    """Return what is promised and what must be read with it, as a list of sentences without repetitions."""
    claims, caveats, how = fit._claims(), _caveats(fit), _how_chosen(fit)
    if not fit.simultaneous:
        return [*[f"The level alpha was chosen {how}."] * bool(fit.alpha_chosen and how), *claims], caveats
    used = [f"We used {fit.band_rule.whose}."]
    chosen = next((caveat for caveat in caveats if caveat.startswith("Choice of alpha: ")), "")
    both = fit.band_rule.of_a_choice(1)[2]
    if fit.n_splits > 1 or fit.unmet or not (chosen.endswith(both) and "choice" in fit.of_band):
        return [*used, *claims], caveats
    used.append(
        f"The level alpha was chosen {how or 'by looking at the NP-ROC band'}. "
        f"With probability at least {at_least(1 - fit.delta)}, at all "
        f"alpha{fit._up_to_end()} at once, the type I error is at most alpha and the type II error on new rows lies in "
        "the band."
    )
    if fit.prefit:
        used.append("This holds if the scorer has not seen the rows of the band.")
    return used, [caveat for caveat in caveats if caveat != chosen]


def _band_of_methods(band, origin):
    """Return what a band is to which the classifier does not belong, and what it bounds, as sentences."""
    subject, of = band.subject, "given scores"
    if subject is not None:
        of = f"the method {subject.method}" if subject.prefit else method_in_words(subject.method, subject.given)
    rows = origin.rows or "the same left-out rows"
    made = f"of {rows}" if "scores" in origin.kinds else f"with {of}, from {rows}"
    if band.simultaneous:
        kind = f"{band.rule.whose}, at all alpha{f' up to {band.alpha_max:g}' if band.alpha_max else ''} at once"
    else:
        kind = "bounds for one alpha fixed beforehand"
    whose = "thresholds of these scores" if "scores" in origin.kinds else "its own classifiers"
    return (
        f"We also made an NP-ROC band {made}, with delta = {band.delta:g} and {kind}. It is about the errors of "
        f"{whose}, and not about the classifier above."
    )


def _methods(fit, new, checks, band, told, seen, named_fit):
    told, other_seeds = told
    claims, caveats = _promise_of_methods(named_fit)
    method = f"the method {fit.method}" if fit.prefit else method_in_words(fit.method, fit.given)
    if hasattr(fit, "n_folds"):
        rows = (
            f"All {fit.n0} class 0 rows trained the method and set the threshold, by {fit.n_folds}-fold cross-fitting."
        )
    elif fit.prefit:
        set_by = f"{fit.n0_left_out} class 0 rows"
        if hasattr(fit, "n_clusters"):
            set_by = f"one class 0 row from each of {fit.n0_left_out} clusters"
        rows = f"The scorer was trained beforehand, and {set_by} set the threshold."
        if hasattr(fit, "group_values"):
            rows += f" {_thresholds_of_groups(fit)}"
    else:
        split = "In a random split" if fit.n_splits == 1 else f"In each of {fit.n_splits} random splits"
        left, cut = f"{fit.n0_left_out} of the {fit.n0} class 0 rows", "the threshold"
        if hasattr(fit, "review_rules"):
            left, cut = f"{left} and {fit.n1_left_out} of the {fit.n1} class 1 rows", "both cuts"
        rows = f"{split}, {left} were left out of the training, and their scores set {cut}."
        if band is not None and not hasattr(fit, "review_rules") and is_of_band(fit, band):
            rows += f" So were {band.n1_left_out} of the {fit.n1} class 1 rows, which bound the type II error."
            rows += f" {_type2_bounded(fit, band)}".rstrip()
        elif fit.of_band is None and not hasattr(fit, "review_rules"):
            rows += f" All {fit.n1} class 1 rows were used for training."
        if hasattr(fit, "group_values"):
            rows += f" {_thresholds_of_groups(fit)}"
        if hasattr(fit, "n_clusters"):
            left = f"{fit.n0_left_out} of the {fit.n_clusters0} clusters with class 0 rows"
            rows = f"{split}, {left} were left out of the training, with all their rows."
            rows += f" {fit._training_told()}"
    if getattr(fit, "cluster_column", None) is not None:
        rows = f"Rows with the same value in the column {fit.cluster_column} form a cluster. {rows}"
    if fit.design.n_omitted:
        rows = f"{_left_out(fit).strip().removeprefix('Before that, ')} {rows} What follows is said of complete rows."
    if new.set_aside:
        rows = f"{new.set_aside} {rows}"
    beta = f", beta = {level_text(fit.beta)}" if hasattr(fit, "review_rules") else ""
    controlled = f"Class 0, whose error is controlled, is {named_fit.class0}."
    if hasattr(fit, "review_rules"):
        controlled = f"Class 0, with a type I error of at most alpha, is {named_fit.class0}."
    version = fit.versions.get("nproc-py", "")
    return " ".join(
        [
            f"We used Neyman-Pearson classification (Tong, Feng and Li 2018) with {method}, at alpha = "
            f"{level_text(fit.alpha)}{beta} and delta = {fit.delta:g}. {controlled}",
            rows,
            *(claim.replace("(Proposition 1)", "(Proposition 1 of Tong, Feng and Li 2018)") for claim in claims),
            *["This condition does not hold, so the type I error is not guaranteed."] * bool(fit.unmet),
            *(caveat.split(f" {ONE_OR_TWO}")[0] for caveat in caveats),
            *_doubt_of_methods(fit, checks),
            *not_converged(fit.scorers, names=fit.design.feature_names),
            *told,
            *_errors_counted(fit, new, seen),
            *[new.left_out] * bool(new.left_out),
            *[_intervals_of_methods(new)] * (seen is not None and not seen.many),
            f"All numbers were computed with the Python package nproc-py {version}, seed {fit.seed}"
            f"{' where no other is named' * bool(other_seeds)}.",
        ]
    )


def _intervals_of_methods(new):
    exact = "Intervals for errors on new rows are exact (Clopper and Pearson 1934)."
    if not new.dependent_errors:
        return exact
    return f"No intervals are given for the errors on new rows, because {new.dependent_errors}."


def _type2_bounded(fit, band):
    """Return with what probability a band of one split that is not simultaneous bounds the type II error."""
    if band.simultaneous or band.unmet or band.n_splits > 1:
        return ""
    sure = at_least(1 - 2 * band.delta)
    if fit.alpha_chosen:
        return f"At an alpha fixed beforehand these bounds would hold with probability at least {sure}."
    at = band.at(fit.alpha)
    interval = f"{_down(at.type2_lower)} to {_up(at.type2_upper)}"
    return (
        f"At an alpha fixed beforehand, {interval} is an interval for the type II error on new rows with confidence at "
        f"least {sure}."
    )


def _thresholds_of_groups(fit):
    """Return by how many rows the threshold of each group was set, as a sentence."""
    sizes = zip(fit.group_values, fit.n0_left_out_by_group.tolist(), strict=True)
    named = ", ".join(f"{group}: {size}" for group, size in sizes)
    n_groups = len(fit.group_values)
    each = f"each of the {n_groups} groups" if n_groups > 1 else "the group"
    common = ", and the largest of them is used in all groups" * fit.pooled * (n_groups > 1)
    return f"In {each} ({named} of these rows), a threshold was set by its own rows{common}."


def _errors_counted(fit, new, seen):
    """Return which errors were counted on how many rows, and whether they are new, as a list of sentences."""
    if seen is None:
        return []
    codes, one_each, of_clusters = encode_labels(fit.design.labels_of(new.X, new.y), fit.labels), "", []
    if hasattr(fit, "n_clusters"):
        with changed_filter("ignore", NPWarning):
            # the errors were counted before, with this warning
            kept = _rows_counted(fit, new.X, codes, new.evaluation)
            of_clusters = fit._note_on_clusters(new.X, new.evaluation.get("clusters"), NO_CLUSTERS_TO_COUNT)
        one_each = ", one row of each cluster and class" * (kept.size < codes.size)
        codes = codes[kept]
    sizes, rows = np.bincount(codes, minlength=2), "rows" if seen.many else "new rows"
    told = [f"the type {'I' * (1 + k)} error on {sizes[k]} {rows} of class {k}" for k in (0, 1) if sizes[k]]
    of_fit = "The fit has seen many of these rows, so these errors tell nothing about new rows."
    return [
        f"We counted {' and '.join(told)}{one_each}.",
        *(note.split(" Leave out")[0] for note in of_clusters),
        *[of_fit] * seen.many,
    ]


def _doubt_of_methods(fit, checks):
    """Return the assumption that checks speak against, and which do, as a list of no or one text."""
    doubt = _spoken_against(checks, "this assumption")
    if not doubt:
        return []
    whom = "clusters" if hasattr(fit, "n_clusters") else "class 0 rows"
    rests = f"The guarantee requires that the left-out and future {whom} are independent and have one distribution."
    return [f"{rests} {doubt}"]


def hash_of_rows(X, y) -> str:
    """Return the SHA-256 of rows and labels: of the values of each column in turn, and of the labels as text."""
    digest = hashlib.sha256()
    if is_frame(X):
        for name in X.columns:
            values = X[name].to_numpy()
            digest.update(str(name).encode())
            digest.update(_bytes_of(values))
    elif sparse.issparse(X):
        rows = X.tocsr()
        for part in (rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data):
            digest.update(_bytes_of(part))
    else:
        digest.update(_bytes_of(np.asarray(X)))
    if y is not None:
        digest.update(_bytes_of(np.asarray(y).astype(str)))
    return digest.hexdigest()


def _bytes_of(values):
    values = np.ascontiguousarray(values)
    return "\0".join(map(str, values.ravel().tolist())).encode() if values.dtype.kind in "OUS" else values.tobytes()
