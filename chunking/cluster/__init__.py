"""Work on the nodes of a Ray cluster; nothing else imports Ray.

:mod:`~chunking.cluster.connection` joins a cluster, :mod:`~chunking.cluster.engine` does the jobs of a batch run there,
and :mod:`~chunking.cluster.workers` the tasks of a server.
"""
