"""What leaves the package: a rule as a file that any program can read.

`score_rule` makes a `ScoreRule` from scores that are there already, `ScoreRule.write` writes it as JSON, and
`read_rule` reads it again. `linear_rule` gives the weights and the cut of a linear classifier, and `to_onnx` makes a
graph of a classifier with its model.
"""

from typing import TYPE_CHECKING

from nproc.doors import lazy_names

if TYPE_CHECKING:
    from nproc.serving.linear import LinearRule, linear_rule
    from nproc.serving.onnx import to_onnx
    from nproc.serving.rule import SCHEMA, ScoreRule, read_rule, score_rule

__all__ = ["SCHEMA", "LinearRule", "ScoreRule", "linear_rule", "read_rule", "score_rule", "to_onnx"]

__getattr__, __dir__ = lazy_names(__name__)
