"""Texts of the package, which name arguments of Python, in the words of a command."""

import re
import shlex
from functools import cache

from nproc.cli.values import as_list

# what to do on the command line about a fault
_WAYS_OUT = {
    "missing values": "Fill them in, leave out those rows (in a fit by --na-action omit), --drop the columns, or "
    "choose a --method that accepts them, such as randomforest.",
    "many categories of a formula": "If rows with the same value belong together, such as those of one patient, "
    "leave it out of the formula, and {clusters}.",
    "empty column": "Give {drop}.",
    "missing labels": "Label those rows, or leave them out {omit}.",
    "missing category": "Write a word such as 'unknown' there in the file, leave out those rows (in a fit by "
    "--na-action omit), or --drop the columns. NA, N/A, NaN, NULL and None count as missing in a CSV file; write "
    "another word where one of them is a value.",
    "gaps of new rows": "Fill them in as in the training data, or leave these rows out {omit}: the model cannot label "
    "them.",
    "gaps that are refused": "Leave such rows out {omit}, or impute them as in the training data.",
    "text among numbers": "Correct it, leave the cell empty where the value is missing, or leave such rows out {omit}.",
    "text in new rows": "Correct such values, or leave the rows out {omit}.",
    "new category": "Leave such rows out {omit}, merge the category into a known one, or train with rows that have it.",
    **dict.fromkeys(
        ("mendable column", "unusable column"),
        "You can leave the column out by --drop, or name the columns in a --formula.",
    ),
    "many categories": "If rows with the same value belong together, such as those of one patient, {clusters}. If they "
    "do not, leave the column out by {drop}, or name the predictors in a --formula.",
    "owners": "If rows with the same value belong together, such as those of one patient, {clusters}; with {drop} "
    "nothing is guaranteed. If they do not, leave the column out of the file.",
    "owners by values": "If rows with the same value belong together, such as those of one patient, {clusters}; "
    "{drop} would not make them independent. If they do not, ignore this.",
    "no seed": "Give --seed 1, say.",
    "no clusters": "Give a file with the column of clusters that the model was made with. If each row is a cluster of "
    "its own, write another value in each row.",
    "mark of the separator": "Then give --sep {value!r}.",
    "decimal commas": "If the column has decimal commas, give --decimal {value!r}.",
    "commas in doubt": "If they are decimal commas, save the table with semicolons between its columns, and give "
    "--decimal {value!r}.",
    "commas of text": "If they are decimal commas, write the numbers with points.",
    "decimal points": "If the column has decimal points, give --decimal {value!r}.",
    "points in doubt": "If they are decimal points, give --decimal {value!r}.",
    "unknown ending": "Name it report.html, say; a browser makes a PDF of that page when it prints it.",
    "unknown labels": "Write the labels in this file as in the fit. If a row is of neither class, leave it out of the "
    "file, or leave its label empty{if_empty}.",
    "unknown parameter": "",
    "several classes": "Keep the rows of two classes, or merge classes until two are left, or use the command "
    "multiclass.",
    "identifier": "If it is one, give {drop}.",
    "missing code": "If it is one, leave those cells of the file empty; --na-action omit then leaves those rows out.",
    "codes of new rows": "If they are codes, leave these cells of the file empty, or fill them in as in the training "
    "data.",
    "averages over splits": "Leave out --splits, or compare the methods by --regions procedures.",
    "lost workers": "The usual cause is too little memory: fewer processes at a time (--jobs) need less. With "
    "--checkpoint FOLDER another run of fit, bands or compare resumes after the tasks that were done.",
    "wrong sign": "If the column of scores has the wrong sign, {sign}. If the other class should be "
    "class 0, name it by --class0. {limit}",
}
_WRONG_DIRECTION = (
    "A trained method learns the direction itself, and this one learned another than its training rows show. Look for "
    "codes such as 999 among the predictors and for wrong labels, or choose another --method. If the other class "
    "should be class 0, name it by --class0. {limit}"
)
# a method of a fit that is a command
_COMMANDS = {"check_assumptions": "npc check"}
# a function of the package, or a method of its results
_PYTHON = re.compile(r"(?<![\w./-])(?:nproc(?:\.[a-z_]+){2,}(?:\(\))?|(?:fit|comparison)\.[a-z_]+\((?:alpha)?\))")
# a call, which stays; or an argument with or without its value, not within quotation marks, a path or a longer name
_ARGUMENT = re.compile(
    r"\w+\([^()]*\)|(?<![\w.'\"/-])(?P<name>[A-Za-z]\w*)(?:=(?P<value>'[^']*'|[\w.]*\w))?(?![\w(/'\"=-])"
)

