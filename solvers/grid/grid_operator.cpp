// SPDX-License-Identifier: MIT
// Products on threads of a CPU, row by row, and the conversion to a matrix.
#include "dwell/grid/grid_operator.hpp"

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/execution/device/threads/threads_worth.hpp"
#include "dwell/execution/team/thread_pool.hpp"
#include "dwell/solvers/grid/discretize.hpp"
#include "dwell/solvers/grid/row_product.hpp"

namespace dwell {
namespace {

/// Entries of a row of the matrix, at most 7, sorted; faces to one neighbour are one entry.
template <class T>
class row_entries {
 public:
  void begin(std::size_t row, T s) { count_ = 0, diagonal_ = s, row_ = row; }
  void face(T w, bool inside, std::size_t to) {
    diagonal_ += w;
    if (!inside || w == T(0)) return;
    for (int e = 0; e < count_; ++e)
      if (entry_[e].first == to) {
        entry_[e].second -= w;
        return;
      }
    int at = count_++;
    for (; at > 0 && entry_[at - 1].first > to; --at) entry_[at] = entry_[at - 1];
    entry_[at] = {to, -w};
  }
  template <class Put>
  void end(Put&& put) {
    int at = count_++;
    for (; at > 0 && entry_[at - 1].first > row_; --at) entry_[at] = entry_[at - 1];
    entry_[at] = {row_, diagonal_};
    for (int e = 0; e < count_; ++e) put(entry_[e].first, entry_[e].second);
  }

 private:
  std::pair<std::size_t, T> entry_[7];
  int count_ = 0;
  T diagonal_ = 0;
  std::size_t row_ = 0;
};

}  // namespace

template <class T>
struct grid_operator<T>::state {
  grids::system<T> system;
  std::vector<T> zeros;
  int threads;
  thread_pool pool;

  static int threads_for(const device& where, const grids::grid_shape& g) {
    const double bytes = 3.0 * sizeof(T) * double(g.cells());
    return threads_worth(bytes, std::int64_t(g.rows()), "product", where.facts()).threads;
  }
  state(const device& where, grids::system<T> made)
      : system(std::move(made)),
        zeros(std::size_t(system.a.shape.n[2])),
        threads(threads_for(where, system.a.shape)),
        pool(threads) {}
};

template <class T>
grid_operator<T>::grid_operator(const device& where, const grid_description<T>& d) {
  if (where.on() != backend::cpu)
    throw unsupported_error("grid: products with an operator are a CPU's: expected device::cpu()");
  s_ = std::make_unique<state>(where, grids::discretize(d));
}
template <class T>
grid_operator<T>::grid_operator(grid_operator&&) noexcept = default;
template <class T>
grid_operator<T>& grid_operator<T>::operator=(grid_operator&&) noexcept = default;
template <class T>
grid_operator<T>::~grid_operator() = default;

template <class T>
std::size_t grid_operator<T>::rows() const {
  return s_->system.a.shape.cells();
}
template <class T>
bool grid_operator<T>::singular() const {
  return s_->system.singular;
}
template <class T>
std::size_t grid_operator<T>::bytes() const {
  return sizeof(T) * (s_->system.a.pool.size() + 2 * rows());
}

template <class T>
void grid_operator<T>::apply(std::span<const T> u, std::span<T> y) {
  if (u.size() != rows() || y.size() != rows())
    throw input_error(fmt::format("grid: apply: expected {} elements, found u of {} and y of {}",
                                  rows(), u.size(), y.size()));
  if (std::less<>{}(u.data(), y.data() + y.size()) && std::less<>{}(y.data(), u.data() + u.size()))
    throw input_error("grid: apply: u and y overlap");
  const grids::coefficients<T>& a = s_->system.a;
  const int ny = a.shape.n[1], nx = a.shape.n[2];
  s_->pool.launch([&](int member) {
    const auto [begin, end] = piece(std::int64_t(a.shape.rows()), member, s_->threads);
    for (std::int64_t row = begin; row < end; ++row) {
      T* const to = y.data() + row * nx;
      grids::row_product(a, u.data(), s_->zeros.data(), int(row / ny), int(row % ny),
                         [to](int i, T v) { to[i] = v; });
    }
  });
}

template <class T>
void grid_operator<T>::rhs(std::span<const T> f, std::span<T> b) const {
  grids::right_hand_side(s_->system, f, b);
}

template <class T>
csr<T> grid_operator<T>::to_matrix() const {
  const grids::coefficients<T>& a = s_->system.a;
  const grids::grid_shape& g = a.shape;
  const int nz = g.n[0], ny = g.n[1], nx = g.n[2];
  if (rows() > std::size_t(std::numeric_limits<index>::max()) / 7)
    throw input_error(
        fmt::format("grid: to_matrix: {} unknowns are too many for 32-bit indices", rows()));
  csr<T> m;
  m.rows = m.cols = static_cast<index>(rows());
  m.row_ptr.reserve(rows() + 1);
  m.col.reserve(rows() * 7);
  m.val.reserve(rows() * 7);
  row_entries<T> row;
  const auto cell = [&](int k, int j, int i) {
    return (std::size_t(k) * std::size_t(ny) + std::size_t(j)) * std::size_t(nx) + std::size_t(i);
  };
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        row.begin(cell(k, j, i), a.s_cells(k, j)[i]);
        const auto both = [&](int at, int n, bool wraps, T before, T after, auto&& to) {
          row.face(before, at > 0 || wraps, to(at > 0 ? at - 1 : n - 1));
          row.face(after, at < n - 1 || wraps, to(at < n - 1 ? at + 1 : 0));
        };
        both(k, nz, g.wraps[0], a.z_faces(k, j)[i], a.z_faces(k + 1, j)[i],
             [&](int to) { return cell(to, j, i); });
        both(j, ny, g.wraps[1], a.y_faces(k, j)[i], a.y_faces(k, j + 1)[i],
             [&](int to) { return cell(k, to, i); });
        both(i, nx, g.wraps[2], a.x_faces(k, j)[i], a.x_faces(k, j)[i + 1],
             [&](int to) { return cell(k, j, to); });
        row.end([&](std::size_t col, T v) {
          m.col.push_back(static_cast<index>(col));
          m.val.push_back(v);
        });
        m.row_ptr.push_back(static_cast<index>(m.col.size()));
      }
  return m;
}

template class grid_operator<double>;
template class grid_operator<float>;

}  // namespace dwell
