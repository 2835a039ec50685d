// SPDX-License-Identifier: MIT
// Systems on grids that are divided among ranks: slabs along the slowest axis. Nothing here needs
// CUDA.
//
//   dwell::grid_part<double> part(comm, whole);              // arrays of `whole` on rank 0
//   dwell::distributed_grid_solver<double> solver(dwell::device::cpu(), comm, part.d);
//   report = solver.solve(f, u);                             // this rank's planes
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/comm/communicator.hpp"
#include "dwell/device/device.hpp"
#include "dwell/grid/grid_operator.hpp"
#include "dwell/grid/grid_solver.hpp"

namespace dwell {

/// How a grid is divided.
struct grid_division {
  /// Levels of multigrid of fewer unknowns are rank 0's, with all below them; so are those whose
  /// work is less than a twentieth of a rank's part of the finest level. 1: the latter alone.
  std::size_t gather_below = 16384;
};

/// A rank's part of a grid: planes along the slowest axis (rows of a grid of two axes).
struct grid_share {
  int first = 0;  ///< its first plane
  int count = 0;  ///< how many
};
/// The part of a rank. Planes are dealt out as evenly as they go in groups of 2^n, where n is how
/// often they may be halved on levels that are divided. Throws input_error for a grid of one axis,
/// or more ranks than pairs of planes, unless there is one rank.
DWELL_API grid_share share_of_rank(const std::vector<int>& cells, const grid_boundary& boundary,
                                   int rank, int ranks, const grid_division& division = {});

/// A description whose arrays have the planes of one rank, and these arrays.
template <class T>
struct grid_part {
  grid_description<T> d;                  ///< reads the arrays below
  std::vector<T> k_cells;                 ///< see grid_description
  std::vector<T> s_cells;                 ///< see grid_description
  std::array<std::vector<T>, 3> k_faces;  ///< arrays as in grid_description

  /// By all ranks together: deals out the arrays of `whole`, which count on rank `root` alone.
  /// Numbers and conditions must be the same on all ranks. Throws input_error, on all ranks, for
  /// arrays of another size, and as share_of_rank().
  grid_part(communicator& comm, const grid_description<T>& whole,
            const grid_division& division = {}, int root = 0);
  grid_part(const grid_part&) = delete;
};
extern template struct DWELL_API grid_part<double>;
extern template struct DWELL_API grid_part<float>;

/// What a rank had of a solve.
struct grid_rank_report {
  grid_share share;          ///< its planes
  int threads = 0;           ///< that took part there
  std::size_t messages = 0;  ///< to other ranks, and to and from rank 0 of the gathered level
  std::size_t bytes = 0;     ///< sizes of these messages
  std::size_t sums = 0;      ///< sums over all ranks
  double exchange_s = 0;     ///< time in exchanges and sums, waits for other ranks among it
  double solve_s = 0;        ///< time of the solve
};

/// The report of the whole system, and what ranks had of it; the same on all ranks but for
/// solve.threads, solve.reason and times.
struct distributed_grid_report {
  grid_report solve;       ///< report as of grid_solver; bytes are those of all ranks
  int divided_levels = 0;  ///< number of solve.levels that are divided; the rest is rank 0's
  std::vector<grid_rank_report> ranks;  ///< in their order
};

/// T: double or float. Movable. All ranks make the same calls, in the same order, with the same
/// options (but for progress and interrupt, which any rank may have) and the same numbers and
/// conditions in descriptions; exceptions are those of all ranks. Each calls from one thread at a
/// time.
///
/// Answers are those of one rank, with the same number of iterations: sums are those of planes
/// in their order, so that bits do not depend on ranks or threads. (Where the divided axis is
/// periodic and coefficients vary, coarse operators are rounded in another order than on one rank.)
/// They are those of grid_solver, too, where that takes axes in the same order; it may also put the
/// first one elsewhere, where others are short, and then differs by rounding.
template <class T>
class DWELL_API distributed_grid_solver {
 public:
  /// d: `cells` are those of the whole grid, arrays have this rank's planes (share_of_rank()):
  /// k_cells and s_cells an element per unknown of them; k_faces those of these unknowns, along the
  /// slowest axis one plane more, the last of which is the next rank's first one; values of sides
  /// along the slowest axis those of its cells, and of the slowest axis themselves whole on the
  /// rank that has the side. Keeps the communicator. Throws, on all ranks, what grid_solver throws,
  /// and as share_of_rank(); unsupported_error for smoother "lines" with more than one rank, since
  /// lines along the divided axis would be cut. Levels of Galerkin's operators are rank 0's, all of
  /// them.
  distributed_grid_solver(const device& where, std::shared_ptr<communicator> comm,
                          const grid_description<T>& d, const grid_options& options = {},
                          const grid_division& division = {});
  /// What was moved from can only be destroyed or assigned to.
  distributed_grid_solver(distributed_grid_solver&&) noexcept;
  /// Moves likewise; frees what this solver had.
  distributed_grid_solver& operator=(distributed_grid_solver&&) noexcept;
  ~distributed_grid_solver();

  grid_share share() const;       ///< share of this rank
  std::size_t rows() const;       ///< unknowns of this rank
  bool singular() const;          ///< see grid_operator::singular()
  const char* transport() const;  ///< what ranks exchange data by, as the communicator says

  /// Solves as grid_solver::solve() does: f and u are this rank's unknowns, rows() of them.
  distributed_grid_report solve(std::span<const T> f, std::span<T> u);
  /// Solves A u = b as grid_solver::solve_algebraic() does, likewise.
  distributed_grid_report solve_algebraic(std::span<const T> b, std::span<T> u);
  /// Takes other coefficients as grid_solver::update() does, with arrays as of the constructor.
  void update(const grid_description<T>& d);
  /// Sets what grid_solver::set_tolerances() sets.
  void set_tolerances(std::optional<double> rtol, double atol = 0);

  /// This rank's unknowns of a vector that is whole on rank `root`; what others give does not
  /// count. Throws input_error, on all ranks, unless it has an element per unknown.
  std::vector<T> scatter(std::span<const T> whole, int root = 0);
  /// The whole vector on rank `root`, empty on the others; mine: rows() elements.
  std::vector<T> gather(std::span<const T> mine, int root = 0);

 private:
  struct state;
  std::unique_ptr<state> s_;
};

extern template class distributed_grid_solver<double>;
extern template class distributed_grid_solver<float>;

}  // namespace dwell