# the commands for several classes, none of which takes clusters
SEVERAL_CLASSES = ("multiclass", "npcs")
# values of the options that --clusters can stand beside; without them are those that it cannot
_BESIDE_CLUSTERS = {
    **dict.fromkeys(("groups", "epsilon", "noise0", "noise1", "weights", "weight_max", "cross_fit", "review_beta")),
    "small_sample": "error",
    "vote": "majority",
}

# a row of a file; others are counted among some of its rows only
_ROW = re.compile(r"\brow (\d+)\b(?! of )")
_COUNTED = "Rows count from 1 below the header"


def rows_counted(text, files):
    """Return in which line the first row is that a text names, as a sentence; "" if it names none, or no file is CSV.

    Examples
    --------
    >>> rows_counted("column 'age' has '?' in row 6.", ["loans.csv"])
    'Rows count from 1 below the header: row 6 is line 7 of the file, or later if cells above have line breaks.'
    """
    row = _ROW.search(text)
    if row is None or _COUNTED in text:
        return ""
    from nproc.row_chunks import CSV_ENDINGS

    if not any(str(file).lower().endswith(CSV_ENDINGS) for file in files):
        return ""
    return f"{_COUNTED}: row {row[1]} is line {int(row[1]) + 1} of the file, or later if cells above have line breaks."


class Wording:
    """Puts texts into the words of one command: its options, and parameters of its methods, in place of arguments.

    ``ties='randomize'`` becomes ``--ties randomize``, and ``split_ratio``, which is no word of English, becomes
    ``--split-ratio``; ``alpha=0.05`` stays. An option stores its value under the name of Python's argument, so that
    the parser of the command tells which option stands for an argument. What that parser lacks may be a parameter of
    the method, or an option of another command.

    Attributes
    ----------
    parser : ArgumentParser or None
        That of the command, once it is known.
    methods : sequence of str
        The methods that it trains, once they are known.
    trains : bool
        Whether it trains methods and is given no column of scores, once that is known.
    is_reversed : bool
        Whether it was told that larger scores mean class 0, once that is known.
    instead_of : sequence of str
        The options that exclude --clusters, as they were given, once they are known.
    files : sequence of str
        The files that it reads, once they are known.
    sep : str or None
        The separator that it was given for these.

    Examples
    --------
    >>> from nproc.cli.options import build_parser
    >>> words = Wording()
    >>> words.parser = build_parser(["fit"]).asked
    >>> words("Use a scorer with finer scores, or ties='randomize' with n_splits=1.")
    'Use a scorer with finer scores, or --ties randomize with --splits 1.'
    """

    def __init__(self):
        self.parser, self.methods, self.trains, self.is_reversed, self.files = None, (), False, False, ()
        self.instead_of, self.sep = (), None

    def __call__(self, text):
        """Return a text that names arguments of Python in the words of the command."""
        if self.parser is None:
            return text
        return _ARGUMENT.sub(self._option, _PYTHON.sub(r"\g<0> (in Python)", text))

    def told(self, trouble):
        """Return the text of an error or a warning with its notes, and with the way out that the command line has."""
        argument = None
        # as name=value it is found as anywhere
        if self.parser is not None and trouble.fact.startswith(f"{trouble.argument} "):
            argument = ({"X": "the table", "y": "the label column", "path": "--out"} | _options(self.parser)).get(
                trouble.argument
            )
        way_out = _WAYS_OUT.get(self._fault_of_commas(trouble.fault))
        if trouble.fault == "wrong sign" and self.trains:
            way_out = _WRONG_DIRECTION
        if way_out is not None:
            options = _options(self.parser) if self.parser else ()
            columns = trouble.value if isinstance(trouble.value, list) else [trouble.value]
            clusters, drop = option_with("--clusters", trouble.value), option_with("--drop", as_list(columns))
            if "clusters" in options:
                clusters = give_clusters(clusters, self.instead_of)
            elif self.parser is not None and self.parser.prog.endswith(SEVERAL_CLASSES):
                clusters = "give one row of each"
            else:
                clusters = f"use npc fit {clusters}"
            omit = "by --na-action omit" if "na_action" in options else "of the file"
            sign = "leave --larger-means class0 out" if self.is_reversed else "give --larger-means class0"
            known = {"sign": sign, "value": trouble.value, "limit": trouble.limit, "drop": drop, "clusters": clusters}
            if trouble.fault == "new category" and trouble.value:
                way_out = (
                    f"If {columns[0]!r} tells rows apart, as a name does, fit again with {drop}. Otherwise "
                    f"{way_out[:1].lower()}{way_out[1:]}"
                )
            # predict takes rows without a label as they are
            if_empty = "" if "keep" in options else " and give --na-action omit"
            way_out = way_out.format(**known, omit=omit, if_empty=if_empty)
            if trouble.fault in ("gaps of new rows", "gaps that are refused") and {"na_action", "keep"} <= set(options):
                way_out += " With --na-action omit their prediction is empty."
        text = self(trouble.worded(argument=argument, way_out=way_out))
        # a fit notes the split with its errors, and a table its other faults
        text = " ".join([text, *getattr(trouble, "__notes__", ())])
        return f"{text} {rows_counted(text, self.files)}".rstrip()

    def _fault_of_commas(self, fault):
        """Return a fault as it is in these files: only between commas are commas in doubt, and only CSV has a sign."""
        from nproc.row_chunks import CSV_ENDINGS

        if fault not in ("decimal commas", "commas in doubt"):
            return fault
        names = [file.lower() for file in self.files if file.lower().endswith(CSV_ENDINGS)]
        if self.files and not names:
            return "commas of text"
        between_commas = self.sep in (None, ",") and any(".tsv" not in name for name in names)
        return fault if between_commas else "decimal commas"

    def _option(self, found):
        name, value = found["name"], found["value"]
        if name is None or ("_" not in name and (value is None or value[0].isdigit())):
            # a word of English, or mathematics
            return found[0]
        value = "" if value is None else value.strip("'")
        own = _options(self.parser)
        if value and name not in own and (methods := self._with_parameter(name)):
            whose = f"{methods[0]}." if len(methods) < len(self.methods) else ""
            return f"--param {whose}{name}={value.lower() if value in ('True', 'False', 'None') else value}"
        option = _COMMANDS.get(name) or own.get(name) or _options_of_all().get(name)
        if option is None:
            return found[0]
        if not re.fullmatch(r"[\w.]*", value):
            value = f"'{value}'"
        # a switch has no value
        return option if value in ("", "True") else f"{option} {value}"

    def _with_parameter(self, name):
        """Return those of the methods that have a parameter."""
        from nproc.scorers import scorer_names, scorer_spec

        known = [method for method in self.methods if method in scorer_names()]
        return [method for method in known if name in scorer_spec(method).parameters]


