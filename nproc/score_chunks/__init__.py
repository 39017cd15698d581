"""Scores that need not fit in memory: where they come from, and what is kept of them.

A `ScoreChunks` gives its scores a part at a time, and `TopScores` keeps the largest, of which the threshold is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nproc.doors import lazy_names

if TYPE_CHECKING:
    from nproc.score_chunks.sorted_scores import area_under_roc, count_up_to, sort_splits
    from nproc.score_chunks.sources import CHUNK_SIZE, ScoreChunks, as_chunks, refuse_loose
    from nproc.score_chunks.top_scores import TopScores, likely_floor

# imported when they are asked for
_FILES = {
    "CHUNK_SIZE": "sources",
    "ScoreChunks": "sources",
    "TopScores": "top_scores",
    "area_under_roc": "sorted_scores",
    "as_chunks": "sources",
    "count_up_to": "sorted_scores",
    "likely_floor": "top_scores",
    "refuse_loose": "sources",
    "sort_splits": "sorted_scores",
}

__all__ = [
    "CHUNK_SIZE",
    "ScoreChunks",
    "TopScores",
    "area_under_roc",
    "as_chunks",
    "count_up_to",
    "likely_floor",
    "refuse_loose",
    "sort_splits",
]

__getattr__, __dir__ = lazy_names(__name__, _FILES, __all__)
