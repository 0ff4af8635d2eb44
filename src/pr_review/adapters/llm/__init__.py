"""The door to llm."""
