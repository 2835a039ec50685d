// SPDX-License-Identifier: MIT
// Options are a list, not a table: their texts are too long for cells. Lines are at most 120 wide.
#include <fmt/format.h>

#include <sstream>

#include "describe/formats.hpp"

namespace dwell::app {

namespace {

/// Escapes what has a meaning to Markdown. Words with a dash in front are code.
std::string marked(const std::string& word) {
  if (word.starts_with("--")) {
    const auto end = word.find_last_not_of(".,;:)") + 1;
    return "`" + word.substr(0, end) + "`" + word.substr(end);
  }
  std::string out;
  for (const char c : word) {
    if (c == '*' || c == '<' || c == '|' || c == '[') out += '\\';
    out += c;
  }
  return out;
}

std::string wrapped(const std::string& head, const std::string& text, const std::string& indent) {
  constexpr std::size_t width = 120;
  std::string out, line = head;
  bool empty = head.empty();
  std::istringstream words(text);
  bool code = false;  // within 'dwell ...'
  for (std::string word; words >> word; empty = false) {
    const bool begins = word.starts_with("'dwell");
    std::string shown = code || begins ? word : marked(word);
    if (begins) shown[0] = '`', code = true;
    if (const auto end = shown.find('\''); code && end != std::string::npos)
      shown[end] = '`', code = false;
    if (!empty && line.size() + 1 + shown.size() > width) {
      out += line + "\n";
      line = indent + shown;
    } else {
      line += (empty ? "" : " ") + shown;
    }
  }
  return out + line + "\n";
}

std::string markdown_item(const described_option& o) {
  std::string names;
  for (std::size_t i = 0; i < o.names.size(); ++i) {
    names += (i == 0 ? "`" : ", `") + o.names[i];
    if (i + 1 == o.names.size() && !o.value.empty())
      names += o.value_optional ? "[=" + o.value + "]" : " " + o.value;
    if (i + 1 == o.names.size() && o.repeats) names += "...";
    names += "`";
  }
  const auto head = "- " + names + (o.required ? " (required)" : "") + ":";
  auto text = o.help;
  if (!o.standard.empty()) text += " (default: " + o.standard + ")";
  return wrapped(head, text, "  ");
}

std::string markdown_section(const described_command& c) {
  std::string out = "\n## " + path_text(c) + "\n\n" +
                    wrapped("", c.help + (c.help.ends_with('.') ? "" : "."), "") + "\n```\n" +
                    synopsis(c) + "\n```\n";
  if (!c.commands.empty()) {
    out += "\n**Commands**\n\n";
    for (const auto& below : c.commands)
      out += wrapped("- `" + path_text(below) + "`:", below.help, "  ");
  }
  if (!c.arguments.empty()) {
    out += "\n**Arguments**\n\n";
    for (const auto& a : c.arguments) out += markdown_item(a);
  }
  std::string group;
  for (const auto& o : c.options) {
    if (o.group != group) out += "\n**" + o.group + "**\n\n";
    group = o.group;
    out += markdown_item(o);
  }
  for (const auto& s : c.sections)
    out += s.heading.empty() ? "\n" + wrapped("", s.text, "")
                             : "\n**" + s.heading + "**\n\n```\n" + s.text + "```\n";
  return out;
}

}  // namespace

std::string markdown_of(const std::vector<const described_command*>& commands) {
  std::string out =
      "<!-- Written by `dwell man --format markdown`: what it says is in the help texts of "
      "apps/dwell. -->\n"
      "# Reference: the command line\n\n"
      "Every command with its options, as `--help` shows them. How they go together is in\n"
      "[using the command line](using-the-command-line.md).\n";
  for (const auto* c : commands) out += markdown_section(*c);
  return out;
}

}  // namespace dwell::app
