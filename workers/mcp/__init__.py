"""The graph as tools for assistants, by the Model Context Protocol. They look and change nothing."""
