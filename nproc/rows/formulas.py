"""Formulas: the columns of a frame become a numeric matrix, and at predict the same columns again."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from functools import cache, wraps

import numpy as np

from nproc.checks import rows_in, shown, ways_of_commas
from nproc.doors import needed
from nproc.errors import InvalidInputError, changed_filter, giving_ways_out
from nproc.rows.frames import as_category, check_categories, check_complete, listed, near_names, one_line, plain_columns
from nproc.rows.identifiers import refuse_many_texts
from nproc.rows.number_texts import as_categories, refuse_as_categories, refuse_commas

_OFFSET = re.compile(r"\boffset\(")
# terms of R, and what to write here
_TERMS_OF_R = {
    r"\b(as\.)?(factor|character)\(|\bordered\(": "a column that is to be coded as categories is written C(a)",
    r"\bas\.(numeric|integer)\(": "write the column itself; if it holds text, convert it before the call",
    r"\b\w+\([^()]*\^": "a power inside a function is written **, as in I(a**2)",
    r"\b(ns|rcs)\(": "natural splines are written cr(a, df=4), in another basis than those of R",
    r"\bs\(": "there are no smooth terms; write bs(a, df=4)",
    r"\b(TRUE|FALSE)\b": "TRUE and FALSE are written True and False",
    r"\bstrata\(": "there are no strata; C(a) makes a predictor of a, and groups= in npc bounds each group's error",
    r"\(\s*[\w.+ ]+\|": "there are no random effects (1 | g); if rows are dependent within g, give clusters='g' to npc",
    # & binds closer than a comparison in Python
    r"\([^()&|]*[<>=][^()&|]*[&|]": "put brackets round each comparison, as in I((a > 1) & (b > 2))",
    r"^([^()]|\([^()]*\))*[<>=]": "a comparison is written inside I(), as in I(a > 1) or I(a == 1)",
    r"\b(ifelse|cut|pmax|pmin|relevel|interaction|is\.na|c)\(": "compute such a term before the call",
}
_KNOWN_FUNCTIONS = ("abs", "exp", "log", "log10", "log2", "max", "min", "round", "sqrt")
# formulaic would read %*% as *, %/% as /, and add a main effect to %in% that R does not
_OPERATORS_OF_R = {
    "%in%": "write the interaction a:b, which is what a %in% b means in R. If it tests whether values are in a list, "
    "compute that before the call, as a new column",
    "%%": "the remainder is written I(a % b)",
    "%/%": "the whole part of a quotient is written I(a // b)",
    **dict.fromkeys(
        ("%*%", "%o%", "%x%"),
        "a product of vectors or matrices gives no column. Write a:b for an interaction, or a*b for both columns and "
        "their interaction",
    ),
}
_PLAIN_CATEGORY = re.compile(r"C\(\s*(?:`([^`]+)`|([A-Za-z_]\w*))\s*[,)]")


@dataclass(frozen=True, repr=False)
class FormulaCoding:
    """How a formula codes rows; made by `fit_formula`, holds no rows of the training data.

    Attributes
    ----------
    formula, label : str
        As the user wrote it, and the column on its left side.
    kinds : dict of str to str
        The columns of the right side in the order of the frame, each "numbers" or "categories".
    names, learned_terms : tuple of str
        The coded columns, without the intercept, and the terms that hold numbers learned from rows, such as
        ``scale(a)`` and ``bs(a, df=4)``.
    offsets : tuple of int
        Positions in `names` of the terms in ``offset()``, whose coefficients are 1.
    allow_nan : bool
        Whether NaN in numeric columns passes through.
    spec : formulaic.ModelSpec
        Codes of categories and states of transforms.
    """

    formula: str
    label: str
    kinds: dict
    names: tuple
    learned_terms: tuple
    offsets: tuple
    allow_nan: bool
    spec: object

    def __repr__(self):
        return repr(self.formula)

    @property
    def levels(self):
        """The categories of each column that enters as itself or as C(column)."""
        return _levels(self.spec, self.kinds)

    def code(self, frame, name="X"):
        """Return the float64 matrix of new rows, shape (m, p), coded as at the fit."""
        return self.code_plain(self.plain(frame, name))

    def plain(self, frame, name="X"):
        """Return the columns of the right side of new rows, in plain dtypes, with gaps and strange categories refused.

        These are what the scorer of a formula with `learned_terms` sees: the coding is then its own first step.
        """
        lost = [column for column in self.kinds if column not in frame.columns]
        if lost:
            has = listed(frame.columns)
            meant = near_names(self.kinds, frame.columns)
            raise InvalidInputError(
                f"data lacks the column(s) {lost} of {self.formula!r}; it has {has}. {meant}".rstrip()
            )
        plain, kinds = plain_columns(frame, list(self.kinds), self.formula, _columns_in_c(self.spec))
        texts = {column for column, kind in self.kinds.items() if kind == "categories"}
        check_complete(
            plain, _categorical_columns(self.spec) | texts, self.allow_nan, rows_in(frame, name), in_fit=False
        )
        levels = self.levels
        for column, kind in self.kinds.items():
            # categories that are numbers come back from a file as numbers: the levels decide below
            numbers_will_do = column in levels and not any(isinstance(level, str) for level in levels[column])
            if kinds[column] != kind and not (kind == "categories" and numbers_will_do):
                raise InvalidInputError(
                    f"column {column!r} held {kind} in training and now holds {kinds[column]} (dtype "
                    f"{frame[column].dtype}); convert it as for the training data."
                )
        check_categories(plain, levels, rows_in(frame, name))
        for column, known in levels.items():
            if self.kinds[column] != kinds[column]:
                plain[column] = as_category(plain[column], known)
        return plain

    def code_plain(self, plain):
        """Return the float64 matrix of rows that `plain` has returned, or of some of them."""
        plain = plain.reset_index(drop=True)
        matrix, _ = _materialize(self.spec, plain, self.formula)
        _check_finite(matrix, self.names, plain, self.formula)
        return matrix

    def learned_from(self, plain):
        """Return the coding with the numbers of its `learned_terms` learned from these rows alone.

        The categories, and so the number of columns, stay as they are.
        """
        _, spec = _materialize(self.spec.update(transform_state={}), plain.reset_index(drop=True), self.formula)
        return replace(self, spec=spec)


def fit_formula(formula, frame, *, allow_nan=False, places=None, clusters=None):
    """Return the `FormulaCoding` of a formula, the coded matrix and the label column.

    Parameters
    ----------
    formula : str
        ``'label ~ terms'``. The left side is one column name, in backticks if it is not a plain name. The
        right side is in the language of formulaic: ``a + b``, ``a * b``, ``.``, ``C(a)``, ``I(a**2)``,
        ``log(a)``, ``sqrt(a)``, ``poly(a, 2)``, ``bs(a, df=4)``, ``offset(a)``. Beyond the rows that it
        learned from, ``bs`` continues its outermost polynomials, as R's does.
    frame : DataFrame, shape (n, q)
        Holds the label and all columns of the right side.
    allow_nan : bool
        Let NaN in numeric columns through; a missing category never passes.
    places : array of int, optional
        The places of the rows in the table of the user, from 0, by which messages count them.
    clusters : array, optional
        The cluster of each row, for messages.

    Returns
    -------
    coding : FormulaCoding
        Codes new rows.
    matrix : ndarray of float64, shape (n, p)
        Treatment coding with the first category as reference, without an intercept column.
    labels : Series, shape (n,)
        The label column as it is in `frame`.

    Raises
    ------
    InvalidInputError
        The formula cannot be read, names an unknown column, meets missing values or gives values that are not
        finite, or the value of a term for one row depends on the other rows.

    Notes
    -----
    Terms are Python expressions and are evaluated: never pass on a formula from a stranger. They see the
    columns and formulaic's functions, not the caller's variables. A column of one category is not coded.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y": ["no", "yes", "no"], "age": [30, 40, 50], "job": ["a", "b", "a"]})
    >>> coding, matrix, labels = fit_formula("y ~ age + job", frame)
    >>> coding.names, matrix.tolist(), labels.tolist()
    (('age', 'job[T.b]'), [[30.0, 0.0], [40.0, 1.0], [50.0, 0.0]], ['no', 'yes', 'no'])
    >>> coding.code(pd.DataFrame({"age": [60], "job": ["b"]}))
    array([[60.,  1.]])
    """
    label, parsed, used = _read(formula, frame)
    plain, kinds = plain_columns(frame, used, formula, _columns_in_c(parsed))
    # before coding, so that a gap is reported by its column and not by whatever it does inside a transform
    rows = rows_in(frame, "data")
    check_complete(plain, set(), allow_nan, rows, in_fit=True)
    _refuse_numbers_as_text(plain if places is None else plain.set_axis(places), parsed, rows)
    _refuse_many_texts(plain, kinds, parsed, formula, clusters)
    matrix, spec = _materialize(parsed, plain, formula)
    if "1" not in {str(row.term) for row in spec.structure}:
        raise InvalidInputError(
            f"the formula {formula!r} removes the intercept. The coded columns never contain an intercept column, "
            "because methods add the intercept themselves. Leave out '0 +' or '- 1'."
        )
    names = tuple(name for row in spec.structure if str(row.term) != "1" for name in row.columns)
    if not names:
        raise InvalidInputError(f"the formula {formula!r} gives no predictor; name a column that varies.")
    check_complete(plain, _categorical_columns(spec), allow_nan, rows, in_fit=True)
    _check_finite(matrix, names, plain, formula)
    _check_row_by_row(matrix, names, spec, plain, formula)
    learned = tuple(sorted(str(term) for term, state in spec.transform_state.items() if state))
    offsets = _offsets(names, spec, formula)
    if len(offsets) == len(names):
        raise InvalidInputError(
            f"the formula {formula!r} gives no predictor but the offset; name a column that varies."
        )
    return FormulaCoding(formula, label, kinds, names, learned, offsets, allow_nan, spec), matrix, frame[label]


def formula_columns(formula, frame):
    """Return the columns of a frame that a formula uses, the label first.

    Examples
    --------
    >>> import pandas as pd
    >>> formula_columns("y ~ log(age) + job", pd.DataFrame({"job": ["a"], "age": [1.0], "name": ["x"], "y": [0]}))
    ['y', 'job', 'age']
    """
    label, _, used = _read(formula, frame)
    return [label, *used]


def _read(formula, frame):
    """Return the label, the right side as formulaic reads it, and its columns in the order of the frame."""
    left, right = _sides(formula)
    label = left[1:-1] if re.fullmatch(r"`[^`]+`", left) else left
    if label not in frame.columns:
        raise InvalidInputError(
            f"the left side of the formula {formula!r} must be one column name, without a function (in "
            f"backticks if it has spaces or signs), got {shown(left)}; the columns are {listed(frame.columns)}. "
            f"{near_names([label], frame.columns)}".rstrip()
        )
    if getattr(frame[label], "ndim", 1) != 1:
        raise InvalidInputError(f"data has several columns of the name {label!r}; rename or drop them.")
    parsed = _parse(formula, right, [name for name in frame.columns if name != label])
    return label, parsed, _used_columns(parsed, formula, label, frame)


def _sides(formula):
    """Split at the only tilde that is not inside backticks."""
    pieces = re.split(r"~(?=(?:[^`]*`[^`]*`)*[^`]*$)", formula)
    if len(pieces) != 2 or not pieces[0].strip() or not pieces[1].strip():
        raise InvalidInputError(
            f"a formula reads 'label ~ terms', as in 'default ~ age + income', got {shown(formula)}."
        )
    return pieces[0].strip(), pieces[1].strip()


def _parse(formula, right, available):
    with needed("formulaic", "a formula"):
        from formulaic import Formula, SimpleFormula
        from formulaic.errors import FormulaicError

    names = [column for column in available if isinstance(column, str)]
    has_dot = "." in re.split(r"[\s+*/:()-]+", right)
    if "1" in names and (has_dot or "`1`" in right):
        raise InvalidInputError(
            f"the formula {formula!r} has a column named '1', which would be read as the intercept; rename the column."
        )
    if len(names) < len(available) and has_dot:
        raise InvalidInputError(
            f"'.' in the formula {formula!r} needs columns whose names are text, got {listed(available)}."
        )
    plain = re.sub(r"`[^`]*`", "a", right)
    for operator, way in _OPERATORS_OF_R.items():
        if operator in plain:
            raise InvalidInputError(f"the formula {formula!r} has {operator}: {way}.")
    try:
        parsed = Formula.from_spec(right, context={"__formulaic_variables_available__": names})
    # the parser answers some nonsense with an error of its own making
    except (FormulaicError, AttributeError, LookupError, SyntaxError, TypeError, ValueError) as error:
        said = _way_of_r(right) or f"{one_line(error)} Columns: {listed(available)}."
        raise InvalidInputError(f"the formula {formula!r} cannot be read: {said}") from error
    if not isinstance(parsed, SimpleFormula):
        raise InvalidInputError(f"the right side of the formula {formula!r} must have one part, without '|'.")
    return parsed


def _way_of_r(text):
    """Return what to write in place of a term that only R knows, or ''."""
    plain = re.sub(r"`[^`]*`", "a", text)
    here = next((way for term, way in _TERMS_OF_R.items() if re.search(term, plain)), None)
    if here is None:
        functions = re.findall(r"(?<![\w.])([a-z]\w*)\(", plain)
        of_numpy = [name for name in functions if name not in _KNOWN_FUNCTIONS and hasattr(np, name)]
        here = f"functions of numpy are written with np., such as np.{of_numpy[0]}(a)" if of_numpy else None
    return "" if here is None else f"{here}."


def _columns_of(factor):
    """Return the names that one factor of a term mentions, plain ones and those in backticks."""
    if factor.eval_method.value == "lookup":
        return {factor.expr}
    if factor.eval_method.value != "python":
        return set()
    quoted = set(re.findall(r"`([^`]+)`", factor.expr))
    tree = ast.parse(re.sub(r"`[^`]+`", "_", factor.expr).strip(), mode="eval")
    return quoted | {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _factors(formula_or_spec):
    terms = getattr(formula_or_spec, "formula", formula_or_spec)
    return sorted({factor for term in terms for factor in term.factors}, key=str)


def _columns_in_c(formula_or_spec):
    """Return the columns that enter as C(column): the codes of integers shall read [T.2], not [T.2.0]."""
    matches = [_PLAIN_CATEGORY.match(factor.expr) for factor in _factors(formula_or_spec)]
    return {match[1] or match[2] for match in matches if match}


def _refuse_numbers_as_text(plain, parsed, rows):
    """Raise for columns of text that are numbers but for signs or a few texts, and would become categories."""
    entered = {factor.expr.strip("`") for factor in _factors(parsed)} - _columns_in_c(parsed)
    refused = {}
    for column in plain.columns:
        if column not in entered or plain[column].dtype.kind != "O":
            continue
        values = plain[column].dropna().astype(object)
        if not all(isinstance(value, str) for value in values):
            continue
        way_out = (
            f"If these are decimal commas, {ways_of_commas('data', column, rows)}. "
            f"If the values are categories, {as_categories(column)}."
        )
        try:
            with giving_ways_out(dict.fromkeys(("decimal commas", "commas in doubt"), way_out)):
                refuse_commas(values, f"column {column!r}", table=rows)
            refuse_as_categories(values, column, table=rows)
        except InvalidInputError as error:
            refused[column] = error
    if refused:
        # all at once, so that the user corrects them together
        (_, first), *others = refused.items()
        same = [name for name, error in others if error.fault == first.fault]
        rest = [name for name, error in others if error.fault != first.fault]
        told = f"The same must be done for the {_columns_named(same)}." if same else ""
        more = f"The {_columns_named(rest)} must be made numbers too." if rest else ""
        first.way_out = " ".join(filter(None, [first.way_out, told, more]))
        raise first.told("")


def _refuse_many_texts(plain, kinds, parsed, formula, clusters):
    entered = {factor.expr.strip("`") for factor in _factors(parsed)} | _columns_in_c(parsed)
    right = _sides(formula)[1]
    named = {*re.findall(r"`([^`]+)`", right), *re.findall(r"[^\W\d][\w.]*", re.sub(r"`[^`]*`", " ", right))}
    texts = [column for column, kind in kinds.items() if kind == "categories" and column in entered]
    refuse_many_texts(plain[texts], len(plain), named, formula, clusters)


def _columns_named(names):
    return f"column {names[0]!r}" if len(names) == 1 else f"columns {listed(names)}"


def _used_columns(parsed, formula, label, frame):
    wanted = set()
    for factor in _factors(parsed):
        try:
            columns = _columns_of(factor)
        except SyntaxError as error:
            said = _way_of_r(factor.expr) or f"{error.msg}."
            message = f"the term {factor.expr!r} of the formula {formula!r} is not valid Python: {said}"
            raise InvalidInputError(message) from error
        quoted = re.search(r"(?<![\w.])Q\((['\"])(.+?)\1\)", factor.expr)
        if quoted:
            raise InvalidInputError(
                f"the formula {formula!r} has the term {quoted[0]}, which is known in patsy alone. Write the name "
                f"of the column in backticks: `{quoted[2]}`."
            )
        if label in columns:
            raise InvalidInputError(f"the formula {formula!r} has the label {label!r} on both sides.")
        if factor.eval_method.value == "lookup" and factor.expr not in frame.columns:
            raise InvalidInputError(
                f"the formula {formula!r} names the column {factor.expr!r}, which is not in data; the "
                f"columns are {listed(frame.columns)}. {near_names([factor.expr], frame.columns)}".rstrip()
            )
        wanted |= columns
    return [column for column in dict.fromkeys(frame.columns) if column in wanted]


@cache
def _transforms():
    """The functions of a formula whose defaults are others than formulaic's."""
    from formulaic.transforms import basis_spline

    # a row beyond the rows that trained is the rule here, and formulaic's own default refuses it; this one is R's
    @wraps(basis_spline)
    def bs(x, *args, **keywords):
        return basis_spline(x, *args, **{"extrapolation": "extend", **keywords})

    def log(x, base=None):
        return np.log(x) if base is None else np.log(x) / np.log(base)

    return {"bs": bs, "offset": lambda values: values, "log": log, "sqrt": np.sqrt}


