// SPDX-License-Identifier: MIT
// Levels smoothed by Gauss-Seidel on a CPU, one sweep in the order of colours before the coarse
// correction and one in the opposite order after it. Rows of a colour have no couplings among
// themselves, so that threads share them, and bits do not depend on the threads.
//
// In the coordinates D^1/2 x the matrix is I + L + U, where L has the couplings to earlier colours.
// From x = 0 the first sweep is x := b - L x, colour by colour; the residual is -U x. With G = -L P
// the coarse level gets P' (-U x) = G' x, and the second sweep turns its correction e, for b is
// x + L x of the first one, into x := (x + G e) - U x, backwards. A level takes half of A twice,
// and G twice, which has fewer elements than A P.
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "dwell/base/interruption.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/team/column_sums_cpu.hpp"
#include "dwell/solvers/preconditioners/amg/host_products.hpp"
#include "dwell/solvers/preconditioners/amg/product_size.hpp"
#include "dwell/solvers/preconditioners/amg/strength_steps.hpp"

namespace dwell::amg {

/// With more colours the phases of a level cost more than they save.
inline constexpr int most_colours = 32;

/// The order of a level's rows by colour. Without rows: the level has none.
struct row_colours {
  std::vector<std::uint8_t> colour;  ///< per row
  std::vector<index> order, place;   ///< the row at each place, and the place of each row
  std::vector<index> begin;          ///< per colour, and one more: its first place
  bool empty() const { return order.empty(); }
  int count() const { return static_cast<int>(begin.size()) - 1; }
};

/// Each row takes the first colour that no coupled row before it has; empty: there are too many.
inline row_colours colours_of(const graph& a) {
  row_colours c;
  const auto n = static_cast<std::size_t>(a.rows);
  c.colour.assign(n, most_colours);  // no bit of a mask that counts
  c.begin.assign(most_colours + 1, 0);
  int count = 0;
  for (index i = 0; i < a.rows; ++i) {
    if (i % rows_per_chunk == 0) poll_interruption();
    std::uint64_t taken = 0;
    for (index k = a.row_ptr[i]; k < a.row_end[i]; ++k)
      taken |= std::uint64_t(1) << c.colour[static_cast<std::size_t>(a.col[k])];
    const int first = std::countr_one(taken & ((std::uint64_t(1) << most_colours) - 1));
    if (first == most_colours) return {};
    c.colour[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(first);
    ++c.begin[static_cast<std::size_t>(first) + 1];
    count = std::max(count, first + 1);
  }
  c.begin.resize(static_cast<std::size_t>(count) + 1);
  for (std::size_t k = 1; k < c.begin.size(); ++k) c.begin[k] += c.begin[k - 1];
  c.order.resize(n);
  c.place.resize(n);
  std::vector<index> next = c.begin;
  for (index i = 0; i < a.rows; ++i) {
    const index at = next[c.colour[static_cast<std::size_t>(i)]]++;
    c.place[static_cast<std::size_t>(i)] = at;
    c.order[static_cast<std::size_t>(at)] = i;
  }
  return c;
}

/// A matrix in compressed rows as slices take it (put_in_slices.hpp), from row `offset` on.
struct float_rows {
  buffer<index> begin, col;
  buffer<float> val;
};
struct float_row_slices {
  const index* first;
  const index* last;
  const index* col;
  const float* val;
  index begin(index row) const { return first[row]; }
  index end(index row) const { return last[row]; }
  index column(index k) const { return col[k]; }
  float value(index, index k) const { return val[k]; }
};

template <class V>
buffer<V> on_host_unset(std::size_t n) {
  return {device::cpu(1), n, fresh::unset};
}

/// -L and -U by places: row p has those of L from begin[p] on and those of U from middle[p] to
/// end[p] - 1. root: 1 / sqrt(a_ii) per row.
struct coupled_halves {
  float_rows rows;
  buffer<index> middle, end;
};
template <class Loops>
coupled_halves halve(const Loops& loops, const graph& a, const row_colours& c, const double* root) {
  const auto n = static_cast<std::size_t>(a.rows);
  coupled_halves h{
      {on_host_unset<index>(n + 1), {}, {}}, on_host_unset<index>(n), on_host_unset<index>(n)};
  index* const begin = h.rows.begin.data();
  index sum = 0;
  for (std::size_t p = 0; p < n; ++p) {
    const index i = c.order[p];
    begin[p] = sum;
    sum += a.row_end[i] - a.row_ptr[i];
  }
  begin[n] = sum;
  h.rows.col = on_host_unset<index>(static_cast<std::size_t>(sum));
  h.rows.val = on_host_unset<float>(static_cast<std::size_t>(sum));
  struct none {};
  loops.template chunks<none>(
      a.rows, rows_per_chunk, [&](none&, std::int64_t, std::int64_t first, std::int64_t last) {
        for (std::int64_t p = first; p < last; ++p) {
          const index i = c.order[static_cast<std::size_t>(p)];
          const int mine = c.colour[static_cast<std::size_t>(i)];
          index at = begin[p];
          const auto put = [&](bool earlier) {
            for (index k = a.row_ptr[i]; k < a.row_end[i]; ++k) {
              const index j = a.col[k];
              const int other = c.colour[static_cast<std::size_t>(j)];
              if (earlier ? other >= mine : other <= mine) continue;
              h.rows.col.data()[at] = c.place[static_cast<std::size_t>(j)];
              h.rows.val.data()[at++] = static_cast<float>(-a.val[k] * (root[i] * root[j]));
            }
          };
          put(true);
          h.middle.data()[p] = at;
          put(false);
          h.end.data()[p] = at;
        }
      });
  return h;
}

/// A P, and L P, by chunks of rows; the columns of a row stand in no order.
struct chunk_of_halves {
  std::vector<index> col, lower_col;
  std::vector<double> sum, lower_sum;
};
struct halved_product {
  std::vector<chunk_of_halves> chunks;
  std::vector<const index*> cols;  ///< per chunk
  std::vector<const double*> sums;
  // Per row, from the start of its chunk:
  buffer<index> begin, end, lower_begin, lower_end;
};
/// A P as an operand on the right.
struct rows_in_chunks {
  const index* begin_of;
  const index* end_of;
  const index* const* col;
  const double* const* val;
  index begin(index row) const { return begin_of[row]; }
  index end(index row) const { return end_of[row]; }
  index column(index row, index k) const { return col[row / rows_per_chunk][k]; }
  double value(index row, index k) const { return val[row / rows_per_chunk][k]; }
  static rows_in_chunks of(const halved_product& p) {
    return {p.begin.data(), p.end.data(), p.cols.data(), p.sums.data()};
  }
};

/// False if a row has too many columns. P: matrix_rows.
template <class Loops, class P>
bool multiply_halves(const Loops& loops, const graph& a, const row_colours& c, const P& p,
                     halved_product& to) {
  struct work {
    cpu::column_sums sums;
    chunk_of_halves made;
  };
  const auto n = static_cast<std::size_t>(a.rows);
  for (buffer<index>* b : {&to.begin, &to.end, &to.lower_begin, &to.lower_end})
    *b = on_host_unset<index>(n);
  to.chunks.resize(static_cast<std::size_t>((a.rows + rows_per_chunk - 1) / rows_per_chunk));
  std::atomic<bool> fits = true;
  loops.template chunks<work>(
      a.rows, rows_per_chunk,
      [&](work& w, std::int64_t chunk, std::int64_t first, std::int64_t last) {
        chunk_of_halves& made = w.made;
        made.col.clear(), made.sum.clear(), made.lower_col.clear(), made.lower_sum.clear();
        for (std::int64_t row = first; row < last; ++row) {
          const index i = static_cast<index>(row);
          const int mine = c.colour[static_cast<std::size_t>(i)];
          w.sums.open();
          for (index k = a.row_ptr[i]; k < a.row_end[i]; ++k) {
            const index j = a.col[k], end = p.end(j);
            const double x = a.val[k];
            const bool earlier = c.colour[static_cast<std::size_t>(j)] < mine;
            for (index e = p.begin(j); e < end; ++e)
              w.sums.add_with_part(p.column(e), x, p.value(j, e), earlier);
          }
          if (w.sums.count() > cpu::column_sums::most) {
            fits = false;
            return;
          }
          to.begin.data()[i] = static_cast<index>(made.col.size());
          to.lower_begin.data()[i] = static_cast<index>(made.lower_col.size());
          w.sums.each_with_part([&](index column, double sum, const double* lower) {
            made.col.push_back(column);
            made.sum.push_back(sum);
            if (!lower) return;
            made.lower_col.push_back(column);
            made.lower_sum.push_back(*lower);
          });
          to.end.data()[i] = static_cast<index>(made.col.size());
          to.lower_end.data()[i] = static_cast<index>(made.lower_col.size());
        }
        to.chunks[static_cast<std::size_t>(chunk)] = made;
      });
  if (!fits) return false;
  for (const chunk_of_halves& one : to.chunks) {
    to.cols.push_back(one.col.data());
    to.sums.push_back(one.sum.data());
  }
  return true;
}

/// G = -D^-1/2 L P Q by places, from L P: `scale` has Q per column, `place` the places of columns;
/// null: their numbers.
template <class Loops>
float_rows coupled_corrections(const Loops& loops, const row_colours& c, const halved_product& of,
                               const double* root, const double* scale, const index* place) {
  const std::size_t n = c.order.size();
  float_rows g{on_host_unset<index>(n + 1), {}, {}};
  std::int64_t corrections = 0;
  for (const chunk_of_halves& one : of.chunks) corrections += std::ssize(one.lower_col);
  check_product_size("amg", static_cast<index>(n), corrections);
  index sum = 0;
  for (std::size_t p = 0; p < n; ++p) {
    const index i = c.order[p];
    g.begin.data()[p] = sum;
    sum += of.lower_end.data()[i] - of.lower_begin.data()[i];
  }
  g.begin.data()[n] = sum;
  g.col = on_host_unset<index>(static_cast<std::size_t>(sum));
  g.val = on_host_unset<float>(static_cast<std::size_t>(sum));
  struct none {};
  loops.template chunks<none>(
      static_cast<std::int64_t>(n), rows_per_chunk,
      [&](none&, std::int64_t, std::int64_t first, std::int64_t last) {
        for (std::int64_t p = first; p < last; ++p) {
          const index i = c.order[static_cast<std::size_t>(p)];
          const chunk_of_halves& from = of.chunks[static_cast<std::size_t>(i / rows_per_chunk)];
          index at = g.begin.data()[p];
          for (index k = of.lower_begin.data()[i]; k < of.lower_end.data()[i]; ++k, ++at) {
            const index column = from.lower_col[static_cast<std::size_t>(k)];
            g.col.data()[at] = place ? place[column] : column;
            g.val.data()[at] = static_cast<float>(-from.lower_sum[static_cast<std::size_t>(k)] *
                                                  root[i] * scale[column]);
          }
        }
      });
  return g;
}

/// The transpose of rows, whose elements are first[row] to last[row] - 1, with their values; each
/// thread counts and places those of a part of the rows.
template <class V>
struct transposed_rows {
  buffer<index> begin, row;
  buffer<V> val;
};
template <class V>
transposed_rows<V> transposed_on_host(index rows, const index* first, const index* last,
                                      const index* col, const V* val, index columns) {
  const int parts = static_cast<int>(std::clamp<std::int64_t>(
      rows / std::max<std::int64_t>(columns / 2, rows_per_chunk), 1, default_threads()));
  const auto n = static_cast<std::size_t>(columns);
  std::vector<index> next(n * static_cast<std::size_t>(parts));
  const auto of_part = [&](int part) { return next.data() + n * static_cast<std::size_t>(part); };
  for_parts(parts, [&](int part) {
    poll_interruption();
    index* const count = of_part(part);
    const auto [begin, end] = piece(rows, part, parts);
    for (index i = begin; i < end; ++i)
      for (index k = first[i]; k < last[i]; ++k) ++count[col[k]];
  });
  transposed_rows<V> t{on_host_unset<index>(n + 1), {}, {}};
  index sum = 0;
  for (std::size_t c = 0; c < n; ++c) {
    t.begin.data()[c] = sum;
    for (int part = 0; part < parts; ++part) sum += std::exchange(of_part(part)[c], sum);
  }
  t.begin.data()[n] = sum;
  t.row = on_host_unset<index>(static_cast<std::size_t>(sum));
  t.val = on_host_unset<V>(static_cast<std::size_t>(sum));
  for_parts(parts, [&](int part) {
    poll_interruption();
    index* const at = of_part(part);
    const auto [begin, end] = piece(rows, part, parts);
    for (index i = begin; i < end; ++i)
      for (index k = first[i]; k < last[i]; ++k) {
        const index to = at[col[k]]++;
        t.row.data()[to] = i;
        t.val.data()[to] = val[k];
      }
  });
  return t;
}

}  // namespace dwell::amg
