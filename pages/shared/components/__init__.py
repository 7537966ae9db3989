"""The parts of the app that are drawn by its own JavaScript, a folder for each.

A folder holds the Python wrapper that a page calls, the script, an ES module, and the style sheet. ``base`` is what the
wrappers and the scripts share; ``workbench``, ``tuner`` and ``curve_figure`` use the modules of :mod:`chunking.web`.
"""
