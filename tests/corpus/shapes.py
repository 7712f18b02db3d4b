"""The shapes of SOURCES.yml as patterns: which lines a shape stands for."""

import re


def patterns(shape: str) -> list[re.Pattern[str]]:
    """One pattern for each line of a shape: ``<x>`` a word, ``<x>...`` several, ``[x]`` optional, ``a|b`` either."""
    found = []
    for line in re.sub(r" \(\w+\)", "", shape).split(" / "):
        alternatives = line.split(" | ") if " | " in line else [line]
        found.append(re.compile("|".join(f"(?:{_pattern(each)})" for each in alternatives)))
    return found


def _pattern(line: str) -> str:
    line = line.replace(" [", "[").replace("[no] ", "[no]")
    made = ""
    for token in re.findall(r"<[^>]*>\.\.\.|<text>|<[^>]*>|\[no\]|\[|\]|[\w.+-]+(?:\|(?:<[^>]*>|[\w.+-]+))+|.", line):
        if token == "<text>" or token.endswith(">..."):
            made += r".+"
        elif token == "[no]":
            made += "(?:no )?"
        elif token == "[":
            made += "(?: "
        elif token == "]":
            made += ")?"
        elif token.startswith("<") and "|" in token:
            made += r"\S+"
        elif token.startswith("<"):
            made += r"[^ ]+"
        elif "|" in token:
            made += "(?:" + "|".join(map(re.escape, token.split("|"))) + ")"
        else:
            made += re.escape(token)
    return made
