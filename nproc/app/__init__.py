"""The web page: ``python -m nproc app``. It requires Shiny for Python, the extra ``app``."""
