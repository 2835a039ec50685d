// SPDX-License-Identifier: MIT
// Eliminates, and links the products of the substitutions.
#include "dwell/solvers/preconditioners/ilu0/exact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dwell/base/complex_value.hpp"
#include "dwell/base/error.hpp"
#include "dwell/base/multiply_add.hpp"
#include "dwell/base/real_numbers.hpp"
#include "dwell/execution/team/setup_cpu.hpp"
#include "dwell/solvers/preconditioners/ilu0/refusals.hpp"
#include "dwell/solvers/preconditioners/ilu0/row_groups.hpp"
#include "dwell/solvers/preconditioners/ilu0/steps.hpp"
#include "dwell/solvers/preconditioners/sequences/set_up.hpp"

namespace dwell::ilu0 {
namespace {

/// Beyond it f32 has no digit left of what the factors are to solve.
constexpr double most_of_inverse = 1e12;

std::size_t at(index i) { return static_cast<std::size_t>(i); }

/// Per place in a group: the row of the factors there, from those of the groups before. An empty
/// row is padding.
template <class V>
struct eliminate {
  const index* row_ptr;
  const index* col;
  const index* diagonal;
  V* f;

  template <class Warp>
  void operator()(Warp&, std::int64_t place) const {
    const index begin = row_ptr[place], end = row_ptr[place + 1];
    for (index k = begin; k < end && col[k] < place; ++k) {
      const index pivot_row = col[k];
      const V l = f[k] = quotient(f[k], f[diagonal[pivot_row]]);
      index to = k + 1;
      for (index u = diagonal[pivot_row] + 1; u < row_ptr[pivot_row + 1]; ++u) {
        while (to < end && col[to] < col[u]) ++to;
        if (to == end) break;
        if (col[to] == col[u]) f[to] = multiply_add(-l, f[u], f[to]);
      }
    }
  }
};

/// Per place: the elements of -D^-1 L D and of -U.
template <class V>
struct weigh_factors {
  const index* row_ptr;
  const index* col;
  const index* diagonal;
  const V* f;
  V* to;

  template <class Warp>
  void operator()(Warp&, std::int64_t place) const {
    for (index k = row_ptr[place]; k < row_ptr[place + 1]; ++k) {
      const V pivot = f[diagonal[place]];
      const V lower = col[k] < place ? f[diagonal[col[k]]] : V(1.0);
      to[k] = -quotient(f[k] * lower, pivot);
    }
  }
};

/// V: double or complex_value<double>.
template <class V>
class exact_builder : sequences::set_up<cpu::setup_loops> {
  using rows = sequences::rows_of<V>;

 public:
  using set_up::set_up;

  template <class T>
  prepared_preconditioner build(const csr_arrays<T>& given) {
    buffer<V> own_values;
    const rows a = take(given, own_values);
    n_ = a.rows;
    scale(a, given.nonzeros);
    order(a, given.nonzeros);
    factorize();
    prepared_preconditioner out;
    out.products = link();
    const char* const by = groups_.levels ? "levels" : "colours";
    out.parts = {{fmt::format("L, {} {}", groups_.count, by), n_, lower_ + n_},
                 {"U", n_, upper_ + n_}};
    return out;
  }

 private:
  void scale(const rows& a, index nonzeros) {
    buffer<double> root;
    const sequences::size_range range = find_diagonal_range(a, root);
    if constexpr (is_complex_value<V>) check_range_of_complex(range);
    const double unit_root = std::ldexp(1.0, exponent_of_root(range));
    scaled_ = allocated<V>(nonzeros);
    before_ = allocated<V>(n_);
    after_ = allocated<V>(n_);
    const auto row_of = allocated<index>(nonzeros), diagonal = allocated<index>(n_);
    loops.items(n_, sequences::rows_per_thread,
                scale_matrix<V>{a, root.data(), unit_root, scaled_.data(), row_of.data(),
                                diagonal.data(), before_.data(), after_.data()});
  }

