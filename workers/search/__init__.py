"""One search over all kinds of rows, answers with citations, and the edges between the kinds."""
