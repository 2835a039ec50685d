// SPDX-License-Identifier: MIT
// --ranks and --distributed: a problem that is divided among ranks, threads of this process or
// processes of MPI, on CPUs or each on a GPU.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/device_choice.hpp"
#include "cli/exit_code.hpp"

#include "dwell/comm/agreement.hpp"
#include "dwell/comm/communicator.hpp"
#include "dwell/comm/gpu_transport.hpp"
#include "dwell/device/device.hpp"

namespace dwell::app {

struct rank_choice {
  int threads = 0;         ///< ranks that are threads of this process; 0: none
  bool processes = false;  ///< those of MPI
  bool table = false;      ///< the report has a table of all ranks
  std::string transport;   ///< between GPUs: "nccl" or "host"; empty: not given

  bool any() const { return threads > 0 || processes; }
};
/// divided: "the rows", say.
void add_ranks(CLI::App& app, rank_choice& value, const std::string& divided);

/// --ranks of a comparison: rows for each of these numbers of threads.
void add_compared_ranks(CLI::App& app, std::vector<int>& value, const std::string& divided);
/// Where ranks of a comparison run that is made there.
device_choice device_of_ranks(const device& where);

/// Throws input_error for more ranks of this process, with `threads` threads each (0: their share),
/// than it can have.
void require_ranks(int ranks, int threads);

/// Calls f with the processes of MPI, or with null if these were not asked for. Where f throws what
/// all processes throw together, the first one says it and all return its exit code; where a rank
/// throws alone, all end with its message and its code. Throws unsupported_error if this build has
/// no MPI, and as require_ranks() does.
exit_code run_on_processes(const rank_choice& choice, int threads,
                           const std::function<exit_code(communicator*)>& f);
/// f on the processes of `comm`, which may be null, each of which throws what one of them throws.
template <class F>
auto on_all(communicator* comm, F&& f) {
  return comm ? together(*comm, f) : f();
}
/// The first rank, or the only one.
inline bool is_first(const communicator* comm) { return !comm || comm->rank() == 0; }

/// What is wrong with GPUs for these ranks: throws device_error if there are too few, input_error
/// or unsupported_error if options do not go together or this build lacks NCCL. comm: the
/// processes, or null.
void check_gpus(const rank_choice& choice, const device_choice& where, const communicator* comm);
gpu_transport transport_of(const rank_choice& choice);

/// f(rank) on the processes of `comm`, or where that is null on as many threads as were asked for.
void on_each_rank(const rank_choice& choice, communicator* comm,
                  const std::function<void(const std::shared_ptr<communicator>&)>& f);
/// Threads of each rank: those asked for or, for 0, its share of those of the machine.
int threads_of_rank(const communicator& comm, int asked);
/// Device of each rank: so many threads or, where GPUs are asked for, one of those of its machine,
/// by its number there. Called by all ranks together.
device device_of_rank(communicator& comm, const device_choice& where, int threads);

}  // namespace dwell::app