def excluding_clusters(args):
    """Return the options that were given and exclude --clusters, with their values where they choose one of several.

    Examples
    --------
    >>> from argparse import Namespace
    >>> excluding_clusters(Namespace(groups="site", vote="random", small_sample="error", split_ratio="adaptive"))
    ['--groups', '--vote random', '--split-ratio adaptive']
    """
    given = {name: getattr(args, name, beside) for name, beside in _BESIDE_CLUSTERS.items()}
    options = {name: f"--{name.replace('_', '-')}" for name, value in given.items() if value != _BESIDE_CLUSTERS[name]}
    adaptive = ["--split-ratio adaptive"] * (getattr(args, "split_ratio", None) == "adaptive")
    alone = [name for name in options if _BESIDE_CLUSTERS[name] is None]
    return [option if name in alone else f"{option} {given[name]}" for name, option in options.items()] + adaptive


def give_clusters(clusters, instead_of):
    """Return what to do to use the option --clusters, in place of those that exclude it.

    Examples
    --------
    >>> give_clusters("--clusters patient", ["--groups", "--epsilon"])
    'leave out --groups and --epsilon and give --clusters patient'
    """
    return " and ".join([*(["leave out " + " and ".join(instead_of)] if instead_of else []), f"give {clusters}"])


def option_with(option, value):
    """Return an option with its value as a shell takes it; a value that begins with a dash would be an option itself.

    Examples
    --------
    >>> option_with("--drop", "zip code"), option_with("--drop", "-id")
    ("--drop 'zip code'", '--drop=-id')
    """
    if str(value).startswith("-"):
        return shlex.quote(f"{option}={value}")
    return f"{option} {shlex.quote(str(value))}"


def _options(parser):
    """Return the options of a command by the arguments that they stand for."""
    return {action.dest: action.option_strings[-1] for action in parser._actions if action.option_strings}


@cache
def _options_of_all():
    from nproc.cli.options import build_parser

    found = {}
    for command in build_parser().commands.values():
        found |= _options(command)
    return found
