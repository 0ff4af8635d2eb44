"""agents: prompts, quote, calls, and what can be read from the answers."""
