// SPDX-License-Identifier: MIT
// Options of ranks, their devices, and runs on processes of MPI.
#include "cli/ranks.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <new>
#include <vector>

#include "cli/output.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/execution/device/threads/thread_limit.hpp"

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
      // Said before any process ends: mpirun then ends the others.
      if (comm->rank() == 0) say(e.what());
      values_of_ranks(*comm, 0);
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
                   "each with --threads threads of its own; with --device cuda each on a GPU, rank "
                   "0 on the first one. At most four for each processor, within 64 to 512");
  auto* processes = app.add_flag(
      "--distributed", value.processes,
      "Divide " + divided +
          " among the processes of an MPI job (mpirun -n 4 dwell ...); the first one reads and "
          "writes files and reports");
  processes->excludes("--ranks");
  auto* transport = add_choice(
      app, "--transport", value.transport, {"nccl", "mpi", "host"},
      "With --device cuda: how ranks exchange data. nccl: from GPU to GPU, each rank on a "
      "GPU of its own; mpi: by an MPI that takes memory of GPUs (CUDA-aware), or host: "
      "through the memory of the hosts, and ranks may share a GPU (default: nccl)");
  transport->default_str("");
  std::vector<std::string> built;
  if (built_for_gpus()) {
    if (why_no_nccl().empty()) built.push_back("nccl");
#ifdef DWELL_HAVE_MPI
    built.push_back("mpi");
#endif
    built.push_back("host");
  }
  set_completions(transport, {built});
  app.add_flag("--per-rank", value.table, "In the report: a table of what each rank had and did");
}

void add_compared_ranks(CLI::App& app, std::vector<int>& value, const std::string& divided) {
  add_positives(app, "--ranks", value,
                "A row more for each of these numbers of ranks, among which " + divided +
                    " are divided: threads of this process that exchange data by messages, each "
                    "with --threads threads of its own (default: its share of those there are), or "
                    "each on a GPU");
}

device_choice device_of_ranks(const device& where) {
  device_choice to;
  to.what = where.on() == backend::cuda ? device_choice::kind::cuda : device_choice::kind::cpu;
  if (where.on() == backend::cuda) to.ordinal = where.ordinal();
  return to;
}

void require_ranks(int ranks, int threads) {
  if (ranks > most_ranks())
    throw input_error(fmt::format("--ranks: expected 1 to {} (threads of this process), found {}",
                                  most_ranks(), ranks));
  if (ranks > 1 && threads > 1 && threads > most_ranks() / ranks)
    throw input_error(fmt::format("--threads: expected 1 to {} for each of {} ranks, found {}",
                                  std::max(1, most_ranks() / ranks), ranks, threads));
}

exit_code run_on_processes(const rank_choice& choice, int threads,
                           const std::function<exit_code(communicator*)>& f) {
  if (choice.table && !choice.any())
    throw input_error("--per-rank: expected --ranks or --distributed with it");
  require_ranks(choice.threads, threads);
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

gpu_transport transport_of(const rank_choice& choice) {
  return choice.transport == "host"  ? gpu_transport::host
         : choice.transport == "mpi" ? gpu_transport::mpi
                                     : gpu_transport::nccl;
}

void check_gpus(const rank_choice& choice, const device_choice& where, const communicator* comm) {
  const bool gpus = choice.any() && where.what == device_choice::kind::cuda;
  if (!gpus && !choice.transport.empty())
    throw input_error("--transport: expected --device cuda and --ranks or --distributed with it");
  if (!gpus) return;
  if (where.ordinal != 0)
    throw input_error(fmt::format(
        "--device cuda:{}: expected cuda, whose GPUs ranks take in their order", where.ordinal));
  const cuda_presence found = find_cuda();
  if (found.devices == 0) throw device_error(found.reason);
  const int ranks = comm ? comm->size() : choice.threads;
  if (ranks == 1 || transport_of(choice) != gpu_transport::nccl) return;
  if (const std::string why = why_no_nccl(); !why.empty())
    throw unsupported_error(why + "; --transport host exchanges data through the host");
  // Processes may each see one GPU alone (CUDA_VISIBLE_DEVICES): whether they share one shows when
  // they are connected.
  if (!comm && found.devices < ranks)
    throw device_error(
        fmt::format("--device cuda: expected a GPU for each of {} ranks, found {} (--transport "
                    "host lets ranks share one)",
                    ranks, found.devices));
}

device device_of_rank(communicator& comm, const device_choice& where, int threads) {
  if (where.what != device_choice::kind::cuda) return device::cpu(threads_of_rank(comm, threads));
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const auto hosts = values_of_ranks(comm, host);
  const auto here = std::count(hosts.begin(), hosts.begin() + comm.rank(), host);
  return together(comm, [&] {
    const cuda_presence found = find_cuda();
    if (found.devices == 0) throw device_error(found.reason);
    return device::cuda(static_cast<int>(here) % found.devices);
  });
}

int threads_of_rank(const communicator& comm, int asked) {
  return asked > 0 ? asked : std::max(1, default_threads() / comm.ranks_here());
}

}  // namespace dwell::app
