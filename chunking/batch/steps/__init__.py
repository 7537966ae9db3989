"""Steps of the batch experiment: sentences, vectors and words of a part, its cuts, and what questions find in it.

Each step is a pure function of files that the steps before it wrote, so any worker can do it.
"""
