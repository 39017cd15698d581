"""What the words after an option mean: texts of the command line become values."""

import argparse
import ast

# the option of an argument: of another name, or of the same
_LEVELS = ("alpha", "alphas", "delta", "deltas", "epsilon", "gamma", "power", "prevalence")
_SAME_NAMES = (*_LEVELS, "noise0", "noise1", "split_ratio", "checkpoint", "method", "class0", "alpha_max", "type2_max")
_OPTIONS = {name: f"--{name.replace('_', '-')}" for name in _SAME_NAMES}
_OPTIONS |= {"n_splits": "--splits", "random_state": "--seed", "n_jobs": "--jobs", "n_candidates": "--candidates"}
# advice in errors, warnings and notes, which is for users of Python
_WORDS = {
    "small_sample='normal'": "--small-sample normal",
    "small_sample='log_concave'": "--small-sample log_concave",
    "a smaller split_ratio": "a smaller --split-ratio",
    "A smaller split_ratio": "A smaller --split-ratio",
    "a larger split_ratio": "a larger --split-ratio",
    "split_ratio='auto'": "--split-ratio auto",
    "split_ratio='adaptive'": "--split-ratio adaptive",
    "split_ratio as a number": "--split-ratio as a number",
    "split_ratio=": "--split-ratio=",
    ", or fmt must say which it is": "",
    "ties='randomize'": "--ties randomize",
    "vote='random'": "--vote random",
    "give n_splits above 1, and leave out prefit": "give --splits above 1",
    "review_beta leaves": "--review-beta leaves",
    "cross_fit divides": "--cross-fit divides",
    "requires random_state.": "requires --seed.",
    "n_splits=": "--splits ",
    "random_state=": "--seed ",
    "na_action='omit'": "--na-action omit",
    "about='rules'": "--about rules",
    "about='scores'": "--about scores",
    "regions='pointwise'": "--regions pointwise",
    "regions='paired'": "--regions paired",
    "regions='simultaneous' or 'paired'": "--regions simultaneous or --regions paired",
    "regions='simultaneous'": "--regions simultaneous",
    "Leave out regions,": "Leave out --regions,",
    "band='pointwise'": "--band pointwise",
    "band='simultaneous' and bounds='berk_jones'": "--band simultaneous",
    "band='simultaneous'": "--band simultaneous",
    "Raise type2_max": "Raise --type2-max",
    "with an alpha_max above": "with an --alpha-max above",
    "Levels above alpha_max =": "Levels above --alpha-max",
    "mean class 1: change their sign.": "mean class 1: change their sign (of a column of scores by --larger-means "
    "class0).",
    "scheme='separate'": "--scheme separate",
    "variant='cx'": "--variant cx",
    "variant='er'": "--variant er",
    "anytime=True": "--anytime",
    "n_candidates=K": "--candidates K",
    "as n_candidates": "as --candidates",
    "processes at a time (n_jobs)": "processes at a time (--jobs)",
    "npc, nproc and roc_cv accept checkpoint= (a folder)": "fit, bands and compare accept --checkpoint (a folder)",
    "evaluate() estimates all errors on new rows": "--test FILE estimates all errors on new rows",
    "If you give predict a whole number as random_state, use this number in one call only; the notes of "
    "NPRandomVoteFit say why.": "If you give predict a --seed, use it in one call only: rows that are predicted one at "
    "a time with the same seed get the same draw.",
    "No new class 0 rows were given, as X0_new.": "No file of new rows was given by --new.",
    "Give X and y of the fit.": "Give the file of the fit by --data.",
    "give the cluster of each row of the fit, as the argument clusters": "give the file of the fit by --data, and its "
    "column of clusters by --clusters",
    "decimal=',' of read_in_chunks": "--decimal ','",
    "npc_multiclass bounds": "the command multiclass bounds",
    # no command does these
    "nproc.comparison.compare_aucs gives one": "in Python, nproc.comparison.compare_aucs gives one",
    "nproc.small_samples.np_threshold_normal requires": "in Python nproc.small_samples.np_threshold_normal requires",
    "compare the methods by nproc.comparison.compare_procedures": "compare the methods by --regions procedures",
    "see nproc.fits.vote_bound()": "see nproc.fits.vote_bound() in Python",
    "see check()": "see fit.check() in Python",
    "See nproc.small_samples.normality_check": "See nproc.small_samples.normality_check in Python",
    # parameters of methods
    "interval='alpha'": "--param interval=alpha",
    "interval='costs'": "--param interval=costs",
    "rule='1se'": "--param rule=1se",
    "norm='l2' or 'l1'": "--param norm=l2 or norm=l1",
    "bound='gaussian'": "--param bound=gaussian",
    "shift=True if": "--param shift=true if",
}
# what to do on the command line about a fault
_WAYS_OUT = {
    "missing values": "Fill them in, leave out those rows (in a fit by --na-action omit), --drop the columns, or "
    "choose a --method that accepts them, such as randomforest.",
    "unusable column": "Leave it out by --drop, or name the columns in a --formula.",
    "no seed": "Give --seed 1, say.",
    "mark of the separator": "Then give --sep {value!r}.",
    "decimal commas": "If they are decimal commas, give --decimal {value!r}.",
    "decimal points": "If they are decimal points, give --decimal {value!r}.",
}


