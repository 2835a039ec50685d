// SPDX-License-Identifier: MIT
// The file, key by key; and the search, whose lines are cut short, since std::regex calls itself
// for every character.
#include "compare/peers/rule.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "cli/toml_file.hpp"
#include "cli/toml_section.hpp"
#include "compare/peers/number.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"

namespace dwell::app {

namespace {

constexpr std::size_t longest_line = 2000;

/// One of some words, else refused; `usual` where the key is not there.
std::string one_of(toml_section& in, const std::string& key, const std::string& usual,
                   const std::vector<std::string>& words) {
  const auto found = in.text(key);
  if (!found) return usual;
  if (std::find(words.begin(), words.end(), *found) == words.end())
    in.refuse(*in.find(key), key,
              fmt::format("expected {}, found '{}'", fmt::join(words, ", "), *found));
  return *found;
}

std::vector<std::string> some_of(toml_section& in, const std::string& key,
                                 const std::vector<std::string>& words) {
  const auto found = in.names(key);
  for (const auto& one : found)
    if (std::find(words.begin(), words.end(), one) == words.end())
      in.refuse(*in.find(key), key,
                fmt::format("expected some of {}, found '{}'", fmt::join(words, ", "), one));
  return found;
}

std::regex compiled(toml_section& in, const std::string& key, unsigned groups) {
  const auto text = in.required_text(key);
  try {
    std::regex made(text);
    if (made.mark_count() == groups) return made;
    in.refuse(*in.find(key), key,
              groups == 1
                  ? fmt::format("expected one group in parentheses, the value, found {} (a "
                                "group that is no value begins with ?:)",
                                made.mark_count())
                  : "expected no group in parentheses (one that is no value begins with ?:)");
  } catch (const std::regex_error& e) {
    in.refuse(*in.find(key), key,
              fmt::format("expected a regular expression of ECMAScript, found '{}' ({})", text,
                          e.what()));
  }
}

printed_value value_in(toml_section& in) {
  printed_value out;
  out.pattern = in.required_text("pattern");
  out.find = compiled(in, "pattern", 1);
  if (in.find("after")) out.after = compiled(in, "after", 0);
  using choice = printed_value::choice;
  using place = printed_value::place;
  const auto which = one_of(in, "which", "last", {"first", "last", "smallest", "largest"});
  out.which = which == "first"      ? choice::first
              : which == "last"     ? choice::last
              : which == "smallest" ? choice::smallest
                                    : choice::largest;
  const auto stream = one_of(in, "stream", "both", {"output", "errors", "both"});
  out.stream = stream == "output"   ? place::output
               : stream == "errors" ? place::errors
                                    : place::both;
  return out;
}

/// A table with a value; null where there is none.
std::optional<printed_value> value_of(toml_section& all, const std::string& key) {
  auto in = all.section(key);
  if (!in) return std::nullopt;
  auto out = value_in(*in);
  in->finish();
  return out;
}

void read_figure(toml_section& all, peer_rule& rule) {
  auto in = all.section("figure");
  if (!in) all.refuse(all.table(), "[figure]", "expected this table, found none");
  rule.figure = value_in(*in);
  const auto name = in->required_text("unit");
  const auto units = figure_units();
  const auto unit = std::ranges::find(units, name, &figure_unit::name);
  if (unit == units.end()) {
    std::vector<std::string_view> names;
    for (const auto& one : units) names.push_back(one.name);
    in->refuse(*in->find("unit"), "unit",
               fmt::format("expected {}, found '{}'", fmt::join(names, ", "), name));
  }
  rule.unit = *unit;
  // What a figure counts is never guessed.
  const std::string key = unit->rate ? "cells" : "of";
  if (!in->find(key))
    in->refuse(*in->find("unit"), key,
               unit->rate ? "expected all or changing, the cells that the rate counts, found none"
                          : "expected run or step, what the time is of, found none");
  if (unit->rate)
    rule.all_cells = one_of(*in, "cells", "all", {"all", "changing"}) == "all";
  else
    rule.of_one = one_of(*in, "of", "run", {"run", "step"}) == "step";
  in->finish();
}

void read_shapes(toml_section& all, peer_rule& rule) {
  auto in = all.section("shapes");
  if (!in) return;
  for (const auto& [key, node] : in->table()) {
    const auto* name = node.as_string();
    if (!name)
      in->refuse(node, std::string(key.str()),
                 "expected its name there, found " + found_kind(node));
    rule.shapes.emplace(key.str(), name->get());
  }
  if (rule.shapes.empty()) in->refuse(in->table(), "", "expected a shape, found none");
}

/// Calls take(text of the group) for each match, line by line; false ends it.
template <class Take>
void each_match(const printed_value& what, const std::string& text, Take&& take) {
  bool begun = !what.after;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find_first_of("\n\r", at), text.size());
    const auto line = text.substr(at, std::min(end - at, longest_line));
    at = end + 1;
    std::smatch found;
    try {
      if (!begun) {
        begun = std::regex_search(line, *what.after);
      } else if (std::regex_search(line, found, what.find)) {
        if (!take(found.str(1))) return;
      }
    } catch (const std::regex_error&) {  // too hard a line
    }
  }
}

}  // namespace

