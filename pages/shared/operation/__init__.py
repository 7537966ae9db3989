"""What the operator of a server sees: measurements in Prometheus' format, and logs without any text of documents."""
