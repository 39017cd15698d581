"""What leaves the package: a rule on scores as a file that any program can read.

`score_rule` makes a `ScoreRule` from scores that are there already, `ScoreRule.write` writes it as JSON, and
`read_rule` reads it again.
"""

from nproc.serving.rule import SCHEMA, ScoreRule, read_rule, score_rule

__all__ = ["SCHEMA", "ScoreRule", "read_rule", "score_rule"]
