"""The commands of this package: under which title --help has them, the module that each is in, and its first sentence.

So --help loads none of them, and a command only its own module. A test compares this list with the commands.
"""

from __future__ import annotations

# Modules of graphvine.workers. What a pipeline of a user's own brings comes last in --help, under a title of its own.
PACKAGED: dict[str, dict[str, tuple[str, str]]] = {
    "Grow": {
        "demo": ("cli.commands.demo", "Grow the sample wiki offline, and search it."),
        "grow": ("wikipedia.commands", "Grow the graph from these titles: fetch, parse, embed, link."),
        "refresh": ("wikipedia.commands", "Put articles back into the queue whose page was revised since."),
        "titles": ("wikipedia.commands", "Show the titles that a source has."),
        "hn": ("hn.commands", "Items, threads and search of Hacker News."),
        "upload": ("uploads.commands", "Upload files of Hacker News items: graphvine upload FILE"),
        "uploads": ("uploads.commands", "List the uploads, the newest first."),
        "news": ("news.commands", "News of a topic: found, fetched, summarized and judged."),
        "scrape": ("scrape.commands", "Scrape pages and summarize them, shown as it is written."),
    },
    "Look": {
        "status": ("cli.commands.status", "Show where every pipeline stands."),
        "stats": ("cli.commands.status", "Show how large the graph is and what shape it has."),
        "failed": ("cli.commands.status", "Show what failed, and why."),
        "search": ("search.commands", "Find articles, items, news and pages by words, meaning and edges."),
        "ask": ("search.commands", "Show the passages that answer a question, with citations."),
        "map": ("wikipedia.commands", "Draw the neighbourhood that grew: SVG, a page, or PNG."),
        "console": ("cli.commands.console", "Ask the graph in Cypher."),
    },
    "Queue": {
        "seed": ("cli.commands.queue", "Add rows at the start of a pipeline."),
        "work": ("cli.commands.queue", "Work on a pipeline in this process."),
        "requeue": ("cli.commands.queue", "Put failed rows back into the queue, with no attempts used."),
        "exclude": ("cli.commands.queue", "Take rows out of the queue for good."),
        "prioritise": ("cli.commands.queue", "Let rows that wait be claimed before all others."),
        "release": ("cli.commands.queue", "Take rows from the workers that hold them."),
        "pause": ("cli.commands.queue", "Pause a pipeline: nothing more is claimed."),
        "resume": ("cli.commands.queue", "Continue a paused pipeline."),
    },
    "Serve": {
        "serve": ("serve.commands", "Run the daemon: workers, jobs, the HTTP API, the dashboard."),
        "open": ("serve.commands", "Open the dashboard in a browser, logged in."),
        "mcp": ("mcp.commands", "Offer the graph to an assistant as tools (MCP)."),
        "token": ("cli.commands.token", "Make, list and revoke tokens for the daemon, each with its scope."),
        "trust": ("cli.commands.trust", "Trust the graphvine.toml of this folder, as it is now."),
    },
    "Maintain": {
        "backup": ("cli.commands.copies", "Copy the graph into a new folder, while it is being used."),
        "restore": ("cli.commands.copies", "Restore a graph from a backup."),
        "export": ("cli.commands.copies", "Write the graph into files for engines and other programs."),
        "load": ("cli.commands.copies", "Load an exported graph into an empty one, on any engine."),
        "doctor": ("cli.commands.doctor", "Check the whole graph."),
        "reindex": ("search.commands", "Rebuild the search indexes from the graph."),
        "edges": ("search.commands", "Make the edges between the kinds, for searches to walk over."),
        "config": ("cli.commands.config", "Show the settings, where each comes from, and change them."),
        "model": ("cli.commands.model", "Manage the model that turns texts into vectors."),
    },
    "Develop": {
        "machine": ("cli.commands.pipelines", "Print a pipeline's states and moves, or its statements."),
        "pipelines": ("cli.commands.pipelines", "List the pipelines, their hooks and where they come from."),
        "new": ("cli.commands.pipelines", "Write the beginnings of something of your own."),
        "lint": ("cli.commands.pipelines", "Prove the query files of a pipeline."),
    },
}
