"""The batch experiment: whole data sets, many strategies, in parts that any number of workers make.

The unit of work is a part, some documents of a corpus (:mod:`~chunking.batch.corpus`). What a strategy makes of a part
is a pure function of the documents, the setting and the tools (:mod:`~chunking.batch.cutting`), and so is what the
questions find in a group of parts (:mod:`~chunking.batch.searching`); each is one file that is there whole or not at
all (:mod:`~chunking.batch.storage`, :mod:`~chunking.batch.files`). A run that was stopped therefore goes on where it
was, and one that is repeated only reads. :mod:`~chunking.batch.engines` say where the work is done,
:mod:`~chunking.batch.experiment` puts it together, and :mod:`~chunking.batch.report` and :mod:`~chunking.batch.plots`
show what came out.
"""
