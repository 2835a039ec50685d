// SPDX-License-Identifier: MIT
// See ranks.hpp.
#include "cli/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "cli/output.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"

#ifdef DWELL_HAVE_MPI
#include "dwell/mpi.hpp"
#endif

namespace dwell::app {

#ifdef DWELL_HAVE_MPI
namespace {

exit_code code_of_error(const std::exception& e) {
  return dynamic_cast<const device_error*>(&e) || dynamic_cast<const std::bad_alloc*>(&e)
             ? exit_code::device
             : exit_code::bad_input;
}

exit_code run_on_mpi(const std::function<exit_code(communicator*)>& f) {
  const mpi_session session;
  const auto comm = mpi_communicator(MPI_COMM_WORLD);
  try {
    return f(comm.get());
  } catch (const std::exception& e) {
    if (dynamic_cast<const agreed_failure*>(&e)) {
      if (comm->rank() == 0) throw;
      return code_of_error(e);
    }
    say(fmt::format("rank {}: {}", comm->rank(), e.what()));
    comm->give_up(static_cast<int>(code_of_error(e)));
    throw;
  }
}

}  // namespace
#endif

void add_ranks(CLI::App& app, rank_choice& value, const std::string& divided) {
  add_positive(app, "--ranks", value.threads,
               "Divide " + divided +
                   " among so many ranks, threads of this process that exchange data by messages, "
                   "each with --threads threads of its own");
  auto* processes = app.add_flag(
      "--distributed", value.processes,
      "Divide " + divided +
          " among the processes of an MPI job (mpirun -n 4 dwell ...); the first one reads and "
          "writes files and reports. On CPUs");
  processes->excludes("--ranks");
  app.add_flag("--per-rank", value.table, "In the report: a table of what each rank had and did");
}

exit_code run_on_processes(const rank_choice& choice,
                           const std::function<exit_code(communicator*)>& f) {
  if (choice.table && !choice.any())
    throw input_error("--per-rank: expected --ranks or --distributed with it");
  if (!choice.processes) return f(nullptr);
#ifdef DWELL_HAVE_MPI
  return run_on_mpi(f);
#else
  throw unsupported_error(
      "--distributed: this dwell was built without MPI (DWELL_MPI); --ranks divides a problem "
      "among "
      "threads");
#endif
}

void on_each_rank(const rank_choice& choice, communicator* comm,
                  const std::function<void(const std::shared_ptr<communicator>&)>& f) {
  if (comm)  // which lives longer than all of this
    f(std::shared_ptr<communicator>(comm, [](communicator*) {}));
  else
    run_as_ranks(choice.threads, f);
}

int threads_of_rank(const communicator& comm, int asked) {
  return asked > 0 ? asked : std::max(1, default_threads() / comm.ranks_here());
}

}  // namespace dwell::app
