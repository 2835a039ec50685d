// SPDX-License-Identifier: MIT
// Parts of descriptions and vectors, and the handle of several ranks.
#include "dwell/grid/distributed_grid_solver.hpp"

#include <fmt/format.h>

#include "dwell/execution/comm/pieces.hpp"
#include "dwell/solvers/grid/grid_handle.hpp"

namespace dwell {
namespace {

grids::slab_division division_of(const std::vector<int>& cells, const grid_boundary& boundary,
                                 int ranks, const grid_division& division) {
  const grids::axis_order order(cells, grids::reordering::planes_stay);
  return grids::divide_planes(grids::shape_of_description(cells, boundary, order, ranks), ranks,
                              division.gather_below);
}

/// Rows of this rank's planes, one more if `faces`, of an array that is whole on the root.
template <class E>
std::vector<E> dealt_planes(communicator& comm, const grids::slab_division& division,
                            std::span<const E> whole, std::size_t row, bool faces, int root) {
  const auto planes = [&](int r) { return std::size_t(division.own(r).size() + (faces ? 1 : 0)); };
  std::vector<E> mine;
  std::vector<rank_message> out;
  together(comm, [&] {
    if (comm.rank() == root)
      for (int r = 0; r < comm.size(); ++r)
        // Nothing is written through the pointer of an outgoing message.
        out.push_back({r, const_cast<E*>(whole.data()) + std::size_t(division.own(r).begin) * row,
                       planes(r) * row * sizeof(E)});
    mine.resize(planes(comm.rank()) * row);
  });
  const auto messages =
      comm.messages(std::move(out), {{root, mine.data(), mine.size() * sizeof(E)}});
  messages->start();
  messages->finish();
  return mine;
}

}  // namespace

grid_share share_of_rank(const std::vector<int>& cells, const grid_boundary& boundary, int rank,
                         int ranks, const grid_division& division) {
  if (ranks < 1 || rank < 0 || rank >= ranks)
    throw input_error(fmt::format("grid: expected a rank from 0 to {}, found {}", ranks - 1, rank));
  const grids::slab_division all = division_of(cells, boundary, ranks, division);
  if (cells.size() == 1) return {0, cells[0]};
  return {all.own(rank).begin, all.own(rank).size()};
}

template <class T>
grid_part<T>::grid_part(communicator& comm, const grid_description<T>& whole,
                        const grid_division& division, int root)
    : d(whole) {
  const grids::slab_division all = together(
      comm, [&] { return division_of(whole.cells, whole.boundary, comm.size(), division); });
  const std::size_t dims = d.cells.size();
  // Elements along the axes behind the divided one, of which `longer` has one more and `without`
  // none. Of one axis its cells are those of one plane, and so are its faces.
  const std::size_t divided = dims == 1 ? dims : 0;
  const auto row = [&](std::size_t longer, std::size_t without) {
    std::size_t n = 1;
    for (std::size_t a = 0; a < dims; ++a)
      if (a != divided && a != without) n *= std::size_t(d.cells[a]) + (a == longer ? 1 : 0);
    return n;
  };
  const auto deal = [&](const char* name, auto whole_array, auto& to, std::size_t of_plane,
                        bool faces) {
    const std::size_t planes = std::size_t(all.planes) + (faces ? 1 : 0);
    const bool given = value_of_rank(comm, root, char(!whole_array.empty())) != 0;
    together(comm, [&] {
      if (comm.rank() == root && given && whole_array.size() != planes * of_plane)
        throw input_error(fmt::format("grid: {}: expected {} elements, found {}", name,
                                      planes * of_plane, whole_array.size()));
    });
    to.clear();
    if (given) to = dealt_planes(comm, all, whole_array, of_plane, faces, root);
  };
  deal("k", whole.k_cells, k_cells, row(dims, dims), false);
  deal("s", whole.s_cells, s_cells, row(dims, dims), false);
  d.k_cells = k_cells, d.s_cells = s_cells;
  for (std::size_t a = 0; a < dims; ++a) {
    deal("k_faces", whole.k_faces[a], k_faces[a], row(a, dims), a == divided);
    d.k_faces[a] = k_faces[a];
    for (std::size_t high = 0; high < 2; ++high) {
      const std::span<const double> values(whole.boundary.sides[a][high].values);
      std::vector<double>& to = d.boundary.sides[a][high].values;
      if (a != divided) {
        deal("boundary values", values, to, row(dims, a), false);
        continue;
      }
      // Whole on all ranks: one plane of the grid.
      const std::size_t wanted = row(dims, dims);
      together(comm, [&] {
        if (comm.rank() == root && !values.empty() && values.size() != wanted)
          throw input_error(fmt::format("grid: boundary values: expected {} elements, found {}",
                                        wanted, values.size()));
      });
      to = list_of_rank(comm, root, values);
    }
  }
}

template <class T>
struct distributed_grid_solver<T>::state : grids::grid_handle<T> {
  using grids::grid_handle<T>::grid_handle;