def _materialize(spec, plain, formula):
    """Return the matrix without the intercept, and the spec with all states."""
    from formulaic.errors import DataMismatchWarning, FormulaicError
    from formulaic.materializers import PandasMaterializer

    materializer = PandasMaterializer(plain, context=_transforms())
    try:
        # the log of a negative number is reported later, by the name of its column
        with changed_filter("error", DataMismatchWarning), np.errstate(all="ignore"):
            coded = materializer.get_model_matrix(spec, na_action="ignore", output="numpy")
        structure = coded.model_spec.structure
        keep = np.array([str(row.term) != "1" for row in structure for _ in row.columns], dtype=bool)
        matrix = np.ascontiguousarray(np.asarray(coded)[:, keep], dtype=np.float64)
    except DataMismatchWarning as error:
        message = f"the formula {formula!r} meets a category outside its levels: {one_line(error)}"
        raise InvalidInputError(message) from error
    # a term is the user's own Python expression, and these are the ways in which such a thing goes wrong
    except (FormulaicError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        said = _way_of_r(_sides(formula)[1]) or (
            f"{one_line(error)} The columns are {listed(plain.columns)}; the functions are those of numpy (such as "
            "np.sin), log, exp, sqrt, C, I, bs, cr (natural splines, as ns of R), poly, scale, center and offset. Put "
            "an expression that gives text into C(). Compute anything else before the call, as a new column."
        )
        raise InvalidInputError(f"the formula {formula!r} cannot be evaluated: {said}") from error
    if len(matrix) != len(plain):
        raise InvalidInputError(f"the formula {formula!r} keeps {len(matrix)} of {len(plain)} rows.")
    return matrix, coded.model_spec


def _offsets(names, spec, formula):
    """Return the positions of the columns that are offsets; these must be terms of their own, of one number a row."""
    terms = [(row.term, row.columns) for row in spec.structure if any(map(_OFFSET.search, map(str, row.term.factors)))]
    for term, columns in terms:
        if not (len(term.factors) == 1 and _OFFSET.match(str(term)) and columns == [str(term)]):
            raise InvalidInputError(
                f"the term {str(term)!r} of the formula {formula!r} has an offset inside. Write offset() as a term of "
                "its own, with one number a row, such as offset(log(time))."
            )
    return tuple(names.index(columns[0]) for _, columns in terms)


def _levels(spec, columns):
    """Return the categories of every column that enters as itself or as C(column), known to all its terms."""
    levels = {}
    for term, (_, state) in spec.encoder_state.items():
        match = _PLAIN_CATEGORY.match(term)
        column = (match[1] or match[2]) if match else term
        if column in columns and "categories" in state:
            known = state["categories"]
            levels[column] = [level for level in levels.get(column, known) if level in known]
    return levels


def _categorical_columns(spec):
    """Return the columns that categorical terms use, whatever their dtype."""
    coded = [f for f in _factors(spec) if spec.encoder_state.get(f.expr, [None])[0] is f.Kind.CATEGORICAL]
    return set().union(*map(_columns_of, coded))


def _check_finite(matrix, names, plain, formula):
    """Refuse infinite values, and NaN in rows that were complete before they were coded."""
    if np.isfinite(matrix).all():
        return
    complete = plain.notna().all(axis=1).to_numpy()
    wrong = (np.isinf(matrix) | (np.isnan(matrix) & complete[:, None])).any(axis=0)
    if wrong.any():
        raise InvalidInputError(
            f"the formula {formula!r} gives NaN or infinite values in {np.array(names)[wrong].tolist()[:5]}, "
            "such as the log of 0 or of a negative number; change the term or these rows."
        )


def _check_row_by_row(matrix, names, spec, plain, formula):
    """Refuse terms such as I(a - a.mean()), whose value for a row depends on which rows stand beside it."""
    if len(plain) < 3 or all(factor.eval_method.value != "python" for factor in _factors(spec)):
        return
    size = np.fmax.reduce(np.abs(matrix), axis=0, initial=0.0)
    alone = np.unique(np.linspace(0, len(plain) - 1, 6).astype(int))[:, None]
    for some in [np.arange(0, min(len(plain), 2000), 2), *alone]:
        again, _ = _materialize(spec, plain.iloc[some].reset_index(drop=True), formula)
        differs = np.fmax.reduce(np.abs(matrix[some] - again), axis=0, initial=0.0) > 1e-9 * size
        if differs.any():
            raise InvalidInputError(
                f"in the formula {formula!r} the value of {np.array(names)[differs].tolist()[:5]} for a row "
                "depends on the other rows, so a prediction would depend on the rows that are predicted with it. "
                "Use center, scale or poly, which remember the training data, or compute the column first."
            )
