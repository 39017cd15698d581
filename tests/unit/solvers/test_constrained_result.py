"""What is said of the point where a method stopped."""

import re

import numpy as np
from np_problems import overlapping

from nproc.losses import LogisticLoss
from nproc.solvers.constrained.certificate import constrained_result
from nproc.solvers.constrained.problem import ClassRisks, Nonnegative, RiskHistory, sort_constraints
from nproc.solvers.constrained.solve import solve_constrained_np


def test_a_point_just_beyond_a_bound_is_told_by_its_excess():
    X, y = overlapping(0)
    found = solve_constrained_np(X, y, tau=0.5, tol=1e-9)
    m0 = int(np.sum(y == 0))
    risks = ClassRisks(X, y, LogisticLoss(), True, np.full((1, m0), 1.0 / m0), np.array([0.5]))
    beyond = np.append(found.coef, found.intercept + 1e-8)
    settings = {"tol": 1e-6, "history": RiskHistory(risks), "variant": "interior_point"}
    told = constrained_result(risks, sort_constraints(())[0], beyond, **settings)
    assert not told.converged
    assert told.certificate <= 1e-6
    assert re.fullmatch(r"a mean loss of class 0 is \d\.?\d*e-09 above its bound", told.reason)


def test_where_no_weight_is_free_no_multiplier_is_made_up():
    X, y = overlapping(2)
    found = solve_constrained_np(X, y, tau=0.1, constraints=(Nonnegative(),), fit_intercept=False)
    assert found.reason.startswith("infeasible")
    assert found.multiplier == 0.0
