"""`tileproof.py` is for compilers written in Python; `python3 -m unittest` in the root of the repository tests it."""
