"""The workbench on a page: which document and strategies it shows, and what the user has left there."""
