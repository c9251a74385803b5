"""The table: a pure fold over one log, and the shell that runs it."""
