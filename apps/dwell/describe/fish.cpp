// SPDX-License-Identifier: MIT
// A line for each word; __dwell_at tells which command stands on the line.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "describe/formats.hpp"

namespace dwell::app {

namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// "-x -a ..." or "-r -F".
std::string fish_values(const value_completions& v) {
  const auto words = quoted(fmt::format("{}", fmt::join(v.words, " ")));
  switch (v.what) {
    case value_completions::file:
      return v.words.empty() ? "-r -F" : "-r -F -a " + words;
    case value_completions::list:
      return "-x -a " + quoted(fmt::format("(__fish_append , {})", fmt::join(v.words, " ")));
    case value_completions::word:
      break;
  }
  return v.words.empty() ? "-x" : "-x -a " + words;
}

/// May it come now: is it not on the line, nor what it cannot stand beside? Or is it the word
/// before its value?
std::string fish_may_come(const described_option& o) {
  const std::vector<std::string> none;
  return fmt::format("; and __dwell_new {} / {}", fmt::join(takes_word(o) ? o.names : none, " "),
                     fmt::join(blockers_of(o), " "));
}

}  // namespace

std::string fish_completion(const described_command& program) {
  std::string steps;
  for (const auto* c : all_commands(program)) {
    for (const auto& below : c->commands)
      steps +=
          fmt::format("            case {}\n                set at {}\n",
                      quoted(path_text(*c) + " " + below.path.back()), quoted(path_text(below)));
    for (const auto& o : c->options)
      if (takes_word(o))
        for (const auto& name : o.names)
          steps += fmt::format("            case {}\n                set behind yes\n",
                               quoted(path_text(*c) + " " + name));
  }
  std::string out =
      "# fish completion of dwell; written by 'dwell completion fish'\n"
      "function __dwell_at\n    set -l at dwell\n    set -l behind\n    set -g __dwell_plain 0\n"
      "    for word in (commandline -opc)[2..-1]\n        if test -n \"$behind\"\n"
      "            set behind\n            continue\n        end\n"
      "        switch \"$at $word\"\n" +
      steps +
      "            case '* -*'\n            case '*'\n"
      "                set __dwell_plain (math $__dwell_plain + 1)\n"
      "        end\n    end\n    test \"$at\" = \"$argv\"\nend\n"
      "function __dwell_new\n    set -l words (commandline -opc)\n    set -l own yes\n"
      "    for name in $argv\n        if test \"$name\" = /\n            set own\n"
      "        else if test -n \"$own\"\n"
      "            test \"$words[-1]\" = \"$name\"; and return 0\n        else\n"
      "            for word in $words[2..-1]\n"
      "                test (string split -m 1 = -- \"$word\")[1] = \"$name\"; and return 1\n"
      "            end\n        end\n    end\n    return 0\nend\n";
  for (const auto* c : all_commands(program)) {
    const auto here = "__dwell_at " + path_text(*c);
    const auto at = "complete -c dwell -n " + quoted(here);
    out += "\n";
    for (const auto& below : c->commands)
      out += fmt::format("{} -f -a {} -d {}\n", at, below.path.back(),
                         quoted(first_sentence(below.help)));
    if (!c->arguments.empty()) {
      const auto& v = c->arguments.front().completions;
      const auto words = quoted(fmt::format("{}", fmt::join(v.words, " ")));
      const int most = completed_arguments(*c);
      const auto begin =
          most < 0 ? at
                   : "complete -c dwell -n " +
                         quoted(fmt::format("{}; and test $__dwell_plain -lt {}", here, most));
      if (most >= 0) out += at + " -f\n";
      if (!v.words.empty() || v.what == value_completions::file)
        out += begin + (v.what == value_completions::file ? " -F" : " -f") +
               (v.words.empty() ? "" : " -a " + words) + "\n";
      else
        out += at + " -f\n";
    }
    for (const auto& o : c->options) {
      out += "complete -c dwell -n " + quoted(here + fish_may_come(o));
      for (const auto& name : o.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (takes_word(o)) out += " " + fish_values(o.completions);
      out += " -d " + quoted(first_sentence(o.help)) + "\n";
    }
  }
  return out;
}

}  // namespace dwell::app
