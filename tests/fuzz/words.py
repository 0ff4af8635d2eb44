"""What holds for words that are told to people."""


def one_line(words: str) -> None:
    assert words
    assert "\n" not in words
