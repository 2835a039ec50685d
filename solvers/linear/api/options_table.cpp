// SPDX-License-Identifier: MIT
// The rows.
#include "dwell/solvers/linear/api/options_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/krylov/plan/policy.hpp"
#include "dwell/solvers/preconditioners/amg/amg.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {
namespace {

/// A member, or a member of a member.
template <auto... Member>
constexpr auto place = +[](solve_options& o) -> auto& {
  return (o.*....*Member);
};
template <auto Member>
constexpr auto part_place = place<&solve_options::preconditioning, Member>;

std::vector<std::string> method_words() {
  std::vector<std::string> names;
  for (const method_description& m : methods()) names.push_back(m.name);
  return after_auto(std::move(names));
}
std::vector<std::string> executor_words() {
  std::vector<std::string> names;
  for (const executor_info& e : executors::all)
    if (e.programs) names.emplace_back(e.name);
  return after_auto(std::move(names));
}
std::vector<std::string> policy_words() { return after_auto(built_policies()); }
std::vector<std::string> variant_words() { return after_auto(variants_of("cg")); }
std::vector<std::string> precision_words() { return {"f64", "f32", "mixed"}; }
std::vector<std::string> null_space_words() { return {automatic, "none", "constant"}; }
std::vector<std::string> smoother_words() {
  return {automatic, amg::jacobi_smoother, amg::gauss_seidel_smoother};
}
std::vector<std::string> coarsening_words() {
  return {automatic, amg::roots_word, amg::classical_word};
}
std::vector<std::string> preconditioner_words() {
  std::vector<std::string> names;
  for (const preconditioner_kind& one : preconditioner_kinds()) names.emplace_back(one.name);
  return names;
}

constexpr option_range at_least(double least) { return {.least = least}; }
constexpr option_range range(double least, double most) { return {.least = least, .most = most}; }
constexpr option_range tolerances = {.least = 0, .words = "a finite number of at least 0"};

constexpr surface comparisons = surface::compare_solve | surface::compare_cg;
constexpr surface command_line = surface::solve | comparisons | surface::explain;
constexpr absence plain_comparison = {comparisons, "a comparison takes the default"};
constexpr absence in_lists = {comparisons, "a comparison has several: a list"};
constexpr absence one_iteration = {surface::explain, "what is explained is one iteration"};

/// What a whole group lacks.
constexpr std::pair<option_group, absence> group_absences[] = {
    {option_group::system, plain_comparison},
    {option_group::stop, one_iteration},
    {option_group::result, plain_comparison},
    {option_group::result, one_iteration},
    {option_group::tuning, {command_line | surface::python, "for tests and tuning"}},
};

constexpr solve_option table[] = {
    {.name = "null_space",
     .flag = "--null-space",
     .group = option_group::system,
     .help = "constant: solve modulo constant vectors, b without its mean and x with mean 0; auto "
             "does so where a symmetric matrix has row sums of zero, as with Neumann boundaries",
     .member = place<&solve_options::null_space>,
     .words = null_space_words,
     .absences = {one_iteration}},
    {.name = "null_vectors",
     .flag = "--null-vectors",
     .group = option_group::system,
     .help = "The null space of a symmetric matrix: up to 6 vectors that span it, such as the "
             "rigid-body modes of a body that nothing holds; b counts without its part in it, x is "
             "orthogonal to it",
     .member = place<&solve_options::null_vectors>,
     .absences = {one_iteration},
     .flag_help =
         "The null space of a symmetric matrix: up to 6 columns of a .mtx, .mtx.gz or .npy file "
         "that span it, such as the rigid-body modes of a body that nothing holds; b counts "
         "without its part in it, x is orthogonal to it"},
    {.name = "assume_symmetric",
     .flag = "--assume-symmetric",
     .group = option_group::system,
     .help = "Skip the check that the matrix is symmetric",
     .member = place<&solve_options::assume_symmetric>,
     .methods = "cg minres direct"},
    {.name = "method",
     .flag = "--solver",
     .group = option_group::method,
     .help = "The method: cg for symmetric positive definite matrices, minres for symmetric ones, "
             "bicgstab and gmres for all; auto is the first of these that symmetry and diagonal of "
             "the matrix allow, and direct follows on a CPU where that is projected to end clearly "
             "sooner, the report says why; direct factorises the matrix on a CPU",
     .member = place<&solve_options::method>,
     .words = method_words,
     .absences = {in_lists}},
    {.name = "executor",
     .flag = "--executor",
     .group = option_group::execution,
     .help = "In which loop the iterations run; the report says why auto chose what it chose",
     .member = place<&solve_options::executor>,
     .words = executor_words,
     .absences = {{surface::compare_solve, "whole solves are by auto"},
                  {surface::compare_cg, in_lists.why},
                  {surface::explain, "what is explained is perks"}}},
    {.name = "policy",
     .flag = "--policy",
     .group = option_group::execution,
     .help = "What is cached on the chip between iterations, by executors that cache",
     .member = place<&solve_options::policy>,
     .words = policy_words,
     .absences = {{surface::compare_solve, "whole solves are by auto"},
                  {surface::compare_cg, in_lists.why}}},
    {.name = "restart",
     .flag = "--restart",
     .group = option_group::execution,
     .help = "Of gmres: iterations from one restart to the next, and vectors that it keeps; at "
             "most {most}",
     .member = place<&solve_options::restart>,
     .range = range(1, 500),
     .methods = "gmres",
     .absences = {{surface::compare_cg, "of another method"}, one_iteration}},
    {.name = "variant",
     .flag = "--variant",
     .group = option_group::execution,
     .help = "The form of the iteration: of cg three, two or one barrier, and fewer move more "
             "bytes; of bicgstab four, or pipelined two",
     .member = place<&solve_options::variant>,
     .words = variant_words,
     .methods = "cg bicgstab",
     .absences = {{surface::compare_solve, "whole solves are by auto"},
                  {surface::compare_cg, in_lists.why}}},
    {.name = "mixed_precision",
     .flag = "--precision",
     .group = option_group::execution,
     .help = "Iterate in f32 and keep the answer and its residual in f64, by iterative refinement; "
             "go on in f64 where f32 is too short for the matrix",
     .member = place<&solve_options::mixed_precision>,
     .words = precision_words,
     .absences = {{surface::compare_cg, "a number of iterations has no refinement"}},
     .flag_help =
         "Of the matrix and the vectors; mixed iterates in f32 and keeps the answer and its "
         "residual in f64, by iterative refinement, and goes on in f64 where f32 is too short "
         "for the matrix"},
    {.name = "preconditioner",
     .flag = "--preconditioner",
     .group = option_group::preconditioner,
     .help = "jacobi divides by the diagonal, block-jacobi by its blocks; for symmetric positive "
             "definite matrices amg is a cycle of aggregation multigrid, fsai a factorized "
             "approximate inverse and chebyshev a polynomial in the matrix; for bicgstab and gmres "
             "ilu0 has incomplete factors and aggregation a multigrid cycle for convection and "
             "diffusion, on CPUs; auto begins with jacobi, another one follows where "
             "that is projected to end sooner or where it failed, the report says why",
     .member = place<&solve_options::preconditioner>,
     .words = preconditioner_words,
     .absences = {{surface::compare_solve, in_lists.why}}},
    {.name = "block_size",
     .flag = "--block-size",
     .group = option_group::preconditioner,
     .help = "Of block-jacobi: rows of a block, up to {most} (default: consecutive rows with equal "
             "columns are a block); of amg with near-null vectors: rows of a node (default: 1)",
     .member = part_place<&preconditioner_options::block_size>,
     .range = option_range{.least = 0, .most = 32, .words = "1 to 32 (or 0: by the columns)"},
     .part_of = preconditioner::block_jacobi},
    {.name = "degree",
     .flag = "--degree",
     .group = option_group::preconditioner,
     .help = "Of chebyshev: the degree of the polynomial, up to {most}",
     .member = part_place<&preconditioner_options::degree>,
     .range = range(1, 16),
     .part_of = preconditioner::chebyshev},
    {.name = "power",
     .flag = "--power",
     .group = option_group::preconditioner,
     .help = "Of fsai: the pattern is that of the matrix (1) or of its square (2)",
     .member = part_place<&preconditioner_options::power>,
     .range = option_range{.least = 1, .most = 2, .words = "1 or 2"},
     .part_of = preconditioner::fsai},
    {.name = "factor_sweeps",
     .flag = "--factor-sweeps",
     .group = option_group::preconditioner,
     .help = "Of ilu0: sweeps that compute the factors, up to {most} (0: on CPUs none, the factors "
             "are exact; else 5)",
     .member = part_place<&preconditioner_options::factor_sweeps>,
     .range = range(0, 100),
     .methods = "bicgstab gmres",
     .part_of = preconditioner::ilu0},
    {.name = "sweeps",
     .flag = "--sweeps",
     .group = option_group::preconditioner,
     .help = "Of ilu0: sweeps that solve with each factor, up to {most} (0: on CPUs none, by "
             "substitution; else 3)",
     .member = part_place<&preconditioner_options::sweeps>,
     .range = range(0, 16),
     .methods = "bicgstab gmres",
     .part_of = preconditioner::ilu0},
    {.name = "smoother",
     .flag = "--smoother",
     .group = option_group::preconditioner,
     .help = "Of amg: what smooths large levels, damped jacobi or gauss-seidel by colours of rows, "
             "on CPUs and without near-null vectors; auto: gauss-seidel where it is to be had",
     .member = part_place<&preconditioner_options::smoother>,
     .words = smoother_words,
     .part_of = preconditioner::amg},
    {.name = "coarsening",
     .flag = "--coarsening",
     .group = option_group::preconditioner,
     .help =
         "Of amg: how coarse levels are made, of aggregates around roots or, classical, of some "
         "of the rows; auto: by a look at the matrix, on GPUs and with near-null vectors roots",
     .member = part_place<&preconditioner_options::coarsening>,
     .words = coarsening_words,
     .part_of = preconditioner::amg},
    {.name = "near_null",
     .flag = "--near-null",
     .group = option_group::preconditioner,
     .help = "Of amg: up to 6 near-null vectors, such as rigid-body modes, which coarse levels "
             "then hold",
     .member = part_place<&preconditioner_options::near_null>,
     .part_of = preconditioner::amg,
     .flag_help =
         "Of amg: near-null vectors, such as rigid-body modes, as up to 6 columns of a .mtx, "
         ".mtx.gz or .npy file; --block-size says the rows of a node"},
    {.name = "keep_patterns",
     .group = option_group::tuning,
     .help = "Of amg: keep what a set-up for other values of the same pattern needs",
     .member = part_place<&preconditioner_options::keep_patterns>,
     .part_of = preconditioner::amg,
     .absences = {{surface::c, "linear_solver sets it with the first other values"}}},
    {.name = "rtol",
     .flag = "--rtol",
     .group = option_group::stop,
     .help = "Converged when |r| <= max(rtol |b|, atol): relative tolerance",
     .member = place<&solve_options::rtol>,
     .range = tolerances},
    {.name = "atol",
     .flag = "--atol",
     .group = option_group::stop,
     .help = "Absolute tolerance",
     .member = place<&solve_options::atol>,
     .range = tolerances,
     .absences = {{comparisons, "systems of different scales are compared"}}},
    {.name = "max_iterations",
     .flag = "--max-iterations",
     .group = option_group::stop,
     .help = "Iteration limit, of all attempts together",
     .member = place<&solve_options::max_iterations>,
     .range = at_least(0)},
    {.name = "refine",
     .flag = "--no-refine",
     .group = option_group::stop,
     .help = "Where the true residual misses the tolerance that the recursive one has met, begin "
             "anew from the answer, as long as that helps",
     .member = place<&solve_options::refine>,
     .absences = {{surface::compare_solve, plain_comparison.why},
                  {surface::compare_cg, "one attempt, as peers make"}},
     .flag_help =
         "Where the true residual misses the tolerance that the recursive one has met, do not "
         "begin anew from the answer"},
    {.name = "history",
     .flag = "--history",
     .group = option_group::result,
     .help = "Record |r| of every iteration in the report",
     .member = place<&solve_options::history>,
     .flag_help = "Write |r| of every iteration as CSV"},
    {.name = "fixed_iterations",
     .group = option_group::calls,
     .help = "For timing: run all iterations that are allowed, whatever the residual",
     .member = place<&solve_options::fixed_iterations>,
     .absences = {{command_line, "dwell compare cg --iterations"}}},
    {.name = "progress_interval",
     .group = option_group::calls,
     .help = "Seconds between two calls of a progress function; 0: every iteration, none left out",
     .member = place<&solve_options::progress_interval>,
     .range = option_range{.least = 0,
                           .most = std::numeric_limits<double>::infinity(),
                           .words = "at least 0 seconds"},
     .absences = {{surface::c, "dwell_options_set_progress()"},
                  {command_line, "--monitor, and the line on a terminal"}}},
    {.name = "columns_at_once",
     .group = option_group::calls,
     .help = "Right-hand sides that are solved in one pass over the matrix: 1, 2, 4 or 8; 0: as "
             "many as pay",
     .member = place<&solve_options::columns_at_once>,
     .range = option_range{.least = 0,
                           .most = 8,
                           .words = "0 (as planned), 1, 2, 4 or 8",
                           .further = [](double v) { return v == 8 || (v < 5 && v != 3); }},
     .methods = "cg",
     .absences = {{command_line, "--rhs-count solves as many as pay"}}},
    {.name = "teams",
     .group = option_group::tuning,
     .help = "Threads or thread blocks; 0: as planned",
     .member = place<&solve_options::teams>,
     .range = option_range{.least = 0, .words = "at least 1 (or 0 as planned)"}},
    {.name = "config",
     .group = option_group::tuning,
     .help = "Which of the compiled kernels; -1: as planned",
     .member = place<&solve_options::config>},
    {.name = "scratch_per_team",
     .group = option_group::tuning,
     .help = "Bytes that perks may use; 0: what the device has",
     .member = place<&solve_options::scratch_per_team>},
    {.name = "clusters",
     .group = option_group::tuning,
     .help = "The blocks of perks may be one thread block cluster",
     .member = place<&solve_options::clusters>},
    {.name = "reverse_lanes",
     .group = option_group::tuning,
     .help = "Of a CPU: run the lanes of a team in reverse order",
     .member = place<&solve_options::reverse_lanes>},
};

}  // namespace

