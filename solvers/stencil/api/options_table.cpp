// SPDX-License-Identifier: MIT
// The rows.
#include "dwell/solvers/stencil/api/options_table.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"

namespace dwell {
namespace {

using on = stencil_surface;

template <auto Member>
constexpr auto stencil_place = +[](stencil_options& o) -> auto& {
  return o.*Member;
};

std::vector<std::string> stencil_executor_words() {
  std::vector<std::string> names;
  for (const executor_info& e : executors::all)
    if (e.stencils) names.emplace_back(e.name);
  return after_auto(std::move(names));
}
std::vector<std::string> stencil_policy_words() { return after_auto(built_stencil_policies()); }
std::vector<std::string> boundary_words() { return {"fixed", "periodic", "reflect"}; }
std::vector<std::string> traversal_words() { return {automatic, "static", "zig-zag", "ring"}; }
std::vector<std::string> blocking_words() { return {automatic, "spatial", "temporal"}; }
std::vector<std::string> engine_words() { return after_auto(stencil_engines()); }

constexpr on command_line = on::run | on::compare | on::explain;
constexpr option_absence<on> in_lists = {on::compare, "a comparison has several: a list"};
constexpr option_absence<on> one_pass = {on::explain, "what is explained is one pass"};
constexpr option_absence<on> of_a_run = {on::c | on::python, "an argument of each run"};
constexpr option_absence<on> so_many_steps = {on::compare, "a comparison does a number of steps"};
constexpr option_absence<on> for_tests = {command_line | on::python, "for tests and tuning"};

constexpr stencil_option stencil_rows[] = {
    {.name = "shape",
     .help = "The stencil, by its name",
     .member = stencil_place<&stencil_options::shape>,
     .absences = {{command_line, "the argument STENCIL"}}},
    {.name = "executor",
     .flag = "--executor",
     .help = "In which loop the steps run; the report says why auto chose what it chose. naive is "
             "one plain loop over all cells, to compare results with, and slow",
     .member = stencil_place<&stencil_options::executor>,
     .words = stencil_executor_words,
     .absences = {in_lists, {on::explain, "what is explained is perks"}}},
    {.name = "policy",
     .flag = "--policy",
     .help = "What perks caches on the chip; measured tries plans on a copy of the field",
     .member = stencil_place<&stencil_options::policy>,
     .words = stencil_policy_words,
     .absences = {in_lists}},
    {.name = "edge",
     .keyword = "boundary",
     .flag = "--boundary",
     .help = "What lies beyond the border: fixed keeps the outermost cells, as many layers as the "
             "radius; reflect mirrors, the outermost cells included (numpy.pad's symmetric)",
     .member = stencil_place<&stencil_options::edge>,
     .words = boundary_words},
    {.name = "weights",
     .flag = "--weights",
     .help = "Of the cells that the stencil reads, in their order; by default the shape's own",
     .member = stencil_place<&stencil_options::weights>,
     .absences = {{on::compare | on::explain, "neither times nor plans depend on them"}}},
    {.name = "steps",
     .flag = "--steps",
     .help = "Steps to do, or allowed where a tolerance ends the run",
     .member = stencil_place<&stencil_options::steps>,
     .range = option_range{.least = 0},
     .absences = {of_a_run, one_pass}},
    {.name = "until",
     .flag = "--until",
     .help = "Stop when no cell changes by more than this in a step",
     .member = stencil_place<&stencil_options::until>,
     .range = option_range{.least = 0, .words = "a finite number of at least 0"},
     .absences = {of_a_run, so_many_steps, one_pass}},
    {.name = "check_every",
     .flag = "--check-every",
     .help = "Steps between two tests of the tolerance",
     .member = stencil_place<&stencil_options::check_every>,
     .range = option_range{.least = 1},
     .absences = {of_a_run, so_many_steps, one_pass}},
    {.name = "progress_interval",
     .help = "Seconds between two calls of a progress function",
     .member = stencil_place<&stencil_options::progress_interval>,
     .absences = {{on::c, "dwell_options_set_progress()"},
                  {command_line, "the line on a terminal has its own"}}},
    {.name = "teams",
     .help = "Threads or thread blocks; 0: as planned",
     .member = stencil_place<&stencil_options::teams>,
     .range = option_range{.least = 0},
     .absences = {for_tests}},
    {.name = "depth",
     .flag = "--depth",
     .help = "perks: steps between two exchanges of tiles' edges; temporal: steps of a pass "
             "(default: as planned)",
     .member = stencil_place<&stencil_options::depth>,
     .range = option_range{.least = 0}},
    {.name = "traversal",
     .flag = "--traversal",
     .help = "perks, one step per pass: the order of rows (in 3-D planes) that are not cached on "
             "the chip; refused where all are cached",
     .member = stencil_place<&stencil_options::traversal>,
     .words = traversal_words},
    {.name = "blocking",
     .flag = "--blocking",
     .help = "perks: every pass over what is not in registers does one step (spatial) or as many "
             "as registers hold levels for, one or several (temporal)",
     .member = stencil_place<&stencil_options::blocking>,
     .words = blocking_words},
    {.name = "order",
     .flag = "--order",
     .help = "host-loop, graph, persistent: the order in which a step takes the cells (on a GPU "
             "its tiles), with the same bits",
     .member = stencil_place<&stencil_options::order>,
     .absences = {in_lists}},
    {.name = "engine",
     .flag = "--engine",
     .help = "How an executor lays the field over the chip",
     .member = stencil_place<&stencil_options::engine>,
     .words = engine_words},
    {.name = "reverse_lanes",
     .help = "Of a CPU: run the lanes of a team in reverse order",
     .member = stencil_place<&stencil_options::reverse_lanes>,
     .absences = {for_tests}},
};

}  // namespace

std::span<const stencil_option> stencil_option_table() { return stencil_rows; }

const stencil_option& stencil_option_named(std::string_view name) {
  for (const stencil_option& option : stencil_rows)
    if (option.name == name) return option;  // runs ask, and allocate nothing
  std::vector<std::string_view> names;
  for (const stencil_option& option : stencil_rows) names.emplace_back(option.name);
  throw input_error(
      fmt::format("expected the name of an option of stencils, found {}", found_word(name, names)));
}

void check_ranges(const stencil_options& o) {
  for (const stencil_option& option : stencil_rows) {
    if (!option.range) continue;
    with_member(option, o, [&]<class M>(const M& found) {
      if constexpr (std::is_arithmetic_v<M>)
        check_number(option.name, *option.range, static_cast<double>(found));
      else if constexpr (std::is_same_v<M, std::optional<double>>)
        if (found) check_number(option.name, *option.range, *found);
    });
  }
}

}  // namespace dwell
