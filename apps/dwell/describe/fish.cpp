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

}  // namespace

std::string fish_completion(const described_command& program) {
  std::string steps;
  for (const auto* c : all_commands(program))
    for (const auto& below : c->commands)
      steps +=
          fmt::format("            case {}\n                set at {}\n",
                      quoted(path_text(*c) + " " + below.path.back()), quoted(path_text(below)));
  std::string out =
      "# fish completion of dwell; written by 'dwell completion fish'\n"
      "function __dwell_at\n    set -l at dwell\n"
      "    for word in (commandline -opc)[2..-1]\n        switch \"$at $word\"\n" +
      steps + "        end\n    end\n    test \"$at\" = \"$argv\"\nend\n";
  for (const auto* c : all_commands(program)) {
    const auto at = "complete -c dwell -n " + quoted("__dwell_at " + path_text(*c));
    out += "\n";
    for (const auto& below : c->commands)
      out += fmt::format("{} -f -a {} -d {}\n", at, below.path.back(),
                         quoted(first_sentence(below.help)));
    if (!c->arguments.empty()) {
      const auto& v = c->arguments.front().completions;
      const auto words = quoted(fmt::format("{}", fmt::join(v.words, " ")));
      if (!v.words.empty() || v.what == value_completions::file)
        out += at + (v.what == value_completions::file ? " -F" : " -f") +
               (v.words.empty() ? "" : " -a " + words) + "\n";
      else
        out += at + " -f\n";
    }
    for (const auto& o : c->options) {
      out += at;
      for (const auto& name : o.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!o.value.empty() && !o.value_optional) out += " " + fish_values(o.completions);
      out += " -d " + quoted(first_sentence(o.help)) + "\n";
    }
  }
  return out;
}

}  // namespace dwell::app