  /// B, each group filled up with empty rows so that slices are one group's.
  void order(const rows& a, index nonzeros) {
    {
      const transposed t = transpose(n_, nonzeros, a.row_ptr, a.col);
      std::vector<index> from(at(nonzeros));
      loops.items(nonzeros, sequences::rows_per_thread, [&](auto&, std::int64_t k) {
        from[static_cast<std::size_t>(k)] = t.row_of.data()[t.entry.data()[k]];
      });
      groups_ = group_rows(n_, {{a.row_ptr, at(n_) + 1}, {a.col, at(nonzeros)}},
                           {{t.begin_of.data(), at(n_) + 1}, from});
    }
    start_.assign(at(groups_.count) + 1, 0);
    for (const index g : groups_.group) ++start_[at(g) + 1];
    for (std::size_t g = 1; g < start_.size(); ++g)
      start_[g] = start_[g - 1] + (start_[g] + slice_lanes - 1) / slice_lanes * slice_lanes;
    places_ = start_.back();
    std::vector<index> next(start_.begin(), start_.end() - 1);
    place_of_ = allocated<index>(n_);
    row_of_.assign(at(places_), -1);
    for (index i = 0; i < n_; ++i) {
      const index place = next[at(groups_.group[at(i)])]++;
      place_of_.data()[i] = place;
      row_of_[at(place)] = i;
    }
    row_ptr_ = allocated<index>(places_ + 1);
    diagonal_ = allocated<index>(places_);
    right_ = allocated<index>(places_);
    index* const ptr = row_ptr_.data();
    for (index p = 0; p < places_; ++p) {
      const index i = row_of_[at(p)];
      ptr[p] = i < 0 ? 0 : a.row_ptr[i + 1] - a.row_ptr[i];
    }
    loops.sums_before(ptr, ptr, places_);
    col_ = allocated<index>(nonzeros);
    factors_ = allocated<V>(nonzeros);
    loops.warps(places_, sequences::rows_per_thread,
                [&](auto&, std::int64_t begin, std::int64_t end, std::int64_t) {
                  std::vector<std::pair<index, V>> row;
                  for (std::int64_t p = begin; p < end; ++p)
                    fill_row(a, static_cast<index>(p), row);
                });
  }
  void fill_row(const rows& a, index place, std::vector<std::pair<index, V>>& row) {
    const index begin = row_ptr_.data()[place], i = row_of_[at(place)];
    diagonal_.data()[place] = right_.data()[place] = begin;
    if (i < 0) return;
    row.clear();
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      row.emplace_back(place_of_.data()[a.col[k]], scaled_.data()[k]);
    std::ranges::sort(row, {}, &std::pair<index, V>::first);
    index k = begin;
    for (const auto& [column, value] : row) {
      col_.data()[k] = column;
      factors_.data()[k] = value;
      if (column == place) diagonal_.data()[place] = k, right_.data()[place] = k + 1;
      ++k;
    }
  }

  void factorize() {
    const eliminate<V> step{row_ptr_.data(), col_.data(), diagonal_.data(), factors_.data()};
    for (std::size_t g = 0; g + 1 < start_.size(); ++g)
      loops.items(start_[g + 1] - start_[g], 1 << 11,
                  [&](auto& w, std::int64_t k) { step(w, start_[g] + k); });
    const V* const f = factors_.data();
    for (index i = 0; i < n_; ++i) {  // in the order of the given rows
      const index place = place_of_.data()[i], end = row_ptr_.data()[place + 1];
      const V pivot = f[diagonal_.data()[place]];
      bool good = size_of(pivot) > least_pivot;
      for (index k = row_ptr_.data()[place]; k < end; ++k) good = good && is_finite(f[k]);
      if (!good)
        throw input_error(
            fmt::format("ilu0: expected finite factors with pivots other than zero, found pivot {} "
                        "in row {} (counted from 1, the matrix scaled to a unit diagonal); another "
                        "preconditioner may do",
                        text_of(pivot), i + 1));
      lower_ += diagonal_.data()[place] - row_ptr_.data()[place];
      upper_ += end - right_.data()[place];
    }
    values_ = allocated<V>(row_ptr_.data()[places_]);
    loops.items(
        places_, sequences::rows_per_thread,
        weigh_factors<V>{row_ptr_.data(), col_.data(), diagonal_.data(), f, values_.data()});
    check_inverse();
  }

