"""The ways in from outside Python: the command line today. Each is a thin layer over `Memory`; `wire.py` is shared by all."""
