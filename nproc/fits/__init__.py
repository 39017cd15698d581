"""A fitted classifier: predict, votes, errors on new rows, certificates, p-values, and bounds of the vote.

`nproc.umbrella` puts an `NPFit` together from scored splits. New rows become blocks (`nproc.fits.voting`), each split
scores them and votes, and the votes become labels. All else is read off the left-out scores or counted on fresh rows.
"""

from typing import TYPE_CHECKING

from nproc.doors import lazy_names

if TYPE_CHECKING:
    from nproc.fits.certification import (
        ALL_GROUPS,
        NO_BOUND,
        ONE_ROW_EACH,
        SET_THE_RULE,
        CertifiedBound,
        bound_of_count,
        certification_size,
        certify,
        one_row_each,
        refuse_no_rows,
        warn_no_clusters,
    )
    from nproc.fits.evaluation import (
        BY_CHANCE,
        EQUAL_IN_TABLE_OF_ALL,
        EQUAL_ROWS_OF_ALL,
        INTERVALS,
        LIKELY_FITTED,
        MANY_OWN,
        NO_CLUSTERS_TO_COUNT,
        NO_INTERVALS,
        NOT_CHECKED,
        NOT_GUARANTEED,
        OWN_ROWS_WARNINGS,
        SEE_CHECKS,
        Evaluation,
        above_told,
        count_errors,
        evaluation_of_counts,
        with_known,
    )
    from nproc.fits.fit import NPFit, scorer_notes, single_cut, span
    from nproc.fits.made_again import (
        BY_EYE,
        EQUAL_SCORES,
        ONE_OR_TWO,
        PART_OF_CLASS1,
        choice_call,
        listing,
        with_unmet,
    )
    from nproc.fits.own_rows import EqualRows, parts_together
    from nproc.fits.pvalues import conditional_p_values, p_values
    from nproc.fits.random_vote import NPRandomVoteFit, average_order, average_order_or_error, average_size
    from nproc.fits.report import UnseenRows, new_rows_left_out, write_report
    from nproc.fits.type1_curve import Type1Curve
    from nproc.fits.unmet import (
        NO_SHARED_OWNERS,
        NOT_OVERSAMPLED,
        SETTINGS_FIXED,
        WAYS_OUT,
        doubt_in_picture,
        of_shared_owners,
        unmet_by_callers,
        unmet_by_copies,
        with_shared_owners,
    )
    from nproc.fits.vote_bounds import VoteBound, vote_bound
    from nproc.fits.voting import Cuts, SeedOfRows

__all__ = [
    "ALL_GROUPS",
    "BY_CHANCE",
    "BY_EYE",
    "EQUAL_IN_TABLE_OF_ALL",
    "EQUAL_ROWS_OF_ALL",
    "EQUAL_SCORES",
    "INTERVALS",
    "LIKELY_FITTED",
    "MANY_OWN",
    "NOT_CHECKED",
    "NOT_GUARANTEED",
    "NOT_OVERSAMPLED",
    "NO_BOUND",
    "NO_CLUSTERS_TO_COUNT",
    "NO_INTERVALS",
    "NO_SHARED_OWNERS",
    "ONE_OR_TWO",
    "ONE_ROW_EACH",
    "OWN_ROWS_WARNINGS",
    "PART_OF_CLASS1",
    "SEE_CHECKS",
    "SETTINGS_FIXED",
    "SET_THE_RULE",
    "WAYS_OUT",
    "CertifiedBound",
    "Cuts",
    "EqualRows",
    "Evaluation",
    "NPFit",
    "NPRandomVoteFit",
    "SeedOfRows",
    "Type1Curve",
    "UnseenRows",
    "VoteBound",
    "above_told",
    "average_order",
    "average_order_or_error",
    "average_size",
    "bound_of_count",
    "certification_size",
    "certify",
    "choice_call",
    "conditional_p_values",
    "count_errors",
    "doubt_in_picture",
    "evaluation_of_counts",
    "listing",
    "new_rows_left_out",
    "of_shared_owners",
    "one_row_each",
    "p_values",
    "parts_together",
    "refuse_no_rows",
    "scorer_notes",
    "single_cut",
    "span",
    "unmet_by_callers",
    "unmet_by_copies",
    "vote_bound",
    "warn_no_clusters",
    "with_known",
    "with_shared_owners",
    "with_unmet",
    "write_report",
]

__getattr__, __dir__ = lazy_names(__name__)
