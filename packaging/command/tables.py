# SPDX-License-Identifier: MIT
"""The tables of commands and options, as `weft __tables` prints them, and the meaning of their placeholders.

completion.py and manual.py read them. src/cli/base/cli.h describes the placeholders.
"""
import json

DEVICES = ["cpu", "gpu", "0", "1"]  # what --device completes: asking the drivers would take too long, or forever


def read(path):
    with open(path, encoding="utf-8") as file:
        tables = json.load(file)
    tables["every_option"] = {option["name"]: option for command in tables["commands"]
                              for option in options_of(tables, command)}
    return tables


def options_of(tables, command):
    """The options of a command (None: before any command): its own, then the global ones."""
    own = command["options"] if command else tables["lone_options"]
    return own + tables["global_options"]


def kind_of(placeholder):
    """What a placeholder stands for: (kind, words). Kinds: file, folder, command, words, none (nothing to offer)."""
    plain = placeholder.replace("...", "").strip("[]")
    if "|" in plain:
        return "words", plain.split("|")
    if plain.startswith("FILE"):
        return "file", []
    return {"DIR": ("folder", []), "COMMAND": ("command", []), "SEL": ("words", DEVICES)}.get(plain, ("none", []))


def words_of(command):
    """The words that a command takes, in order: (placeholder, kind, names with their help); and True if the last one
    repeats."""
    places = []
    for placeholder in command["synopsis"].split():
        kind, words = kind_of(placeholder)
        names = [(word, "") for word in words]
        if not places and command["names"]:
            kind, names = "words", [(name["name"], name["help"]) for name in command["names"]]
        places.append((placeholder, kind, names))
    return places, bool(places) and "..." in places[-1][0]


def first_line(text, most=80):
    """A text short enough for a list of completions."""
    return text if len(text) <= most else text[:most - 3].rsplit(" ", 1)[0].rstrip(",;:") + "..."
