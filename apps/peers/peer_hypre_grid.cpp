// SPDX-License-Identifier: MIT
// hypre's PFMG on a grid, as the preconditioner of its conjugate gradients, to be measured beside
// dwell::grid_solver: -div(k grad u) = 1 with u = 0 on all sides, rtol 1e-8. k is 1, or jumps in
// blocks as in bench_grid.cpp. Ranks divide the slowest axis. Prints a line of JSON.
//
//   mpirun -n 2 peer-hypre-grid 1000x1000 [jump] [repeats]
#include <HYPRE.h>
#include <HYPRE_krylov.h>
#include <HYPRE_struct_ls.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../bench/grid_problem.hpp"

namespace {

/// A box of the grid, x first, as hypre has it.
struct part {
  int dims;
  std::array<int, 3> first{}, last{};
};

class solver {
 public:
  solver(const dwell::bench::grid_case& c, const part& p, int relax) : p_(p) {
    HYPRE_StructGridCreate(MPI_COMM_WORLD, p.dims, &grid_);
    HYPRE_StructGridSetExtents(grid_, p_.first.data(), p_.last.data());
    HYPRE_StructGridAssemble(grid_);
    // The symmetric stencil: the cell itself and its neighbours before it.
    HYPRE_StructStencilCreate(p.dims, p.dims + 1, &stencil_);
    for (int e = 0; e <= p.dims; ++e) {
      std::array<int, 3> offset{};
      if (e > 0) offset[std::size_t(e - 1)] = -1;
      HYPRE_StructStencilSetElement(stencil_, e, offset.data());
    }
    HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid_, stencil_, &a_);
    HYPRE_StructMatrixSetSymmetric(a_, 1);
    HYPRE_StructMatrixInitialize(a_);
    std::vector<double> values;
    std::array<int, 3> at{};
    for (at[2] = p.first[2]; at[2] <= p.last[2]; ++at[2])
      for (at[1] = p.first[1]; at[1] <= p.last[1]; ++at[1])
        for (at[0] = p.first[0]; at[0] <= p.last[0]; ++at[0]) {
          double diagonal = 0;
          std::array<double, 3> before{};
          for (int axis = 0; axis < p.dims; ++axis)
            for (const int step : {-1, 1}) {
              const double w = c.face(at, axis, step);
              diagonal += w;
              if (step < 0 && at[std::size_t(axis)] > 0) before[std::size_t(axis)] = -w;
            }
          values.push_back(diagonal);
          for (int axis = 0; axis < p.dims; ++axis) values.push_back(before[std::size_t(axis)]);
        }
    std::vector<int> entries;
    for (int e = 0; e <= p.dims; ++e) entries.push_back(e);
    HYPRE_StructMatrixSetBoxValues(a_, p_.first.data(), p_.last.data(), p.dims + 1, entries.data(),
                                   values.data());
    HYPRE_StructMatrixAssemble(a_);
    for (HYPRE_StructVector* v : {&b_, &x_}) {
      HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid_, v);
      HYPRE_StructVectorInitialize(*v);
      HYPRE_StructVectorSetConstantValues(*v, v == &b_ ? 1.0 : 0.0);
      HYPRE_StructVectorAssemble(*v);
    }
    HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &pfmg_);
    HYPRE_StructPFMGSetMaxIter(pfmg_, 1);
    HYPRE_StructPFMGSetTol(pfmg_, 0.0);
    HYPRE_StructPFMGSetZeroGuess(pfmg_);
    HYPRE_StructPFMGSetRelaxType(pfmg_, relax);
    HYPRE_StructPFMGSetNumPreRelax(pfmg_, 1);
    HYPRE_StructPFMGSetNumPostRelax(pfmg_, 1);
    HYPRE_StructPFMGSetSkipRelax(pfmg_, 1);
    HYPRE_StructPCGCreate(MPI_COMM_WORLD, &cg_);
    HYPRE_StructPCGSetMaxIter(cg_, 500);
    HYPRE_StructPCGSetTol(cg_, 1e-8);
    HYPRE_StructPCGSetTwoNorm(cg_, 1);
    HYPRE_StructPCGSetPrecond(cg_, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, pfmg_);
    const double begin = MPI_Wtime();
    HYPRE_StructPCGSetup(cg_, a_, b_, x_);
    setup_s_ = MPI_Wtime() - begin;
  }
  ~solver() {
    HYPRE_StructPCGDestroy(cg_);
    HYPRE_StructPFMGDestroy(pfmg_);
    HYPRE_StructVectorDestroy(x_);
    HYPRE_StructVectorDestroy(b_);
    HYPRE_StructMatrixDestroy(a_);
    HYPRE_StructStencilDestroy(stencil_);
    HYPRE_StructGridDestroy(grid_);
  }
  solver(const solver&) = delete;
  solver& operator=(const solver&) = delete;

  double setup_s() const { return setup_s_; }
  /// Seconds.
  double solve(int& iterations, double& residual) {
    HYPRE_StructVectorSetConstantValues(x_, 0.0);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    HYPRE_StructPCGSolve(cg_, a_, b_, x_);
    const double seconds = MPI_Wtime() - begin;
    HYPRE_StructPCGGetNumIterations(cg_, &iterations);
    HYPRE_StructPCGGetFinalRelativeResidualNorm(cg_, &residual);
    return seconds;
  }

 private:
  part p_;
  HYPRE_StructGrid grid_{};
  HYPRE_StructStencil stencil_{};
  HYPRE_StructMatrix a_{};
  HYPRE_StructVector b_{}, x_{};
  HYPRE_StructSolver pfmg_{}, cg_{};
  double setup_s_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  HYPRE_Init();
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const dwell::bench::grid_case c(argc > 1 ? argv[1] : "100x100",
                                  argc > 2 ? std::atof(argv[2]) : 1);
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 5;
  part p{c.dims()};
  for (int axis = 0; axis < c.dims(); ++axis) p.last[std::size_t(axis)] = c.along(axis) - 1;
  const auto slowest = std::size_t(c.dims() - 1);
  const int n = c.along(c.dims() - 1);
  p.first[slowest] = int(std::int64_t(n) * rank / ranks);
  p.last[slowest] = int(std::int64_t(n) * (rank + 1) / ranks) - 1;
  for (const int relax : {1, 2}) {  // weighted Jacobi (hypre's default), red-black Gauss-Seidel
    std::vector<double> seconds;
    double setup = 0, residual = 0;
    int iterations = 0;
    solver s(c, p, relax);
    setup = s.setup_s();
    for (int r = 0; r < repeats; ++r) seconds.push_back(s.solve(iterations, residual));
    std::sort(seconds.begin(), seconds.end());
    if (rank == 0)
      std::printf(
          "{\"solver\": \"hypre PFMG, %s\", \"threads\": %d, \"iterations\": %d, \"residual\": "
          "%.3e, "
          "\"setup_ms\": %.3f, \"least_ms\": %.3f, \"median_ms\": %.3f}\n",
          relax == 1 ? "Jacobi" : "red-black", ranks, iterations, residual, setup * 1e3,
          seconds.front() * 1e3, seconds[seconds.size() / 2] * 1e3);
  }
  HYPRE_Finalize();
  MPI_Finalize();
}
