"""Calls that a type checker must flag, each line by itself."""

from nproc import NPClassifier, compare, np_threshold, npc, nproc
from nproc.simulate import simulation1

sample = simulation1(500, random_state=1)
npc(sample.X, sample.y, alpha="0.05")
npc(sample.X, sample.y, ties="random")
nproc(sample.X, sample.y, band="joint")
np_threshold([0.1, 0.2, 0.3], alpha=0.05, levels=0.05)
NPClassifier("lda", n_splits="11")
compare(nproc(sample.X, sample.y), regions="everywhere")
npc(sample.X, sample.y).predict()
