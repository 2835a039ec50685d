// SPDX-License-Identifier: MIT
// Solvers on grids of one process: the handle of one rank.
#include "dwell/grid/grid_solver.hpp"

#include "dwell/solvers/grid/grid_handle.hpp"
#include "dwell/solvers/grid/grid_memory.hpp"

namespace dwell {

template <class T>
struct grid_solver<T>::state : grids::grid_handle<T> {
  using grids::grid_handle<T>::grid_handle;
};

template <class T>
grid_solver<T>::grid_solver(const device& where, const grid_description<T>& d,
                            const grid_options& options)
    : grid_solver(where, d, options, {}) {}
template <class T>
grid_solver<T>::grid_solver(const device& where, const grid_description<T>& d,
                            const grid_options& options, const device_coefficients<T>& there) {
  grids::check_options(options);
  if (where.on() == backend::cpu) {
    double unknowns = 1;
    for (const int n : d.cells) unknowns *= n;
    if (unknowns <= 0x1p40)  // else refused as such
      grids::require_host_memory(d.cells, grids::solver_bytes(d.cells, sizeof(T), options));
  }
  stopwatch clock;
  s_ = std::make_unique<state>(where, self_communicator(), d, options, std::size_t(0),
                               grids::made_by_gpu_from, there);
  s_->setup_s = clock.lap();
}
template <class T>
grid_solver<T>::grid_solver(grid_solver&&) noexcept = default;
template <class T>
grid_solver<T>& grid_solver<T>::operator=(grid_solver&&) noexcept = default;
template <class T>
grid_solver<T>::~grid_solver() = default;

template <class T>
std::size_t grid_solver<T>::rows() const {
  return s_->rows();
}
template <class T>
bool grid_solver<T>::singular() const {
  return s_->grid.system.singular;
}

template <class T>
double grid_solver<T>::setup_s() const {
  return s_->setup_s;
}

template <class T>
grid_report grid_solver<T>::solve(std::span<const T> f, std::span<T> u) {
  return s_->solve(f, u, false);
}
template <class T>
grid_report grid_solver<T>::solve_algebraic(std::span<const T> b, std::span<T> u) {
  return s_->solve(b, u, true);
}
template <class T>
grid_report grid_solver<T>::solve(device_span<const T> f, device_span<T> u) {
  return s_->solve(f, u, false);
}
template <class T>
grid_report grid_solver<T>::solve_algebraic(device_span<const T> b, device_span<T> u) {
  return s_->solve(b, u, true);
}

template <class T>
void grid_solver<T>::update(const grid_description<T>& d) {
  s_->update(d);
}
template <class T>
void grid_solver<T>::update(const grid_description<T>& d, const device_coefficients<T>& there) {
  s_->update(d, there);
}
template <class T>
void grid_solver<T>::set_tolerances(std::optional<double> rtol, double atol) {
  s_->set_tolerances(rtol, atol);
}

template class grid_solver<double>;
template class grid_solver<float>;

}  // namespace dwell
