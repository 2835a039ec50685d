// SPDX-License-Identifier: MIT
// The macros are those that man-db, groff and mandoc agree on: TH, SH, SS, TP, PP, nf, B.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "describe/formats.hpp"

#include "dwell/version.hpp"

namespace dwell::app {

namespace {

/// Text in which nothing is a request or an escape. A dash is one that can be copied.
std::string escaped(const std::string& text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    at_start = c == '\n';
  }
  return out;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string roff_item(const described_option& o, bool argument) {
  std::string out = ".TP\n";
  for (std::size_t i = 0; i < o.names.size(); ++i)
    out += (i > 0 ? ", " : "") + (argument ? italic(o.names[i]) : bold(o.names[i]));
  if (o.repeats) out += " ...";
  if (!o.value.empty())
    out += o.value_optional ? "[=" + italic(o.value) + "]" : " " + italic(o.value);
  auto text = o.help;
  if (!o.standard.empty()) text += " (default: " + o.standard + ")";
  return out + "\n" + escaped(text) + "\n";
}

std::string lines_as_they_are(const std::string& text) { return ".nf\n" + escaped(text) + ".fi\n"; }

/// The page of a command that this one is near.
std::string page_of(const std::vector<std::string>& path) {
  return ".BR " + escaped(fmt::format("{}", fmt::join(path, "-"))) + " (1)";
}

std::string see_also(const described_command& c) {
  std::vector<std::string> pages;
  if (c.path.size() > 1) pages.push_back(page_of({c.path.begin(), c.path.end() - 1}));
  for (const auto& below : c.commands) pages.push_back(page_of(below.path));
  return ".SH SEE ALSO\n" + fmt::format("{}", fmt::join(pages, " ,\n")) + "\n";
}

}  // namespace

std::string roff_of(const described_command& c) {
  const auto name = path_text(c, "-");
  auto purpose = c.help;
  while (!purpose.empty() && purpose.back() == '.') purpose.pop_back();
  std::string out = fmt::format(
      ".\\\" Written by dwell man.\n.TH {} 1 \"\" \"dwell {}\" \"User Commands\"\n"
      ".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n",
      escaped(upper(name)), DWELL_VERSION_STRING, escaped(name), escaped(purpose),
      bold(path_text(c)) + escaped(synopsis(c).substr(path_text(c).size())));
  bool described = false;
  for (const auto& s : c.sections)
    if (s.heading.empty()) {
      out += (described ? ".PP\n" : ".SH DESCRIPTION\n") + escaped(s.text);
      described = true;
    }
  if (!c.commands.empty()) out += ".SH COMMANDS\n";
  for (const auto& below : c.commands)
    out += ".TP\n" + bold(path_text(below)) + "\n" + escaped(below.help) + "\n";
  if (!c.arguments.empty()) out += ".SH ARGUMENTS\n";
  for (const auto& a : c.arguments) out += roff_item(a, true);
  out += ".SH OPTIONS\n";
  std::string group = "Options";
  for (const auto& o : c.options) {
    if (o.group != group) out += ".SS " + escaped(o.group) + "\n";
    group = o.group;
    out += roff_item(o, false);
  }
  for (const auto& s : c.sections)
    if (!s.heading.empty()) {
      const auto end = s.heading.find(" (");
      out += ".SH " + escaped(upper(s.heading.substr(0, end))) + "\n" + lines_as_they_are(s.text);
    }
  return out + see_also(c);
}

}  // namespace dwell::app
