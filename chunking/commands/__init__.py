"""The commands of the command line: the options of each, and what it prints.

Only the module of the command that is named is imported, so that ``--help`` and a split are quick.
"""