def in_options(error):
    """Return the text of an error of the package in the words of the command line.

    Examples
    --------
    >>> from nproc.errors import InvalidInputError
    >>> in_options(InvalidInputError("n_splits must be at least 1, got 0.", argument="n_splits"))
    '--splits must be at least 1, got 0.'
    """
    way_out = _WAYS_OUT[error.fault].format(value=error.value) if error.fault in _WAYS_OUT else None
    return words_of_options(error.worded(argument=_OPTIONS.get(error.argument), way_out=way_out))


def words_of_options(text):
    """Return a warning or a note of the package with options in place of Python's arguments.

    Examples
    --------
    >>> words_of_options("Use a scorer with finer scores, or ties='randomize'.")
    'Use a scorer with finer scores, or --ties randomize.'
    """
    for python, option in _WORDS.items():
        text = text.replace(python, option)
    return text


def separator(text):
    r"""Return the separator that is meant: ``\t`` is a tab."""
    return "\t" if text == r"\t" else text


def names(text):
    """Return the names in a list separated by commas."""
    found = [name.strip() for name in text.split(",") if name.strip()]
    if not found:
        raise argparse.ArgumentTypeError("give names, separated by commas")
    return found


def numbers(text):
    """Return the numbers in a list separated by commas or blanks."""
    found = _floats(text)
    if not found:
        raise argparse.ArgumentTypeError(f"give numbers separated by commas, not {text!r}")
    return found


def _floats(text):
    try:
        return [float(piece) for piece in text.replace(",", " ").split()]
    except ValueError:
        return []


def one_or_more(text):
    """Return the number, or the list of several."""
    found = numbers(text)
    return found if len(found) > 1 else found[0]


def pairs(text):
    """Return the dict of a list such as ``a=0.1,b=0.2``."""
    found = {}
    for piece in names(text):
        label, _, number = piece.rpartition("=")
        try:
            found[label.strip()] = float(number)
        except ValueError:
            label = ""
        if not label.strip():
            raise argparse.ArgumentTypeError(f"give label=number, separated by commas, not {piece!r}")
    return found


def prevalence(text):
    """Return a share between 0 and 1, or the two that bound it."""
    found = _floats(text)
    if len(found) not in (1, 2) or not all(0 < share < 1 for share in found) or found != sorted(found):
        raise argparse.ArgumentTypeError(f"give a share between 0 and 1, or two in increasing order, not {text!r}")
    return one_or_more(text)


def split_ratio(text):
    """Return a number, or one of the words that choose one."""
    try:
        return text if text in ("auto", "adaptive") else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"give a number, 'auto' or 'adaptive', not {text!r}") from None


def method_param(text):
    """Return (key, value) with the value read as None, a truth value, a number, a list in brackets, or text."""
    key, equals, value = text.partition("=")
    key = key.strip()
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"give it as key=value, not {text!r}")
    words = {"none": None, "true": True, "false": False}
    if value.lower() in words:
        return key, words[value.lower()]
    if value[:1] in ("[", "("):
        try:
            return key, ast.literal_eval(value)
        except (ValueError, SyntaxError):
            raise argparse.ArgumentTypeError(f"write a list as [1, 10], not {value!r}") from None
    for kind in (int, float):
        try:
            return key, kind(value)
        except ValueError:
            continue
    return key, value
