// SPDX-License-Identifier: MIT
// The operator and vectors of solves.
#include "dwell/solvers/grid/device/device_grid.hpp"

#include <algorithm>
#include <array>

#include "dwell/solvers/grid/grid_methods.hpp"

namespace dwell::grids {

template <class T>
device_grid<T>::device_grid(const device& where, const prepared_grid<T>& grid,
                            const device_operator<T>* made, const chosen_method& method,
                            const deal_limits& limits)
    : where_(where), memory_(where, limits.guarded) {
  const coefficients<T>& a = grid.system.a;
  const std::size_t cells = a.shape.cells();
  require_gpu_unknowns(cells);
  grid_solve_args<T>& to = args_;
  to.a = made ? *made : copy_operator(memory_, a, limits, false);
  const std::array<std::size_t, 3> callers = grid.system.order.distances(a.shape.n);
  std::ranges::copy(callers, to.callers);
  to.residual = memory_.room<float>(cells);
  const auto row = static_cast<std::size_t>(a.shape.n[2] + 2);
  to.zeros = memory_.copy(std::vector<float>(row, 0.0f));
  to.ones = memory_.copy(std::vector<float>(row, 1.0f));
  for (std::size_t axis = 0; axis < 3; ++axis)
    to.volume[axis] = memory_.copy(grid.system.volume[axis]);
  for (const side_term<T>& side : grid.system.sides)
    to.sides[to.side_count++] = {side.axis, side.high, memory_.copy(side.of_cell)};
  const auto vector = [&] { return memory_.room<T>(cells); };
  to.b = vector(), to.x[0] = vector(), to.x[1] = vector();
  to.r = vector(), to.p[0] = vector(), to.p[1] = vector(), to.q = vector();
  for (int k = 1; k < facts_of(method.method).more_vectors; ++k) to.more[k - 1] = vector();
  to.method = method.method;
  to.preconditioner = method.preconditioner;
  to.scale_of_a = grid.scale;
  to.alone = method.method == grid_method::multigrid;
  to.singular = grid.system.singular;
  memory_.flush();
  barrier_ = buffer<unsigned>(where_, 1);
  partials_ = buffer<double>(
      where_, static_cast<std::size_t>(grid_solve_args<T>::most_sums * limits.teams));
  seen_ = buffer<monitor>(where_, 1);
  out_ = buffer<device_outcome>(where_, 1);
  to.barrier = barrier_.data();
  to.partials = partials_.data();
  to.seen = seen_.data();
  to.out = out_.data();
}

template <class T>
void device_grid<T>::fetch(coefficients<T>& a) const {
  const device_operator<T>& from = args_.a;
  const auto download = [&](void* to, const void* of, std::size_t bytes) {
    memory_of(where_.on()).download(where_, to, of, bytes);
  };
  const auto places = [&](std::vector<std::size_t>& to, const unsigned* of, std::size_t count) {
    std::vector<unsigned> narrow(count);
    download(narrow.data(), of, count * sizeof(unsigned));
    to.assign(narrow.begin(), narrow.end());
  };
  const auto nz = static_cast<std::size_t>(from.n[0]), ny = static_cast<std::size_t>(from.n[1]);
  places(a.x, from.x, nz * ny), places(a.y, from.y, nz * (ny + 1));
  places(a.z, from.z, (nz + 1) * ny), places(a.s, from.s, nz * ny);
  a.pool.resize(a.elsewhere);
  download(a.pool.data(), from.pool, a.pool.size() * sizeof(T));
}

template <class T>
device_outcome device_grid<T>::solve(grid_kernel<T>& kernel, const grid_request<T>& request,
                                     const run_control& control, std::vector<double>& history) {
  grid_solve_args<T> a = args_;
  request.levels->put(a, request.twice, request.full);
  a.f = request.f;
  a.u = request.u;
  if (request.algebraic) {
    std::fill(std::begin(a.volume), std::end(a.volume), nullptr);
    a.side_count = 0;
  }
  a.rtol = request.rtol;
  a.atol = request.atol;
  a.max_iterations = request.max_iterations;
  a.slow_after = request.slow_after;
  const auto norms = static_cast<std::size_t>(request.max_iterations) + 1;
  if (request.history) {
    if (history_.size() < norms) history_ = buffer<double>(where_, norms);
    a.history = history_.data();
  }
  const unsigned nobody = 0;
  monitor fresh;
  fresh.step = -1;
  if (control.interrupt && control.interrupt->load()) fresh.interrupt = 1;
  const device_outcome none;
  barrier_.upload({&nobody, 1});
  seen_.upload({&fresh, 1});
  out_.upload({&none, 1});
  kernel.run(a, control);
  device_outcome out;
  out_.download({&out, 1});
  if (request.history && out.history > 0) {
    history.resize(static_cast<std::size_t>(out.history));
    history_.download(history);
  }
  return out;
}

template class device_grid<double>;
template class device_grid<float>;

}  // namespace dwell::grids
