// SPDX-License-Identifier: MIT
// dwell solve and dwell cg with --ranks or --distributed: a system whose rows are divided.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/ranks.hpp"
#include "linear/divided_input.hpp"
#include "report/json.hpp"

#include "dwell/linear/distributed_matrix.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell::app {

/// What a rank had of the work.
struct rank_line {
  rank_share share;
  int threads = 0;
  int gpu = -1;  ///< its number; -1: on a CPU
  double solve_s = 0;
};
struct ranked_solve {
  std::vector<solve_report> columns;  ///< report of each right-hand side
  std::string transport;
  std::vector<rank_line> ranks;
  /// Where ranks made the row sums of their rows: largest_error() of the answer, of which they know
  /// the exact one.
  std::optional<double> largest_error;
};
/// Choices of --partition: which rows a rank gets.
void add_partition(CLI::App& app, std::string& value);

/// Solves for b, from and to x, where `a` is on the first rank; others give empty ones. b may have
/// `count` right-hand sides, one after another; x is of the first one, the others begin at zeros.
/// threads: of each rank on a CPU; 0: its share of those of the machine. `comm` null: ranks that
/// are threads. divided: what each rank has of the system, which is taken, where `a` and b are
/// empty on all; then x is the answer on the first rank if that was asked for. Throws what
/// distributed_solver throws.
ranked_solve solve_on_ranks(const rank_choice& choice, communicator* comm,
                            const device_choice& where, const std::string& partition,
                            const std::string& precision, int threads, const csr<double>& a,
                            const std::vector<double>& b, std::vector<double>& x,
                            const solve_options& options, int count = 1,
                            divided_input* divided = nullptr);

/// "4 ranks (mpi), at most 250 rows, ...", and a line on ghosts.
std::string describe_ranks(const ranked_solve& r);
std::string describe_ghosts(const ranked_solve& r);
std::string ranks_table(const ranked_solve& r);
json ranks_json(const ranked_solve& r);  ///< an array

}  // namespace dwell::app
