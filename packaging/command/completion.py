#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the completion of the command `weft` for bash, zsh and fish from the command's own tables.

    completion.py TABLES BASH ZSH FISH

TABLES is what `weft __tables` prints; the others are the files to write.
"""
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
import tables as of  # noqa: E402

NOTE = "# Made by the build from the tables of the command weft: packaging/command/completion.py"


def quoted(text):
    """In single quotes, for bash and zsh."""
    return "'" + text.replace("'", "'\\''") + "'"


# ---- bash ----

BASH = r"""
_weft() {
  local cur=${COMP_WORDS[COMP_CWORD]} command= option= kind= ended= count=0 i word
  COMPREPLY=()
  # readline makes three words of --option=value
  [[ $cur == = ]] && cur=
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == = ]]; then
      continue
    elif [[ $option ]]; then
      option=
    elif [[ $word == -- ]]; then
      ended=1
    elif [[ $word == -* && ! $ended ]]; then
      case $word in
        @VALUED@) option=$word ;;
      esac
    elif [[ $command ]]; then
      ((count++))
    else
      command=$word
    fi
  done
  if [[ $option ]]; then
    case $command$option in
@VALUES@
    esac
  elif [[ $cur == -* && ! $ended ]]; then
    kind=options
  elif [[ ! $command ]]; then
    kind='@COMMANDS@'
  else
    case $command/$count in
@WORDS@
      *) [[ $cur ]] || kind=options ;;
    esac
  fi
  case $kind in
    '') ;;
    file)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      ;;
    folder)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$cur")
      ;;
    options)
      case $command in
@OPTIONS@
      esac
      mapfile -t COMPREPLY < <(compgen -W "$kind" -- "$cur")
      ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$kind" -- "$cur") ;;
  esac
}
complete -F _weft weft
"""


def bash_kind(tables, kind, names):
    if kind == "command":
        return " ".join(command["name"] for command in tables["commands"])
    return " ".join(names) if kind == "words" else "" if kind == "none" else kind


def bash_words(tables, command):
    places, repeats = of.words_of(command)
    for i, (_, kind, names) in enumerate(places):
        last = repeats and i == len(places) - 1
        pattern = f"{command['name']}/{'*' if last else i}"
        yield f"      {pattern}) kind={quoted(bash_kind(tables, kind, [name for name, _ in names]))} ;;"


def bash(tables):
    values, words, options = {}, [], []
    for command in [None, *tables["commands"]]:
        name = command["name"] if command else "''"
        own = of.options_of(tables, command)
        options.append(f"        {name}) kind='{' '.join(option['name'] for option in own)}' ;;")
        for option in own:
            if option["argument"]:
                text = bash_kind(tables, *of.kind_of(option["argument"]))
                values[f"{command['name'] if command else ''}{option['name']}"] = text
        words += bash_words(tables, command) if command else []
    valued = [name for name, option in tables["every_option"].items() if option["argument"]]
    parts = {"VALUED": " | ".join(valued), "WORDS": "\n".join(words), "OPTIONS": "\n".join(options),
             "COMMANDS": " ".join(command["name"] for command in tables["commands"]),
             "VALUES": "\n".join(f"      {name}) kind={quoted(kind)} ;;" for name, kind in values.items())}
    text = BASH
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return f"{NOTE}{text}"


# ---- zsh ----

ZSH = r"""#compdef weft
@NOTE@

@FUNCTIONS@
_weft() {
  local curcontext="$curcontext" state line ret=1
  typeset -A opt_args
@ARGUMENTS@ && ret=0
  case $state in
    words)
      curcontext="${curcontext%:*:*}:weft-$line[1]:"
      case $line[1] in
@CASES@
      esac && ret=0
      ;;
  esac
  return ret
}

if [ "$funcstack[1]" = "_weft" ]; then
  _weft "$@"
else
  compdef _weft weft
