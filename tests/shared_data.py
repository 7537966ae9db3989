"""The data sets that some tests read where they lie beside the checkout."""

MISSING = "the data sets in ../shared/data are not beside this checkout"