  /// The factors applied to a vector of ones, in f64 (the estimate of Chow and Saad, J. Comput.
  /// Appl. Math. 86, 1997): what grows without bound does not solve.
  void check_inverse() const {
    std::vector<V> y(at(places_), V(0.0));
    const index *const ptr = row_ptr_.data(), *const diagonal = diagonal_.data();
    const auto subtract = [&](index place, index begin, index end) {
      V sum = y[at(place)];
      for (index k = begin; k < end; ++k)
        sum = multiply_add(values_.data()[k], y[at(col_.data()[k])], sum);
      y[at(place)] = sum;
    };
    for (index p = 0; p < places_; ++p) {
      if (row_of_[at(p)] < 0) continue;
      y[at(p)] = quotient(V(1.0), factors_.data()[diagonal[p]]);
      subtract(p, ptr[p], diagonal[p]);
    }
    double most = 0.0;
    for (index p = places_ - 1; p >= 0; --p) {
      subtract(p, right_.data()[p], ptr[p + 1]);
      const double size = size_of(y[at(p)]);
      most = size <= most ? most : size;  // or a NaN
    }
    if (!(most <= most_of_inverse))
      throw input_error(
          fmt::format("ilu0: expected factors that solve with a vector of ones, found an element "
                      "of size {:.0e} in the result, over {:.0e}: they grow without bound; another "
                      "preconditioner may do",
                      most, most_of_inverse));
  }

  owned_sequence link() {
    enum : int { r, y, vectors };
    sequences::linker to(where, sequences::parts_of<V> * std::max(n_, places_), vectors);
    // D^-1 P S, and S' P'.
    auto count = allocated<index>(places_ + 1), column = allocated<index>(n_);
    auto value = allocated<V>(n_);
    index k = 0;
    for (index p = 0; p < places_; ++p) {
      count.data()[p] = k;
      const index i = row_of_[at(p)];
      if (i < 0) continue;
      column.data()[k] = i;
      value.data()[k++] = quotient(before_.data()[i], factors_.data()[diagonal_.data()[p]]);
    }
    count.data()[places_] = k;
    to.add(slices(places_, n_, count.data(), column.data(), value.data()), to.vector(r),
           to.vector(y));
    to.end_phase();
    const index* const end = row_ptr_.data() + 1;
    const auto lower =
        slices(places_, lower_, row_ptr_.data(), diagonal_.data(), col_.data(), values_.data());
    for (index g = 1; g < groups_.count; ++g) add_group(to, lower, g, to.vector(y));
    to.begin_part();
    const auto upper = slices(places_, upper_, right_.data(), end, col_.data(), values_.data());
    for (index g = groups_.count - 2; g >= 0; --g) add_group(to, upper, g, to.vector(y));
    for (index i = 0; i <= n_; ++i) count.data()[i] = i;
    to.add(slices(n_, n_, count.data(), place_of_.data(), after_.data()), to.vector(y), nullptr);
    to.end_phase();
    return to.take();
  }
  /// y_g += M_g y.
  void add_group(sequences::linker& to, const std::shared_ptr<owned_slices>& m, index g,
                 float* y) const {
    const index begin = sequences::parts_of<V> * start_[at(g)],
                rows = sequences::parts_of<V> * start_[at(g) + 1] - begin;
    sliced_matrix& view = to.add(m, y, y + begin, y + begin).matrix;
    view.rows = rows;
    view.slices = rows / view.rows_per_slice();
    view.begin += begin / view.rows_per_slice();
    to.end_phase();
  }

  index n_ = 0, places_ = 0, lower_ = 0, upper_ = 0;
  row_groups groups_;
  std::vector<index> start_, row_of_;  ///< places of groups; the row of a place, -1: none
  buffer<index> place_of_, row_ptr_, col_, diagonal_, right_;
  buffer<V> scaled_, before_, after_, factors_, values_;
};

}  // namespace

template <class T>
prepared_preconditioner exact_factors(const device& where, const csr_arrays<T>& a) {
  return exact_builder<sequences::wide_value<T>>(where).build(a);
}
template prepared_preconditioner exact_factors(const device&, const csr_arrays<double>&);
template prepared_preconditioner exact_factors(const device&, const csr_arrays<float>&);
template prepared_preconditioner exact_factors(const device&,
                                               const csr_arrays<complex_value<double>>&);
template prepared_preconditioner exact_factors(const device&,
                                               const csr_arrays<complex_value<float>>&);

}  // namespace dwell::ilu0