std::span<const figure_unit> figure_units() {
  static constexpr figure_unit all[] = {{"s", false, 1e6},       {"ms", false, 1e3},
                                        {"us", false, 1},        {"ns", false, 1e-3},
                                        {"cells/s", true, 1},    {"MCells/s", true, 1e6},
                                        {"GCells/s", true, 1e9}, {"TCells/s", true, 1e12}};
  return all;
}

std::string shipped_rule_names() {
  std::vector<std::string_view> names;
  for (const auto& rule : shipped_rules()) names.push_back(rule.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

peer_rule parse_peer_rule(const std::string& text, const std::string& file) {
  const auto table = parse_toml(text, file);
  toml_section all(file, table, "");
  peer_rule rule;
  rule.title = all.text("title").value_or("");
  rule.problems = some_of(all, "problems", {"stencil", "cg", "solve", "convolve"});
  rule.precisions = some_of(all, "precisions", {"f64", "f32"});
  const auto where = one_of(all, "runs_on", "anywhere", {"anywhere", "cpu", "gpu"});
  rule.runs_on = where == "cpu"   ? peer_rule::place::cpu
                 : where == "gpu" ? peer_rule::place::gpu
                                  : peer_rule::place::anywhere;
  rule.square = all.yes_or_no("square").value_or(false);
  rule.limit_s = all.whole("limit_s", 1).value_or(rule.limit_s);
  read_figure(all, rule);
  read_shapes(all, rule);
  rule.setup = value_of(all, "setup");
  rule.iterations = value_of(all, "iterations");
  rule.residual = value_of(all, "residual");
  rule.device = value_of(all, "device");
  if (rule.setup && rule.unit.rate)
    all.refuse(*all.find("setup"), "[setup]",
               fmt::format("expected a [figure] that is a time, found {}", rule.unit.name));
  all.finish();
  return rule;
}

peer_rule read_peer_rule(const std::string& name_or_file) {
  for (const auto& rule : shipped_rules())
    if (rule.name == name_or_file)
      return parse_peer_rule(std::string(rule.text), name_or_file + ".toml");
  std::ifstream file(name_or_file);
  if (!file)
    throw input_error(
        fmt::format("--peer-rules: expected a file that can be read, or one of {}, found '{}'",
                    shipped_rule_names(), name_or_file));
  return parse_peer_rule(toml_text(file, name_or_file, "a rule of a peer"), name_or_file);
}

std::optional<std::string> find_printed(const printed_value& what, const std::string& out,
                                        const std::string& err) {
  using choice = printed_value::choice;
  using place = printed_value::place;
  std::optional<std::string> best;
  const auto take = [&](const std::string& text) {
    if (!best || what.which == choice::last) {
      best = text;
    } else if (what.which == choice::smallest || what.which == choice::largest) {
      const auto a = printed_number(text), b = printed_number(*best);
      if (a && (!b || (what.which == choice::smallest ? *a < *b : *a > *b))) best = text;
    }
    return what.which != choice::first;
  };
  if (what.stream != place::errors) each_match(what, out, take);
  if (what.stream == place::errors || (what.stream == place::both && !best))
    each_match(what, err, take);
  return best;
}

}  // namespace dwell::app
