"""The core's commands: a module each, named as the command is."""
