// SPDX-License-Identifier: MIT
// A system whose rows no process has all of: every process of an MPI job makes its own rows of the
// Laplacian of a square, and solves with the others: mpirun -n 4 solve_mpi [WIDTH]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dwell/distributed.hpp>
#include <dwell/mpi.hpp>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace {

/// Returns the exit code.
int solve(const std::shared_ptr<dwell::communicator>& comm, std::int64_t width) {
  const std::int64_t n = width * width;
  const std::int64_t first = n * comm->rank() / comm->size(),
                     last = n * (comm->rank() + 1) / comm->size();
  std::vector<std::int64_t> row_ptr{0}, col;
  std::vector<double> val;
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t x = i % width, y = i / width;
    const auto add = [&](bool there, std::int64_t column, double v) {
      if (there) col.push_back(column), val.push_back(v);
    };
    add(y > 0, i - width, -1);
    add(x > 0, i - 1, -1);
    add(true, i, 4);
    add(x + 1 < width, i + 1, -1);
    add(y + 1 < width, i + width, -1);
    row_ptr.push_back(static_cast<std::int64_t>(col.size()));
  }
  dwell::distributed_matrix<double> a(comm, dwell::global_rows<double>{n, row_ptr, col, val});

  dwell::solve_options options;
  options.preconditioner = dwell::preconditioner::jacobi;
  dwell::distributed_solver<double> solver(dwell::device::cpu(1), std::move(a), options);
  const std::vector<double> b(static_cast<std::size_t>(last - first), 1.0);
  std::vector<double> x(b.size());  // zeros: the start vector; then this process's part of x
  const dwell::solve_report report = solver.solve(b, x);

  if (comm->rank() == 0)
    std::printf("%lld rows on %d processes: %s after %d iterations, %.3g s, residual %.2e\n",
                static_cast<long long>(n), comm->size(), to_string(report.stopped).c_str(),
                report.iterations, report.solve_s, report.residual_relative_true);
  return report.stopped == dwell::stop_reason::converged ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  const dwell::mpi_session session;  // MPI_Init_thread() here, MPI_Finalize() at the end
  const auto comm = dwell::mpi_communicator(MPI_COMM_WORLD);
  try {
    return solve(comm, argc > 1 ? std::atoll(argv[1]) : 300);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "rank %d: %s\n", comm->rank(), e.what());
    comm->give_up(1);  // the others may wait for this process
    return 1;
  }
}
