"""What the words after an option mean: texts of the command line become values."""

import argparse
import ast


def column_names(text):
    """Return the names in a list separated by commas."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise argparse.ArgumentTypeError("give column names, separated by commas")
    return names


# the option of an argument of another name
_OPTIONS = {"n_splits": "--splits", "random_state": "--seed", "n_jobs": "--jobs"}
_SAME_NAMES = (
    "alpha",
    "delta",
    "split_ratio",
    "checkpoint",
    "method",
    "class0",
    "alphas",
    "deltas",
    "prevalence",
    "power",
)
_OPTIONS |= {name: f"--{name.replace('_', '-')}" for name in _SAME_NAMES}
# what to do on the command line about a fault
_WAYS_OUT = {
    "missing values": "Fill them in, leave out those rows, --drop the columns, or choose a --method that accepts them, "
    "such as randomforest.",
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
    return error.worded(argument=_OPTIONS.get(error.argument), way_out=way_out)


def add_file_format(command):
    """Add the options that tell how the CSV files of a command are written."""
    command.add_argument("--sep", type=separator, metavar="CHAR", help="separator of a CSV file; default a comma")
    command.add_argument("--decimal", choices=(".", ","), default=".", help="its decimal sign; default a point")


def file_format(args):
    """Return the options of `add_file_format` as arguments of `nproc.cli.files.read_table`."""
    return {"sep": args.sep, "decimal": args.decimal}


def add_json(command):
    """Add the option that gives all numbers of a command as JSON."""
    command.add_argument(
        "--json",
        nargs="?",
        const="-",
        metavar="FILE",
        help="all numbers as JSON, to FILE or (last, or '-') instead of the text",
    )


def separator(text):
    r"""Return the separator that is meant: ``\t`` is a tab."""
    return "\t" if text == r"\t" else text


def levels(text):
    """Return the numbers in a list separated by commas or blanks."""
    try:
        levels = [float(piece) for piece in text.replace(",", " ").split()]
    except ValueError:
        levels = []
    if not levels:
        raise argparse.ArgumentTypeError(f"give numbers separated by commas, not {text!r}")
    return levels


def split_ratio(text):
    """Return a number, or one of the words that choose one."""
    try:
        return text if text in ("auto", "adaptive") else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"give a number, 'auto' or 'adaptive', not {text!r}") from None


def method_param(text):
    """Return (key, value) with the value read as None, a truth value, a number, a list in brackets, or text."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise argparse.ArgumentTypeError(f"give it as key=value, not {text!r}")
    words = {"none": None, "true": True, "false": False}
    if value.lower() in words:
        return key.strip(), words[value.lower()]
    if value[:1] in ("[", "("):
        try:
            return key.strip(), ast.literal_eval(value)
        except (ValueError, SyntaxError):
            raise argparse.ArgumentTypeError(f"write a list as [1, 10], not {value!r}") from None
    for kind in (int, float):
        try:
            return key.strip(), kind(value)
        except ValueError:
            continue
    return key.strip(), value


def class0_note(label):
    """Return a line that says which label was taken for class 0, where none was named."""
    return (
        f"note: class 0, whose misses are controlled, is {label}, the first label in sorted order; if the other must "
        "not be missed, name it with --class0\n"
    )
