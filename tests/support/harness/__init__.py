"""What the end-to-end tests share: a cluster, jobs on it, and the judgement of what a job has written."""
