"""The signals of the gaps of a document: features, distances, thresholds, change points, and the boundary model."""
