"""The batch experiment: whole data sets, many strategies, in parts that any number of workers make.

The unit of work is a part: some documents of a corpus (:mod:`~chunking.batch.corpus`). What a strategy makes of a part
(:mod:`~chunking.batch.cutting`) is a pure function of the documents, the setting and the tools, and so is what the
questions find in a group of parts (:mod:`~chunking.batch.searching`). Each is one file that is written whole or not at
all (:mod:`~chunking.batch.storage`): a run that was stopped resumes where it was, and one that is repeated only reads.
:mod:`~chunking.batch.engines` do the work, and :mod:`~chunking.batch.experiment` puts it together.
"""