  distributed_grid_report solved(std::span<const T> f, std::span<T> u, bool algebraic) {
    this->cost = {};
    distributed_grid_report r;
    r.solve = this->solve(f, u, algebraic);
    r.divided_levels =
        int((this->ran_galerkin ? *this->grid.galerkin : this->grid.levels).shared());
    const grids::exchange_cost& cost = this->cost;
    r.ranks = values_of_ranks(*this->comm,
                              grid_rank_report{share(), r.solve.threads, cost.messages, cost.bytes,
                                               cost.sums, cost.seconds, r.solve.solve_s});
    return r;
  }
  grid_share share() const {
    if (this->cells.size() == 1) return {0, this->where.all.n[2]};
    const grids::plane_range own = this->where.division.own(this->comm->rank());
    return {own.begin, own.size()};
  }
};

template <class T>
distributed_grid_solver<T>::distributed_grid_solver(const device& where,
                                                    std::shared_ptr<communicator> comm,
                                                    const grid_description<T>& d,
                                                    const grid_options& options,
                                                    const grid_division& division) {
  together(*comm, [&] {
    grids::require_cpu(where.on(), "ranks");
    grids::check_options(options);
  });
  stopwatch clock;
  s_ = std::make_unique<state>(where, std::move(comm), d, options, division.gather_below,
                               grids::made_by_gpu_from, device_coefficients<T>{},
                               grids::reordering::planes_stay);
  s_->setup_s = clock.lap();
}
template <class T>
distributed_grid_solver<T>::distributed_grid_solver(distributed_grid_solver&&) noexcept = default;
template <class T>
distributed_grid_solver<T>& distributed_grid_solver<T>::operator=(
    distributed_grid_solver&&) noexcept = default;
template <class T>
distributed_grid_solver<T>::~distributed_grid_solver() = default;

template <class T>
grid_share distributed_grid_solver<T>::share() const {
  return s_->share();
}
template <class T>
std::size_t distributed_grid_solver<T>::rows() const {
  return s_->rows();
}
template <class T>
bool distributed_grid_solver<T>::singular() const {
  return s_->grid.system.singular;
}
template <class T>
const char* distributed_grid_solver<T>::transport() const {
  return s_->comm->transport();
}

template <class T>
distributed_grid_report distributed_grid_solver<T>::solve(std::span<const T> f, std::span<T> u) {
  return s_->solved(f, u, false);
}
template <class T>
distributed_grid_report distributed_grid_solver<T>::solve_algebraic(std::span<const T> b,
                                                                    std::span<T> u) {
  return s_->solved(b, u, true);
}
template <class T>
void distributed_grid_solver<T>::update(const grid_description<T>& d) {
  s_->update(d);
}
template <class T>
void distributed_grid_solver<T>::set_tolerances(std::optional<double> rtol, double atol) {
  together(*s_->comm, [&] { s_->set_tolerances(rtol, atol); });
}

template <class T>
std::vector<T> distributed_grid_solver<T>::scatter(std::span<const T> whole, int root) {
  communicator& comm = *s_->comm;
  const std::size_t all = s_->where.all.cells();
  together(comm, [&] {
    if (comm.rank() == root && whole.size() != all)
      throw input_error(
          fmt::format("grid: scatter: expected {} elements, found {}", all, whole.size()));
  });
  return dealt_planes(comm, s_->where.division, whole, s_->where.all.plane(), false, root);
}
template <class T>
std::vector<T> distributed_grid_solver<T>::gather(std::span<const T> mine, int root) {
  communicator& comm = *s_->comm;
  std::vector<T> whole;
  together(comm, [&] {
    if (mine.size() != rows())
      throw input_error(
          fmt::format("grid: gather: expected {} elements, found {}", rows(), mine.size()));
    if (comm.rank() == root) whole.resize(s_->where.all.cells());
  });
  const std::size_t plane = s_->where.all.plane();
  collect_pieces(comm, root, mine, whole.data(), [&](int r) {
    return std::size_t(s_->where.division.first[std::size_t(r)]) * plane;
  });
  return whole;
}

template struct grid_part<double>;
template struct grid_part<float>;
template class distributed_grid_solver<double>;
template class distributed_grid_solver<float>;

}  // namespace dwell
