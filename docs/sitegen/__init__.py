"""What the site's pages are made of: the registry, the benchmarks' results, the bibliography, the notebooks."""
