// SPDX-License-Identifier: MIT
// A function for each command, in the terms of _arguments.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "describe/formats.hpp"

namespace dwell::app {

namespace {

/// Inside single quotes, and inside [] or between colons of a specification.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

/// An action that begins with a blank is called as it stands.
std::string zsh_action(const value_completions& v) {
  std::string words;
  for (const auto& w : v.words) words += (words.empty() ? "" : " ") + zsh_text(w);
  if (v.what == value_completions::list) return fmt::format(" _values -s , word {}", words);
  if (v.what == value_completions::word) return words.empty() ? "" : "(" + words + ")";
  if (words.empty()) return "_files";
  return fmt::format(" _alternative \"words\\:word\\:({})\" \"files\\:file\\:_files\"", words);
}

std::string function_of(const described_command& c) { return "_" + path_text(c, "_"); }

std::string zsh_specification(const described_option& o) {
  const auto& help = first_sentence(o.help);
  std::string out;
  for (const auto& name : o.names) {
    const bool is_long = name.starts_with("--");
    const auto others = fmt::format("{}", fmt::join(blockers_of(o), " "));
    const std::string value = o.value.empty() ? "" : o.value_optional ? "=-" : is_long ? "=" : "+";
    const auto says = o.value.empty() ? ""
                                      : fmt::format("{}{}:{}", o.value_optional ? "::" : ":",
                                                    zsh_text(o.value), zsh_action(o.completions));
    out += fmt::format("    '({}){}{}[{}]{}' \\\n", others, name, value, zsh_text(help), says);
  }
  return out;
}

}  // namespace

std::string zsh_completion(const described_command& program) {
  std::string out =
      "#compdef dwell\n# zsh completion of dwell; written by 'dwell completion zsh'\n";
  for (const auto* c : all_commands(program)) {
    out += fmt::format("\n{}() {{\n", function_of(*c));
    if (!c->commands.empty())
      out += "  local curcontext=$curcontext state line\n  typeset -A opt_args\n";
    out += fmt::format("  _arguments {}\\\n", c->commands.empty() ? "-s " : "-C ");
    for (const auto& o : c->options) out += zsh_specification(o);
    if (c->commands.empty()) {
      for (const auto& a : c->arguments)
        out += fmt::format("    '{}:{}:{}' \\\n",
                           a.repeats ? a.completions.first_alone ? "1" : "*" : "",
                           zsh_text(a.names.front()), zsh_action(a.completions));
      out += "    && return 0\n}\n";
      continue;
    }
    out +=
        "    '1:command:->command' '*::argument:->argument' && return 0\n  case $state in\n"
        "    command)\n      local -a commands=(\n";
    for (const auto& below : c->commands)
      out +=
          fmt::format("        '{}:{}'\n", below.path.back(), zsh_text(first_sentence(below.help)));
    out += "      )\n      _describe command commands\n";
    if (!c->needs_command && !c->arguments.empty()) {
      const value_completions& names = c->arguments.front().completions;
      out += fmt::format("      compadd -- {}\n", fmt::join(names.words, " "));
      if (names.what == value_completions::file) out += "      _files\n";
    }
    out += "      ;;\n    argument)\n      case $line[1] in\n";
    for (const auto& below : c->commands)
      out += fmt::format("        {}) {} ;;\n", below.path.back(), function_of(below));
    out += "      esac\n      ;;\n  esac\n}\n";
  }
  return out +
         "\n# Loaded by compinit it is the function itself; sourced, it is registered.\n"
         "if [[ $funcstack[1] == _dwell ]]; then\n  _dwell \"$@\"\nelse\n  compdef _dwell "
         "dwell\nfi\n";
}

}  // namespace dwell::app
