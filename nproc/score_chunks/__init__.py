"""Scores that need not fit in memory: where they come from, and what is kept of them.

A `ScoreChunks` gives its scores a part at a time, and `TopScores` keeps the largest, of which the threshold is one.
"""

from nproc.score_chunks.sorted_scores import area_under_roc, count_up_to, sort_splits
from nproc.score_chunks.sources import CHUNK_SIZE, ScoreChunks, as_chunks, refuse_loose
from nproc.score_chunks.top_scores import TopScores, likely_floor, mixture_of

__all__ = [
    "CHUNK_SIZE",
    "ScoreChunks",
    "TopScores",
    "area_under_roc",
    "as_chunks",
    "count_up_to",
    "likely_floor",
    "mixture_of",
    "refuse_loose",
    "sort_splits",
]
