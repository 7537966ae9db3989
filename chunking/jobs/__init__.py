"""Heavy work behind the pages of a server: a fair queue between people, jobs, and who waits for them.

What is heavy in a job runs in workers: processes of this machine (:mod:`chunking.isolation.workers`) or of a
cluster (:mod:`chunking.cluster.workers`).
"""
