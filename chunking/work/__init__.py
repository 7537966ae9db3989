"""Heavy work in worker processes: a fair queue between people, tasks, and the processes or cluster that do them."""
