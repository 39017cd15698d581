"""The Python that gives what is on the screen."""

from __future__ import annotations

from nproc.bandpoints import AlphaChoice

_WIDTH = 100


def python_code(result, level, method, new=None):
    """Return Python source that fits the same bands and gives the same classifier.

    Parameters
    ----------
    result : Result
        What is on the screen.
    level : Level
        The level.
    method : str
        The method whose classifier is shown.
    new : NewRows, optional
        New rows, if there are some.

    Returns
    -------
    str
        It reads uploaded files from the working folder, under the names they had.
    """
    plan = result.plan
    parts = [_imports(result, level, new), _fit(plan), _show(result, level, method)]
    if new is not None:
        parts.append(_new(new, plan))
    return "\n\n".join(parts) + "\n"


def _imports(result, level, new):
    names = ["AlphaChoice"] if _by_eye(level) else []
    names += (["compare"] if result.comparison is not None else []) + ["nproc"]
    lines = {f"from nproc import {', '.join(names)}": None}
    lines[result.plan.source.code[0]] = None
    if new is not None:
        lines[new.source.code[0]] = None
    return "\n".join(lines)


def _fit(plan):
    label = repr(plan.label)
    lines = [f"frame = {plan.source.code[1]}", _listing("features", plan.features), _listing("methods", plan.methods)]
    if plan.texts:
        # a name in the file is data: as a literal it stays so, whatever quotes it holds
        data = f"{plan.formula!r}, data=frame[[*features, {label}]], method=method"
    else:
        data = f"frame[features], frame[{label}], method"
    settings = (
        f"class0={_literal(plan.class0)}, delta={plan.delta!r}, n_splits={plan.n_splits}, random_state={plan.seed}"
    )
    lines += [
        "bands = {",
        f"    method: nproc({data}, {settings})" if len(data + settings) < _WIDTH - 20 else None,
        None
        if len(data + settings) < _WIDTH - 20
        else f"    method: nproc(\n        {data},\n        {settings},\n    )",
        "    for method in methods",
        "}",
    ]
    return "\n".join(line for line in lines if line is not None)


def _show(result, level, method):
    band = f"bands[{method!r}]"
    lines = []
    if level.choice is None:
        lines.append(f"alpha = {level.alpha!r}  # fixed before the fit")
    elif level.type2_max is not None:
        lines.append(f"alpha = bands[{level.method!r}].choose_alpha(type2_max={level.type2_max!r})  # no guarantee")
    else:
        lines += [
            f"values = bands[{level.method!r}].at({level.alpha!r})",
            "# no guarantee",
            "bounds = values.type2_lower, values.type2_upper",
            f"alpha = AlphaChoice(values.alpha, *bounds, {level.choice.criterion!r}{_reason(level)})",
        ]
    if result.comparison is not None:
        lines += [
            "comparison = compare(*bands.values())",
            f"ax = comparison.plot(alpha={'alpha' if level.choice is None else 'float(alpha)'})",
            "print(comparison.regions)",
        ]
    else:
        lines.append(f"ax = {band}.plot(alpha=alpha)")
    lines += [f"classifier = {band}.classifier(alpha)", "print(classifier.summary())"]
    return "\n".join(lines)


def _new(new, plan):
    lines = [f"new = {new.source.code[1]}", "predicted = classifier.predict(new[features])"]
    if new.has_label:
        lines.append(f"print(classifier.evaluate(new[features], new[{plan.label!r}]).summary())")
    return "\n".join(lines)


def _reason(level):
    usual = AlphaChoice.__dataclass_fields__["reason"].default
    return "" if level.choice.reason == usual else f", reason={level.choice.reason!r}"


def _by_eye(level):
    return level.choice is not None and level.type2_max is None


def _listing(name, values):
    line = f"{name} = {list(values)!r}"
    if len(line) <= _WIDTH:
        return line
    lines = [""]
    for value in values:
        if lines[-1] and len(lines[-1]) + len(repr(value)) > _WIDTH - 6:
            lines.append("")
        lines[-1] += f"{value!r}, "
    return f"{name} = [\n" + "".join(f"    {line.rstrip()}\n" for line in lines) + "]"


def _literal(value):
    return repr(value.item() if hasattr(value, "item") else value)
