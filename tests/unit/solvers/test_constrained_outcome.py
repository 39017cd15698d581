"""What is said of the point where a method stopped."""

import re

import numpy as np
from np_problems import overlapping

from nproc.losses import LogisticLoss
from nproc.solvers.constrained.outcome import Outcome, finished
from nproc.solvers.constrained.problem import ClassRisks, RiskHistory, sort_constraints
from nproc.solvers.constrained.solve import solve_constrained_np


def test_a_point_just_beyond_a_bound_is_told_by_its_excess():
    X, y = overlapping(0)
    found = solve_constrained_np(X, y, tau=0.5, tol=1e-9)
    m0 = int(np.sum(y == 0))
    risks = ClassRisks(X, y, LogisticLoss(), True, np.full((1, m0), 1.0 / m0), np.array([0.5]))
    beyond = Outcome(np.append(found.coef, found.intercept + 1e-8))
    told = finished(risks, sort_constraints(())[0], beyond, 1e-6, RiskHistory(risks), "interior_point")
    assert not told.converged
    assert told.certificate <= 1e-6
    assert re.fullmatch(r"a mean loss of class 0 is \d\.?\d*e-09 above its bound", told.reason)
