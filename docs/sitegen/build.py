"""Write all pages that are made from other files of the repository."""

import json
import shutil

from sitegen.api_pages import api_page
from sitegen.bibliography import references_page
from sitegen.cost import cost_part, sections_in
from sitegen.methods import method_tables
from sitegen.notebooks import copy_notebooks, vignettes_page
from sitegen.peers import peers_table, peers_text


def write(path, text):
    """Write a file unless it says so already, which spares sphinx reading it again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def write_pages(repository, docs):
    """Write the generated pages into `docs`; all of them are ignored by git."""
    results = sections_in(repository / "benchmarks" / "results")
    bibliography = (repository / "vignettes" / "references.bib").read_text(encoding="utf-8")
    record = json.loads((docs / "peers" / "violation_rates.json").read_text(encoding="utf-8"))
    titles = copy_notebooks(repository / "vignettes", docs / "vignettes")
    figures = docs / "figures"
    shutil.rmtree(figures, ignore_errors=True)
    shutil.copytree(repository / "benchmarks" / "results" / "figures", figures)
    shutil.copyfile(repository / "vignettes" / "demo.png", figures / "demo.png")
    write(docs / "vignettes" / "index.md", vignettes_page(titles))
    write(docs / "references.rst", references_page(bibliography))
    write(docs / "api" / "index.rst", api_page())
    write(docs / "snippets" / "methods.md", method_tables())
    write(docs / "snippets" / "cost.md", cost_part(results, "cost_curves"))
    write(docs / "snippets" / "cost_peers.md", cost_part(results, "peers"))
    write(docs / "snippets" / "peers.md", f"{peers_text(record)}\n\n{peers_table(record)}\n")
    for name in ("CHANGELOG", "CONTRIBUTING"):
        write(docs / f"{name.lower()}.md", (repository / f"{name}.md").read_text(encoding="utf-8"))
