// SPDX-License-Identifier: MIT
// How the output of a peer is read: a rule, which is a TOML file.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dwell::app {

/// Where a value stands in what a program printed, line by line.
struct printed_value {
  enum class choice { first, last, smallest, largest };
  enum class place { output, errors, both };

  std::string pattern;              ///< with one group, the value
  std::regex find;                  ///< compiled
  std::optional<std::regex> after;  ///< only lines behind the first one that has this
  choice which = choice::last;      ///< which one of several matches
  place stream = place::both;       ///< where it is looked for; both: first output, then errors
};

/// What a figure is: a time, or a rate of cells.
struct figure_unit {
  std::string_view name;
  bool rate;
  double scale;  ///< microseconds of one; cells per second of one
};
std::span<const figure_unit> figure_units();

struct peer_rule {
  enum class place { anywhere, cpu, gpu };

  std::string title;                    ///< what program it is; may be empty
  std::vector<std::string> problems;    ///< "stencil", "cg", ...; empty: all
  std::vector<std::string> precisions;  ///< "f64", "f32"; empty: all
  place runs_on = place::anywhere;
  bool square = false;                        ///< all sides of a field must be equal
  std::map<std::string, std::string> shapes;  ///< our names to its; empty: it has ours
  int limit_s = 600;                          ///< a run that takes longer is ended
  printed_value figure;
  figure_unit unit{};
  bool of_one = false;                 ///< a time is of one step or iteration, not of all of a run
  bool all_cells = false;              ///< a rate counts all cells, not only those that change
  std::optional<printed_value> setup;  ///< time of the set-up, in the unit of the figure
  std::optional<printed_value> iterations;  ///< how many it made
  std::optional<printed_value> residual;    ///< the relative one at its end
  std::optional<printed_value> device;      ///< the name of where it ran
};

/// A rule that is in the program.
struct shipped_rule {
  std::string_view name, text;
};
std::span<const shipped_rule> shipped_rules();
/// Their names, with commas between.
std::string shipped_rule_names();

/// Throws input_error with file and line.
peer_rule parse_peer_rule(const std::string& text, const std::string& file);
/// `name_or_file` as --peer-rules takes it. Throws input_error.
peer_rule read_peer_rule(const std::string& name_or_file);

/// The text of the group where the rule finds it; null where it does not.
std::optional<std::string> find_printed(const printed_value& what, const std::string& out,
                                        const std::string& err);

}  // namespace dwell::app
