// SPDX-License-Identifier: MIT
// `dwell cg --ranks N` and `--distributed`: a system whose rows are divided among ranks, threads of
// this process or processes of MPI.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/exit_code.hpp"
#include "report/json.hpp"

#include "dwell/execution/comm/communicator.hpp"
#include "dwell/solvers/distributed/distributed_matrix.hpp"
#include "dwell/solvers/linear/solve.hpp"

namespace dwell::app {

struct rank_choice {
  int threads = 0;         ///< ranks that are threads of this process; 0: none
  bool processes = false;  ///< those of MPI
  bool table = false;      ///< of all ranks, in the report

  bool any() const { return threads > 0 || processes; }
};
void add_ranks(CLI::App& app, rank_choice& value);

/// Calls f with the processes of MPI, or with null if these were not asked for. Where f throws what
/// all ranks throw together, the first rank alone throws it on, and the others return the same exit
/// code in silence; where a rank throws alone, all end with its message and its code. Throws
/// unsupported_error if this build has no MPI.
exit_code run_on_processes(const rank_choice& choice,
                           const std::function<exit_code(communicator*)>& f);
/// The first rank, or the only one.
inline bool is_first(const communicator* comm) { return !comm || comm->rank() == 0; }

/// What a rank had of the work.
struct rank_line {
  rank_share share;
  int threads = 0;
  double solve_s = 0;
};
struct ranked_solve {
  solve_report report;
  std::string transport;
  std::vector<rank_line> ranks;
};
/// Solves for b, from and to x, where `a` is on the first rank; others give empty ones. threads: of
/// each rank; 0: its share of those of the machine. `comm` null: ranks that are threads. Throws
/// what distributed_solver throws.
ranked_solve solve_on_ranks(const rank_choice& choice, communicator* comm,
                            const std::string& precision, int threads, const csr<double>& a,
                            const std::vector<double>& b, std::vector<double>& x,
                            const solve_options& options);

/// "4 ranks (mpi), at most 250 rows, ...", and a line on ghosts.
std::string describe_ranks(const ranked_solve& r);
std::string describe_ghosts(const ranked_solve& r);
std::string ranks_table(const ranked_solve& r);
json ranks_json(const ranked_solve& r);

}  // namespace dwell::app
