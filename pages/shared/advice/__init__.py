"""The panel "What should I use?": the advice for one document and for many."""
