// SPDX-License-Identifier: MIT
// One function that needs no other: it puts the words together that bash splits at = and :, finds
// the command, and looks at the word before the cursor.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "describe/formats.hpp"

namespace dwell::app {

namespace {

constexpr const char* bash_head = R"(# bash completion of dwell; written by 'dwell completion bash'
_dwell() {
  # The words as typed: bash splits them at = and :.
  local line=$COMP_LINE word glued i words=()
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    glued=yes
    [[ $line == [[:space:]]* ]] && glued=
    line=${line#"${line%%[![:space:]]*}"}
    line=${line#"$word"}
    if ((i > 0)) && [[ $glued && ($word == [=:]* || ${words[-1]} == *[=:]) ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  local cur=${words[-1]} prev=dwell command=dwell
  ((${#words[@]} > 1)) && prev=${words[-2]}
  for ((i = 1; i < ${#words[@]} - 1; ++i)); do
    case "$command ${words[i]}" in
      'dwell help') ;;
)";

constexpr const char* bash_middle = R"(    esac
  done
  if [[ $cur == --*=* ]]; then
    prev=${cur%%=*}
    cur=${cur#*=}
  elif [[ $cur != -* || $cur == - ]] && [[ $prev == --*=* ]]; then
    prev=
  fi
  local kind=word choices=
  case "$command $prev" in
)";

constexpr const char* bash_tail = R"(  esac
  local begun=
  if [[ $kind == list && $cur == *,* ]]; then
    begun=${cur%,*},
    cur=${cur##*,}
  fi
  mapfile -t COMPREPLY < <(compgen -P "$begun" -W "$choices" -- "$cur")
  if [[ $kind == file ]]; then
    local names
    mapfile -t names < <(compgen -f -- "$cur")
    ((${#names[@]} > 0)) && compopt -o filenames 2>/dev/null
    COMPREPLY+=("${names[@]}")
  fi
  # What stands before the last colon stays on the line.
  if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then
    local before=${cur%"${cur##*:}"}
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
  fi
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *: ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _dwell dwell
)";

std::string bash_values(const value_completions& v) {
  const char* kind = v.what == value_completions::file   ? "file"
                     : v.what == value_completions::list ? "list"
                                                         : "word";
  return fmt::format("kind={} choices='{}'", kind, fmt::join(v.words, " "));
}

}  // namespace

std::string bash_completion(const described_command& program) {
  std::string steps, options, rest;
  for (const auto* c : all_commands(program)) {
    const auto path = path_text(*c);
    for (const auto& below : c->commands)
      steps += fmt::format("      '{} {}') command='{}' ;;\n", path, below.path.back(),
                           path_text(below));
    std::string names;
    for (const auto& o : c->options) {
      std::string patterns;
      for (const auto& name : o.names) {
        names += (names.empty() ? "" : " ") + name;
        patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : " | ", path, name);
      }
      if (!o.value.empty() && !o.value_optional)
        options += fmt::format("    {}) {} ;;\n", patterns, bash_values(o.completions));
    }
    std::string others = "choices=";
    if (!c->commands.empty()) {
      std::string words = c->path.size() == 1 ? "help version" : "";
      for (const auto& below : c->commands)
        words = below.path.back() + (words.empty() ? "" : " ") + words;
      others = fmt::format("choices='{}'", words);
    } else if (!c->arguments.empty()) {
      others = bash_values(c->arguments.front().completions);
    }
    rest += fmt::format("        '{}') if [[ $cur == -* ]]; then choices='{}'; else {}; fi ;;\n",
                        path, names, others);
  }
  return bash_head + steps + bash_middle + options + "    *)\n      case $command in\n" + rest +
         "      esac\n      ;;\n" + bash_tail;
}

}  // namespace dwell::app
