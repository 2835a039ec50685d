// SPDX-License-Identifier: MIT
// See ranks.hpp.
#include "linear/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>

#include "cli/output.hpp"
#include "linear/vectors.hpp"
#include "report/aligned_table.hpp"
#include "report/units.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/execution/comm/agreement.hpp"
#include "dwell/solvers/distributed/distributed_solver.hpp"

#ifdef DWELL_HAVE_MPI
#include "dwell/mpi.hpp"
#endif

namespace dwell::app {
namespace {

/// The numbers that the first rank has, on all ranks.
std::vector<std::int64_t> numbers_of_first(communicator& comm,
                                           const std::vector<std::int64_t>& mine) {
  const std::size_t count = value_of_rank(comm, 0, mine.size());
  std::vector<std::int64_t> padded = mine, all(count * static_cast<std::size_t>(comm.size()));
  padded.resize(count);
  comm.all_gather(padded.data(), count * sizeof(std::int64_t), all.data());
  all.resize(count);
  return all;
}

template <class T>
ranked_solve solve_as_rank(const std::shared_ptr<communicator>& comm, int threads,
                           const csr<T>& whole, const std::vector<T>& b, std::vector<T>& x,
                           const solve_options& options) {
  const bool first = comm->rank() == 0;
  std::vector<std::int64_t> first_rows;
  if (first) first_rows = balanced_first_rows(whole.row_ptr, comm->size());
  first_rows = numbers_of_first(*comm, first_rows);
  distributed_matrix<T> a(comm, whole.view(), first_rows);
  const std::vector<T> mine = a.scatter(b);
  std::vector<T> answer = a.scatter(x);

  rank_line line;
  line.share = a.share();
  line.threads = threads > 0 ? threads : std::max(1, default_threads() / comm->ranks_here());
  solve_options here = options;
  if (!first) here.progress = {};
  distributed_solver<T> solver(device::cpu(line.threads), a, here);
  const double prepared = solver.setup().total();
  ranked_solve got;
  got.report = solver.solve(mine, answer);
  got.report.setup = solver.setup();
  got.report.setup_s += prepared;
  got.transport = comm->transport();
  line.solve_s = got.report.solve_s;
  got.ranks = values_of_ranks(*comm, line);
  answer = a.gather(answer);
  if (first) x = std::move(answer);
  return got;
}

ranked_solve solve_in(const std::shared_ptr<communicator>& comm, const std::string& precision,
                      int threads, const csr<double>& a, const std::vector<double>& b,
                      std::vector<double>& x, const solve_options& options) {
  if (precision != "f32") return solve_as_rank<double>(comm, threads, a, b, x, options);
  csr<float> single;
  std::vector<float> b_single, x_single;
  together(*comm, [&] {
    if (comm->rank() != 0) return;
    single = convert<float>(a.view());
    b_single = to_single(b, "right-hand side");
    x_single = to_single(x, "start vector");
  });
  ranked_solve got = solve_as_rank<float>(comm, threads, single, b_single, x_single, options);
  x.assign(x_single.begin(), x_single.end());
  return got;
}

template <class F>
std::int64_t most_of(const ranked_solve& r, F&& f) {
  std::int64_t most = 0;
  for (const rank_line& line : r.ranks) most = std::max<std::int64_t>(most, f(line.share));
  return most;
}

#ifdef DWELL_HAVE_MPI
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
#endif

}  // namespace

void add_ranks(CLI::App& app, rank_choice& value) {
  add_positive(app, "--ranks", value.threads,
               "Divide the rows among so many ranks, threads of this process that exchange data by "
               "messages, each with --threads threads of its own");
  auto* processes = app.add_flag(
      "--distributed", value.processes,
      "Divide the rows among the processes of an MPI job (mpirun -n 4 dwell ...); the first one "
      "reads and writes files and reports. Executor host-loop, on CPUs; preconditioners act on "
      "the block of each rank");
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
      "--distributed: this dwell was built without MPI (DWELL_MPI); --ranks divides a system among "
      "threads");
#endif
}

ranked_solve solve_on_ranks(const rank_choice& choice, communicator* comm,
                            const std::string& precision, int threads, const csr<double>& a,
                            const std::vector<double>& b, std::vector<double>& x,
                            const solve_options& options) {
  if (comm) {  // which lives longer than all of this
    const std::shared_ptr<communicator> borrowed(comm, [](communicator*) {});
    return solve_in(borrowed, precision, threads, a, b, x, options);
  }
  ranked_solve got;
  const csr<double> none;
  run_as_ranks(choice.threads, [&](std::shared_ptr<communicator> one) {
    if (one->rank() == 0) {
      got = solve_in(one, precision, threads, a, b, x, options);
    } else {
      std::vector<double> nothing;
      solve_in(one, precision, threads, none, {}, nothing, options);
    }
  });
  return got;
}

std::string describe_ranks(const ranked_solve& r) {
  return fmt::format("{} ({}), at most {} rows and {} nonzeros each", r.ranks.size(), r.transport,
                     format_count(most_of(r, [](const rank_share& s) { return s.rows; })),
                     format_count(most_of(r, [](const rank_share& s) { return s.nonzeros; })));
}

std::string describe_ghosts(const ranked_solve& r) {
  return fmt::format(
      "each gets at most {} elements of {} per product",
      format_count(most_of(r, [](const rank_share& s) { return s.ghosts; })),
      format_plural(most_of(r, [](const rank_share& s) { return s.neighbours; }), "neighbour"));
}

std::string ranks_table(const ranked_solve& r) {
  aligned_table out;
  for (const char* head : {"rank", "first row", "rows", "nonzeros", "interior rows", "ghosts",
                           "sent", "neighbours", "threads", "solve s"})
    out.head(head, true);
  for (std::size_t k = 0; k < r.ranks.size(); ++k) {
    const auto& [share, threads, solve_s] = r.ranks[k];
    out.row({std::to_string(k), format_count(share.first_row + 1), format_count(share.rows),
             format_count(share.nonzeros), format_count(share.interior_rows),
             format_count(share.ghosts), format_count(share.sent), std::to_string(share.neighbours),
             std::to_string(threads), fmt::format("{:.6f}", solve_s)});
  }
  return out.text();
}

json ranks_json(const ranked_solve& r) {
  json all = json::array();
  for (const auto& [share, threads, solve_s] : r.ranks)
    all.push_back({{"first_row", share.first_row},
                   {"rows", share.rows},
                   {"nonzeros", share.nonzeros},
                   {"interior_rows", share.interior_rows},
                   {"ghosts", share.ghosts},
                   {"sent", share.sent},
                   {"neighbours", share.neighbours},
                   {"threads", threads},
                   {"solve_s", solve_s}});
  return {{"transport", r.transport}, {"ranks", all}};
}

}  // namespace dwell::app
