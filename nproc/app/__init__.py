"""The web page: ``python -m nproc app``. It takes Shiny for Python, the extra ``app``."""