fi
"""

ZSH_ACTIONS = {"file": "_files", "folder": "_path_files -/", "command": "_weft_commands", "none": ""}


def zsh_escaped(text):
    return "".join("\\" + c if c in "[]:\\" else c for c in text)


def zsh_option(option):
    text = zsh_escaped(option["help"])
    if not option["argument"]:
        return f"{option['name']}[{text}]"
    kind, words = of.kind_of(option["argument"])
    action = f"({' '.join(words)})" if kind == "words" else ZSH_ACTIONS[kind]
    return f"{option['name']}=[{text}]:{zsh_escaped(option['argument'])}:{action}"


def zsh_names(function, names):
    """A function that offers names with their help."""
    lines = "\n".join("    " + quoted(f"{name}:{of.first_line(text)}" if text else name) for name, text in names)
    return f"{function}() {{\n  local -a names\n  names=(\n{lines}\n  )\n  _describe -t names name names\n}}\n"


def zsh_arguments(specs, indent):
    lines = " \\\n".join(f"{indent}  {quoted(spec)}" for spec in specs)
    return f"{indent}_arguments -S \\\n{lines}"


def zsh(tables):
    commands = tables["commands"]
    functions = [zsh_names("_weft_commands", [(c["name"], c["summary"]) for c in commands])]
    cases = []
    for command in commands:
        specs = [zsh_option(option) for option in of.options_of(tables, command)]
        places, repeats = of.words_of(command)
        for i, (placeholder, kind, names) in enumerate(places):
            action = ZSH_ACTIONS.get(kind)
            if kind == "words":
                action = f"_weft_{command['name']}_{i + 1}"
                functions.append(zsh_names(action, names))
            number = "*" if repeats and i == len(places) - 1 else str(i + 1)
            specs.append(f"{number}:{zsh_escaped(placeholder)}:{action}")
        cases.append(f"        {command['name']})\n{zsh_arguments(specs, ' ' * 10)}\n          ;;")
    own = [zsh_option(option) for option in of.options_of(tables, None)]
    specs = own + ["1:command:_weft_commands", "*::word:->words"]
    body = zsh_arguments(specs, "  ").replace("_arguments -S", "_arguments -C", 1)
    parts = {"NOTE": NOTE, "FUNCTIONS": "\n".join(functions), "ARGUMENTS": body, "CASES": "\n".join(cases)}
    text = ZSH
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


# ---- fish ----

FISH = """
# The words so far that are neither options nor their values: the command first.
function __weft_words
    set -l tokens (commandline -opc)
    set -e tokens[1]
    set -l is_value 0
    for token in $tokens
        if test $is_value = 1
            set is_value 0
            continue
        end
        switch $token
            case @VALUED@
                set is_value 1
            case '-*'
            case '*'
                echo -- $token
        end
    end
end

# True if the command is $argv[1] and the word to complete is its word number $argv[2] (or a later one, with "more").
function __weft_at
    set -l words (__weft_words)
    test "$words[1]" = "$argv[1]"; or return
    test (count $words) -eq $argv[2]; or test "$argv[3]" = more -a (count $words) -gt $argv[2]
end

function __weft_is
    set -l words (__weft_words)
    test "$words[1]" = "$argv[1]"
end

complete -c weft -f
"""


def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_action(tables, kind, names):
    """The options of `complete` that offer something of this kind, for a value or a word."""
    if kind == "file":
        return " -F"
    if kind == "folder":
        return " -a '(__fish_complete_directories)'"
    if kind == "command":
        names = [command["name"] for command in tables["commands"]]
    return f" -a {fish_quoted(' '.join(names))}" if names else ""


def fish_option(tables, condition, option):
    line = f"complete -c weft -n {fish_quoted(condition)} -l {option['name'][2:]}"
    if option["argument"]:
        kind, names = of.kind_of(option["argument"])
        line += (" -r" if kind == "file" else " -x") + fish_action(tables, kind, names)
    return f"{line} -d {fish_quoted(of.first_line(option['help']))}"


def fish(tables):
    lines = []
    for command in tables["commands"]:
        condition = "-n '__weft_is \"\"'"
        lines.append(f"complete -c weft {condition} -a {command['name']} -d {fish_quoted(command['summary'])}")
    for command in [None, *tables["commands"]]:
        condition = f"__weft_is {command['name']}" if command else '__weft_is ""'
        lines += [fish_option(tables, condition, option) for option in of.options_of(tables, command)]
        places, repeats = of.words_of(command) if command else ([], False)
        for i, (_, kind, names) in enumerate(places):
            more = " more" if repeats and i == len(places) - 1 else ""
            start = f"complete -c weft -n '__weft_at {command['name']} {i + 1}{more}'"
            if kind == "words":
                lines += [f"{start} -a {name} -d {fish_quoted(of.first_line(text))}" for name, text in names]
            elif kind != "none":
                lines.append(start + fish_action(tables, kind, []))
    valued = [name for name, option in tables["every_option"].items() if option["argument"]]
    return NOTE + FISH.replace("@VALUED@", " ".join(valued)) + "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    tables = of.read(sys.argv[1])
    for write, path in zip((bash, zsh, fish), sys.argv[2:]):
        with open(path, "w", encoding="utf-8") as file:
            file.write(write(tables))


if __name__ == "__main__":
    main()
