"""The database: its address, connections, transactions, tables and migrations."""
