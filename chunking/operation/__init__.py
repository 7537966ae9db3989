"""What a server for others counts and records of the people who use it: quotas, and the audit log."""
