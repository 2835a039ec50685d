// SPDX-License-Identifier: MIT
// The rows.
#include "dwell/solvers/grid/report_table.hpp"

namespace dwell {
namespace {

template <auto... Member>
constexpr auto grid_member = report_member<grid_report, Member...>;

std::vector<std::string> preconditioners_that_ran() {
  std::vector<std::string> words = grid_preconditioners();
  words.erase(words.begin());  // auto
  return words;
}
std::vector<std::string> grid_precisions() { return {"f64", "f32"}; }
std::vector<std::string> grid_backends() {
  return {to_string(backend::cpu), to_string(backend::cuda)};
}
std::vector<std::string> grid_null_spaces() { return {"none", "constant"}; }
std::vector<std::string> grid_stops() {
  std::vector<std::string> names;
  for (const stop_reason one :
       {stop_reason::converged, stop_reason::iteration_limit, stop_reason::breakdown,
        stop_reason::not_finite, stop_reason::interrupted, stop_reason::accuracy_limit})
    names.push_back(to_string(one));
  return names;
}

constexpr report_absence says_a_warning = {report_surface::text, "a warning says it"};
constexpr auto no_number = "it is not finite";

constexpr report_field<grid_report> fields_of_grids[] = {
    {.name = "method",
     .unit = report_unit::none,
     .help = "the method",
     .is = grid_member<&grid_report::method>,
     .json = "solver",
     .words = grid_methods},
    {.name = "preconditioner",
     .unit = report_unit::none,
     .help = "of the method; multigrid and jacobi are their own",
     .is = grid_member<&grid_report::preconditioner>,
     .json = "preconditioner",
     .words = preconditioners_that_ran},
    {.name = "device",
     .unit = report_unit::none,
     .help = "name of the device that it ran on",
     .is = grid_member<&grid_report::device>,
     .json = "device.name"},
    {.name = "on",
     .unit = report_unit::none,
     .help = "kind of the device",
     .is = grid_member<&grid_report::on>,
     .json = "device.backend",
     .python = "backend",
     .words = grid_backends},
    {.name = "precision",
     .unit = report_unit::none,
     .help = "of vectors and of the operator; levels of multigrid are in f32",
     .is = grid_member<&grid_report::precision>,
     .json = "precision",
     .words = grid_precisions},
    {.name = "threads",
     .unit = report_unit::count,
     .help = "that took part; of a GPU blocks",
     .is = grid_member<&grid_report::threads>,
     .json = "threads"},
    {.name = "reason",
     .unit = report_unit::none,
     .help = "why so many threads, or blocks",
     .is = grid_member<&grid_report::reason>,
     .json = "reason"},
    {.name = "cycle",
     .unit = report_unit::none,
     .help = "how levels were visited, and why",
     .is = grid_member<&grid_report::cycle>,
     .json = "cycle"},
    {.name = "levels",
     .unit = report_unit::none,
     .help = "unknowns along the axes of each level, the finest first",
     .is = {report_kind::text,
            +[](const grid_report& r) -> report_value { return levels_text(r.levels); }},
     .json = nullptr,
     .absences = {{report_surface::json, "levels[] has them one by one"},
                  {report_surface::python | report_surface::repr,
                   "GridReport.levels has them as tuples"}}},
    {.name = "iterations",
     .unit = report_unit::count,
     .help = "done, of all attempts",
     .is = grid_member<&grid_report::iterations>,
     .json = "iterations"},
    {.name = "refinements",
     .unit = report_unit::count,
     .help = "how often the iteration began anew from its answer, since the true residual missed "
             "the tolerance",
     .is = grid_member<&grid_report::refinements>,
     .json = "refinements"},
    {.name = "stopped",
     .unit = report_unit::none,
     .help = "why it ended",
     .is = grid_member<&grid_report::stopped>,
     .json = "stop_reason",
     .words = grid_stops},
    {.name = "target_missed",
     .unit = report_unit::none,
     .help = "the recursive residual has met the tolerance, the true one has not",
     .is = grid_member<&grid_report::target_missed>,
     .json = "target_missed",
     .absences = {{report_surface::text, "the stop reason says it"}}},
    {.name = "rhs_norm",
     .unit = report_unit::norm,
     .help = "2-norm of b, the right-hand side with what the sides give; of a singular system "
             "without its mean",
     .is = grid_member<&grid_report::rhs_norm>,
     .json = "rhs_norm"},
    {.name = "null_space",
     .unit = report_unit::none,
     .help = "constant where nothing holds u: the answer is the one whose mean is 0",
     .is = grid_member<&grid_report::null_space>,
     .json = "null_space",
     .words = grid_null_spaces},
    {.name = "rhs_outside_range",
     .unit = report_unit::relative,
     .help = "norm of the part of b that was taken away, since there is no solution for it, over "
             "that of b",
     .is = grid_member<&grid_report::rhs_outside_range>,
     .json = "rhs_outside_range"},
    {.name = "rhs_inconsistent",
     .unit = report_unit::none,
     .help = "that is more than rounding explains (1e-6, in f32 1e-3)",
     .is = grid_member<&grid_report::rhs_inconsistent>,
     .json = "rhs_inconsistent",
     .absences = {says_a_warning}},
    {.name = "residual_relative_recursive",
     .unit = report_unit::relative,
     .help = "norm of the residual that the iteration carries, over that of b",
     .is = grid_member<&grid_report::residual_relative_recursive>,
     .json = "residual.relative_recursive",
     .none = no_number},
    {.name = "residual_relative_true",
     .unit = report_unit::relative,
     .help = "norm of b - A u, computed anew from the answer, over that of b",
     .is = grid_member<&grid_report::residual_relative_true>,
     .json = "residual.relative_true",
     .none = no_number},
    {.name = "residual_relative_wanted",
     .unit = report_unit::relative,
     .help = "at which the solve converges: the larger of rtol, and atol over the norm of b",
     .is = grid_member<&grid_report::residual_relative_wanted>,
     .json = "tolerance.target"},
    {.name = "met_by_rounding",
     .unit = report_unit::none,
     .help = "converged in f32 as far as rounding allows, which is above the tolerance of f32, "
             "where none was asked for",
     .is = grid_member<&grid_report::met_by_rounding>,
     .json = "met_by_rounding",
     .says = ", as far as rounding allows in f32"},
    {.name = "stagnated",
     .unit = report_unit::none,
     .help = "at the limit: the last third of the iterations did not halve the residual",
     .is = grid_member<&grid_report::stagnated>,
     .json = "stagnated",
     .says = ", and the last third of them did not halve the residual"},
    {.name = "advice",
     .unit = report_unit::none,
     .help = "what to try where it did not converge",
     .is = grid_member<&grid_report::advice>,
     .json = "advice",
     .none = "there is none"},
    {.name = "setup_s",
     .unit = report_unit::seconds,
     .help =
         "checks, the operator, the levels, and those that the solve itself made, to go on with",
     .is = grid_member<&grid_report::setup_s>,
     .json = "time.setup_s"},
    {.name = "solve_s",
     .unit = report_unit::seconds,
     .help = "the iterations, the true residual, vectors in and out",
     .is = grid_member<&grid_report::solve_s>,
     .json = "time.solve_s"},
    {.name = "bytes_per_iteration",
     .unit = report_unit::bytes,
     .help = "that the method and cycles through all levels must move, by the model; where other "
             "coarse operators took over the mean of all iterations",
     .is = grid_member<&grid_report::bytes_per_iteration>,
     .json = "bytes_per_iteration"},
    {.name = "per_iteration_us",
     .unit = report_unit::microseconds,
     .help = "solve_s over iterations",
     .is = grid_member<&grid_report::per_iteration_us>,
     .json = "time.per_iteration_us"},
    {.name = "history",
     .unit = report_unit::norm,
     .help = "norms of the residual after 0, 1, ... iterations, if asked for",
     .is = grid_member<&grid_report::history>,
     .json = nullptr,
     .absences = {{report_surface::json | report_surface::text,
                   "a file of its own has it (--history)"},
                  {report_surface::repr, "it is long"}}},
};

}  // namespace

std::span<const report_field<grid_report>> grid_report_table() { return fields_of_grids; }

std::string levels_text(const std::vector<grid_level>& levels) {
  std::string text;
  for (const grid_level& l : levels)
    text += (text.empty() ? "" : ", ") + sizes_text({l.cells.begin(), l.cells.end()});
  return text;
}

}  // namespace dwell
