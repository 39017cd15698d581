"""Three answers: class 1, class 0, or a review by a person, with a bound on both errors.

`np_review` sets two cuts from left-out scores of both classes. `fit_review` is the umbrella algorithm with two such
cuts in each split: an `NPReviewFit`. `plan_review` says what share of rows a person must look at, and how many rows
bring it down.
"""

from nproc.review.fit import REVIEW_LABEL, NPReviewFit, ReviewEvaluation, fit_review, with_review
from nproc.review.plan import ReviewPlan, plan_review
from nproc.review.threshold import ReviewRule, np_review

__all__ = [
    "REVIEW_LABEL",
    "NPReviewFit",
    "ReviewEvaluation",
    "ReviewPlan",
    "ReviewRule",
    "fit_review",
    "np_review",
    "plan_review",
    "with_review",
]
