// SPDX-License-Identifier: MIT
// The splitting and the prolongation of classical coarsening (classical_steps.hpp). For setup_loops
// and row_table of either backend; included by building.hpp.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "dwell/solvers/preconditioners/amg/classical_steps.hpp"
#include "dwell/solvers/preconditioners/amg/fronts.hpp"
#include "dwell/solvers/preconditioners/amg/node_coarsening.hpp"

namespace dwell::amg {

/// What a refresh needs of a level's splitting.
struct splitting {
  buffer<std::uint8_t> kind;  ///< per element
  buffer<index> number;       ///< per coarse row, and at the end how many there are
};

template <class Loops, template <int, int> class Table>
class classical_coarsening : protected node_coarsening<Loops, Table> {
  using base = node_coarsening<Loops, Table>;

 public:
  using base::base;

 protected:
  using base::fetched, base::loops_, base::multiply, base::where_, base::with_values;
  template <class V>
  buffer<V> allocated(index n) {
    return base::template allocated<V>(n);
  }

  /// Returns how many coarse rows there are. elements: of the matrix; in_rounds: also on a CPU.
  index split(const graph& a, index elements, bool in_rounds, splitting& to) {
    const index n = a.rows;
    to.kind = allocated<std::uint8_t>(elements);
    to.number = allocated<index>(n + 1);
    buffer<double> strongest = allocated<double>(n);
    buffer<std::uint64_t> key = allocated<std::uint64_t>(n);
    loops_.items(n, rows_per_thread, find_strongest{a, strongest.data()});
    loops_.items(n, rows_per_thread,
                 find_dependences{a, strongest.data(), to.kind.data(), key.data()});
    if (base::on_host && !in_rounds) {
      const std::vector<index> coarse = split_in_fronts(a, to.kind.data(), key.data());
      for (std::size_t k = 0; k < coarse.size(); ++k)
        to.number.data()[coarse[k]] = static_cast<index>(k);
      to.number.data()[n] = static_cast<index>(coarse.size());
    } else {
      split_in_rounds(a, to.kind.data(), key.data());
      loops_.items(n, rows_per_thread, count_coarse{key.data(), to.number.data()});
      loops_.sums_before(to.number.data(), to.number.data(), n);
    }
    loops_.items(n, rows_per_thread, find_kinds{a, key.data(), to.kind.data()});
    return fetched(to.number.data() + n);
  }
  /// All at once, by rounds; a round is a look at all rows.
  void split_in_rounds(const graph& a, const std::uint8_t* bits, std::uint64_t* key) {
    constexpr int likely = 4;  // rounds before which there is no end to wait for
    buffer<std::uint8_t> largest(where_, static_cast<std::size_t>(a.rows));
    buffer<int> further(where_, 1);
    for (int round = 1;; ++round) {
      loops_.items(a.rows, rows_per_thread, look_for_coarse{a, bits, key, largest.data()});
      loops_.items(a.rows, rows_per_thread,
                   decide_coarse{a, bits, largest.data(), key, round, further.data()});
      if (round >= likely && fetched(further.data()) < round) break;
    }
  }

  /// The prolongation; one that is there already gets other values. False if a row has too many
  /// columns before its small elements are left out, or there is no room.
  bool interpolate_rows(const graph& a, index elements, const splitting& by, made_matrix& p) {
    const index n = a.rows;
    const bool again = p.rows > 0;
    buffer<double> sum = allocated<double>(n);
    loops_.items(n, rows_per_thread, sum_to_coarse{a, by.kind.data(), sum.data()});
    if (!again && !make_room(n, p)) return false;
    const dependences left{a, by.kind.data(), sum.data()};
    const coarse_couplings right{a, by.kind.data(), by.number.data()};
    interpolate row{a,
                    by.kind.data(),
                    sum.data(),
                    p.row_ptr.data(),
                    p.row_end.data(),
                    p.col.data(),
                    p.val.data(),
                    again};
    if constexpr (base::on_host) return put_rows_on_host(loops_, n, left, right, row);
    const double of_a = static_cast<double>(elements) / n;
    made_matrix all;
    if (!multiply(n, of_a * of_a / 4.0, left, right, all, with_values())) return false;
    row.from_ptr = all.row_ptr.data();
    row.from_col = all.col.data();
    row.from = all.val.data();
    loops_.items(n, rows_per_thread, row);
    return true;
  }

 private:
  bool make_room(index rows, made_matrix& p) {
    if (rows > std::numeric_limits<index>::max() / most_interpolated) return false;
    p.rows = rows;
    p.nonzeros = rows * most_interpolated;
    p.longest = most_interpolated;
    p.row_ptr = allocated<index>(rows + 1);
    p.row_end = allocated<index>(rows);
    p.col = allocated<index>(p.nonzeros);
    p.val = allocated<double>(p.nonzeros);
    return true;
  }
};

}  // namespace dwell::amg