const char* solve_option::why_not(surface there) const {
  for (const absence& one : absences)
    if (one.why && holds(one.surfaces, there)) return one.why;
  for (const auto& [lacking, one] : group_absences)
    if (lacking == group && holds(one.surfaces, there)) return one.why;
  return nullptr;
}

bool solve_option::is_of(std::string_view method) const {
  if (!methods) return true;
  const std::string all = fmt::format(" {} ", methods);
  return all.find(fmt::format(" {} ", method)) != std::string::npos;
}

std::string solve_option::help_text() const {
  return help_with_range(help, range ? &*range : nullptr);
}

std::span<const solve_option> solve_option_table() { return table; }

const solve_option& solve_option_named(std::string_view name) {
  for (const solve_option& option : table)
    if (option.name == name) return option;  // solves ask, and allocate nothing
  std::vector<std::string_view> names;
  for (const solve_option& option : table) names.emplace_back(option.name);
  throw input_error(fmt::format("expected the name of an option of a linear solve, found {}",
                                found_word(name, names)));
}

void check_ranges(const solve_options& o) {
  for (const solve_option& option : table) {
    // Rows of a node have a check of their own, which knows the matrix.
    const bool of_nodes = option.name == std::string_view("block_size") &&
                          o.preconditioner == preconditioner::amg &&
                          !o.preconditioning.near_null.empty();
    with_member(option, o, [&]<class M>(const M& found) {
      if constexpr (std::is_arithmetic_v<M>) {
        if (option.range && !of_nodes)
          check_number(option.name, *option.range, static_cast<double>(found));
      } else if constexpr (std::is_same_v<M, std::string>) {
        if (option.group != option_group::system && !option.part_of) return;  // looked up elsewhere
        const std::vector<std::string> words = option.words();
        if (std::find(words.begin(), words.end(), found) == words.end())
          throw input_error(
              fmt::format("{}: expected {}, found {}", option.name, or_list(words), found));
      }
    });
  }
}

}  // namespace dwell
