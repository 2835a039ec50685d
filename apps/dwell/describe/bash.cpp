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
  local cur=${words[-1]} prev=dwell command=dwell given=' ' plain=0 behind=
  ((${#words[@]} > 1)) && prev=${words[-2]}
  for ((i = 1; i < ${#words[@]} - 1; ++i)); do
    word=${words[i]}
    if [[ $behind ]]; then  # the value of an option
      behind=
      continue
    fi
    given+="${word%%=*} "
    case "$command $word" in
      'dwell help') ;;
)";

constexpr const char* bash_middle = R"(      *' -'*) ;;
      *) ((++plain)) ;;
    esac
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
  local begun= entry other offered=
  if [[ $kind == list && $cur == *,* ]]; then
    begun=${cur%,*},
    cur=${cur##*,}
    for entry in $choices; do
      [[ ,$begun == *",$entry,"* ]] || offered+=" $entry"
    done
    choices=$offered
  fi
  # Options as name,name/name: what is there, or excludes it.
  if [[ $kind == options ]]; then
    for entry in $choices; do
      other=${entry#*/}
      for word in ${other//,/ }; do
        [[ $given == *" $word "* ]] && continue 2
      done
      word=${entry%%/*}
      offered+=" ${word//,/ }"
    done
    choices=$offered
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

/// "name,name/blocker,blocker" of each option.
std::string bash_options(const described_command& c) {
  std::string names;
  for (const auto& o : c.options)
    names += fmt::format("{}{}/{}", names.empty() ? "" : " ", fmt::join(o.names, ","),
                         fmt::join(blockers_of(o), ","));
  return names;
}

/// What stands in place of an option.
std::string bash_others(const described_command& c) {
  if (!c.commands.empty()) {
    std::string words = c.path.size() == 1 ? "help version" : "";
    for (const auto& below : c.commands)
      words = below.path.back() + (words.empty() ? "" : " ") + words;
    if (c.needs_command || c.arguments.empty()) return fmt::format("choices='{}'", words);
    value_completions either = c.arguments.front().completions;
    either.words.push_back(words);
    return bash_values(either);
  }
  if (c.arguments.empty()) return "choices=";
  const auto values = bash_values(c.arguments.front().completions);
  const int most = completed_arguments(c);
  return most < 0 ? values : fmt::format("((plain < {})) && {{ {}; }}", most, values);
}

}  // namespace

std::string bash_completion(const described_command& program) {
  std::string steps, options, rest;
  for (const auto* c : all_commands(program)) {
    const auto path = path_text(*c);
    for (const auto& below : c->commands)
      steps += fmt::format("      '{} {}') command='{}' ;;\n", path, below.path.back(),
                           path_text(below));
    for (const auto& o : c->options) {
      if (!takes_word(o)) continue;
      std::string patterns;
      for (const auto& name : o.names)
        patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : " | ", path, name);
      steps += fmt::format("      {}) behind=yes ;;\n", patterns);
      options += fmt::format("    {}) {} ;;\n", patterns, bash_values(o.completions));
    }
    rest += fmt::format(
        "        '{}') if [[ $cur == -* ]]; then kind=options choices='{}'; else {}; fi ;;\n", path,
        bash_options(*c), bash_others(*c));
  }
  return bash_head + steps + bash_middle + options + "    *)\n      case $command in\n" + rest +
         "      esac\n      ;;\n" + bash_tail;
}

}  // namespace dwell::app
