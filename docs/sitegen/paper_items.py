"""Which section of the results, vignette or test answers each figure and table of the papers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A section of benchmarks/results/, or the part of it between two beginnings of paragraphs."""

    section: str
    begins: str = ""
    ends: str = ""


@dataclass(frozen=True)
class Picture:
    """The stored pictures of one section of a vignette."""

    vignette: str
    section: str


@dataclass(frozen=True)
class Item:
    """A figure or table of a paper."""

    label: str
    shows: str
    sources: tuple[Source, ...] = ()
    vignettes: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Paper:
    citation: str
    items: tuple[Item, ...]


GUARANTEE = "tests/guarantee"

TONG = Paper(
    "Tong, Feng and Li (2018)",
    (
        Item(
            "Fig. 1",
            "the classical and the NP oracle classifier",
            pictures=(Picture("01", "Two oracles"),),
            vignettes=("01",),
        ),
        Item(
            "Fig. 2",
            "Simulation 1: thresholds by training error, by cross-validation, and by the order statistic",
            pictures=(Picture("02", "The three panels of Figure 2"),),
            vignettes=("02",),
            tests=(f"{GUARANTEE}/test_simulation1_guarantee.py",),
        ),
        Item(
            "Fig. 3",
            "empirical ROC curves do not show which classifier respects alpha (Simulation S1)",
            pictures=(Picture("03", "Why alpha cannot be read off a ROC curve"),),
            vignettes=("03",),
            tests=(f"{GUARANTEE}/test_band_guarantee.py",),
        ),
        Item(
            "Fig. 4A",
            "an NP-ROC band",
            pictures=(Picture("03", "How a band is made"),),
            vignettes=("03",),
            tests=(f"{GUARANTEE}/test_band_guarantee.py",),
        ),
        Item(
            "Fig. 4B",
            "Simulation 2: which of two methods dominates at which alpha",
            pictures=(Picture("04", "Simulation 2: two curves that cross"),),
            vignettes=("04",),
            tests=(f"{GUARANTEE}/test_dominance_guarantee.py",),
        ),
        Item(
            "Fig. 5",
            "mass killings: bands and ROC-CV curves of three methods, and two ways to choose alpha",
            sources=(
                Source("real_data_bands", ends="![NP-ROC bands and ROC-CV curves of the neuro"),
                Source("real_data"),
            ),
            vignettes=("03", "04"),
            note="The sections cover all real data; the rows of the mass killing data are those of this figure. The "
            "vignette has simulated data of the same sizes.",
        ),
        Item(
            "Fig. 6 and table S8",
            "neuroblastoma: bands of three methods, and the errors of 100 random splits",
            sources=(
                Source("real_data_bands", begins="![NP-ROC bands and ROC-CV curves of the neuro"),
                Source("real_data", begins="100 random splits", ends="- **Expected share**"),
            ),
            vignettes=("04",),
            note="The paper has 498 patients and 43,827 genes; ours are the 249 patients who had no part in the choice "
            "of 2,040 genes. So the design is repeated, and the numbers differ.",
        ),
        Item(
            "Tables S1 to S6",
            "Simulation S2: majority vote of several splits",
            sources=(Source("split_ratio"), Source("ensembles")),
            note="The simulation is in the paper's supplement; ours uses the world of the R package's examples, with R "
            "beside it, and Simulations 1 and 2 of the article with three data sets for M = 1, 3, ..., 15.",
        ),
        Item(
            "Algorithm 1, Proposition 1, equations (1) to (3)",
            "the rank, its violation rate, and the bound of the type I error",
            tests=(f"{GUARANTEE}/test_exceedance_law.py", f"{GUARANTEE}/test_end_to_end_guarantee.py"),
        ),
    ),
)

GASSO = Paper(
    "Gasso, Pappaioannou, Spivak and Bottou (2011)",
    (
        Item("Fig. 1", "losses that stand for the 0-1 error", vignettes=("05",), note="See `nproc.losses`."),
        Item("Table I", "the data sets", note="The sections below state the rows and columns of each data set."),
        Item(
            "Fig. 2",
            "the two Gaussians of Table II",
            note="Their parameters are not in the paper's text; the section of Table II states ours.",
        ),
        Item(
            "Table II",
            "speed-up of the annealed solver, two Gaussians",
            sources=(Source("annealed_speedup", ends="**Table III"),),
        ),
        Item(
            "Table III",
            "speed-up of the annealed solver, spambase",
            sources=(Source("annealed_speedup", begins="**Table III"),),
        ),
        Item("Fig. 3", "the influence of the start", tests=("tests/unit/solvers/test_annealed.py",)),
        Item(
            "Fig. 4",
            "errors and time against alpha, Gaussian kernel",
            sources=(Source("np_methods_rbf"), Source("np_methods_gen")),
            note="The paper's figure is a drawing without numbers.",
        ),
        Item(
            "Figs. 5 and 6",
            "errors and time against alpha, linear",
            sources=(Source("np_methods_linear"),),
            note="The paper's figures are drawings without numbers.",
        ),
        Item("Table IV", "RCV1: errors of ONP-SVM and AC-SVM", sources=(Source("rcv1"),)),
        Item(
            "Table V",
            "q-values of peptide-spectrum matches",
            sources=(Source("qvalues_psm"),),
            note="The paper's 139,410 matches are not public in that form. Ours are another set of yeast spectra, so "
            "only the order of the methods can be compared, not the counts.",
        ),
        Item("Section 5.5", "the cost of a stochastic epoch", sources=(Source("stochastic_epoch"),)),
    ),
)

BARLAUD = Paper(
    "Barlaud, Combettes and Fillatre (2015)",
    (
        Item("Fig. 1", "convex losses", vignettes=("05",), note="See `nproc.losses`."),
        Item("Figs. 2 and 3", "the projection onto the constraint", tests=("tests/unit/solvers/test_level_set.py",)),
        Item("Fig. 4", "a typical convergence of (37)", sources=(Source("constrained_np"),)),
        Item(
            "Figs. 5 to 7",
            "simulated gene expression: errors, risks and accuracy against the iteration",
            sources=(Source("constrained_rna"),),
            note="The paper's figures are drawings without numbers; its 1000 means are not given. Ours is a "
            "simulation of the same kind, at two distances between the classes.",
        ),
        Item(
            "Figs. 8 to 10",
            "lung cancer (TCGA)",
            note="Two public data sets of gene expression, neuroblastoma and leukemia, stand in for the paper's, in "
            "the table of Figs. 5 to 7.",
        ),
        Item(
            "Theorem 2.3 and (41)",
            "how strict the levels are that one may give the constraint",
            sources=(Source("constrained_levels"),),
        ),
    ),
)

HERAULT = Paper(
    "Hérault and Grandvalet (2008)",
    (
        Item("Figs. 1 and 2", "the log-likelihood and its truncation", vignettes=("05",), note="See `nproc.losses`."),
        Item(
            "Figs. 3 to 5 and Table 2",
            "two Gaussians: calibration, costs and support vectors",
            sources=(Source("sparse_logistic_artificial"),),
        ),
        Item(
            "Fig. 6, Tables 3 and 4",
            "covertype: test cost, threshold and support vectors, and support vector machines",
            sources=(Source("sparse_logistic_covertype"),),
        ),
        Item(
            "Section 4.2, under the umbrella",
            "whether looking near alpha only lowers the type II error of `npc`",
            sources=(Source("sparse_logistic_npc"),),
        ),
    ),
)

PAPERS = {"tong2018": TONG, "gasso2011": GASSO, "barlaud2015": BARLAUD, "herault2008": HERAULT}
