// SPDX-License-Identifier: MIT
// The set-up of a factorized sparse approximate inverse as a sequence of loops, for setup_loops and
// row_table of either backend. Included by the files that do it on one.
#pragma once
#include <cmath>
#include <string>

#include "dwell/solvers/preconditioners/amg/product_size.hpp"
#include "dwell/solvers/preconditioners/amg/product_steps.hpp"
#include "dwell/solvers/preconditioners/fsai/fsai.hpp"
#include "dwell/solvers/preconditioners/fsai/steps.hpp"
#include "dwell/solvers/preconditioners/sequences/set_up.hpp"

namespace dwell::fsai {

inline constexpr std::int64_t systems_per_thread = 1 << 8;

/// Table: row_table of the backend; Workspace: dense_workspace of it.
template <class Loops, class Table, class Workspace>
class builder : sequences::set_up<Loops> {
  using base = sequences::set_up<Loops>;
  using base::fetched, base::loops, base::where;

 public:
  using base::base;

  template <class T>
  prepared_preconditioner build(const csr_arrays<T>& given, const preconditioner_options& o) {
    buffer<double> own_values, root;
    const rows_f64 a = this->take(given, own_values);
    const index n = a.rows;
    const double unit_root = std::ldexp(1.0, this->find_diagonal_roots(a, root));
    prepared_preconditioner out;

    rows_f64 from = a;  // whose lower triangle is the pattern
    index from_nonzeros = given.nonzeros;
    buffer<index> square_row_ptr, square_col;
    buffer<double> square_val;
    const bool squared =
        o.power == 2 && square(a, root.data(), square_row_ptr, square_col, square_val);
    if (squared) {
      from = {n, square_row_ptr.data(), square_col.data(), square_val.data()};
      from_nonzeros = static_cast<index>(square_col.size());
    } else if (o.power == 2) {
      out.note = "fsai: a row of A^2 has too many elements: the factor has the pattern of A";
    }

    buffer<char> stays = this->template allocated<char>(from_nonzeros);
    buffer<index> row_ptr = this->template allocated<index>(n + 1);
    loops.warps(
        n, sequences::rows_per_thread,
        choose_elements{from, squared ? nullptr : root.data(), stays.data(), row_ptr.data()});
    loops.sums_before(row_ptr.data(), row_ptr.data(), n);
    const index nonzeros = fetched(row_ptr.data() + n);
    buffer<index> col = this->template allocated<index>(nonzeros);
    buffer<double> val = this->template allocated<double>(nonzeros);
    loops.items(n, sequences::rows_per_thread,
                fill_pattern{from.row_ptr, from.col, stays.data(), row_ptr.data(), col.data()});
    buffer<index> not_definite(where, 1);
    loops.warps(n, systems_per_thread,
                solve_rows<Workspace>{a, root.data(), unit_root, row_ptr.data(), col.data(),
                                      val.data(), not_definite.data()});
    if (const index rows = fetched(not_definite.data()); rows > 0)
      out.note += (out.note.empty() ? "fsai: " : "; ") + std::to_string(rows) +
                  (rows == 1 ? " row has" : " rows have") +
                  " the diagonal alone: the matrix is not positive definite there";

    const auto turned = this->transpose(n, nonzeros, row_ptr.data(), col.data());
    sequences::linker link(where, n, 2);
    link.add(this->slices(n, nonzeros, row_ptr.data(), col.data(), val.data()), link.vector(0),
             link.vector(1));
    link.end_phase();
    link.begin_part();
    link.add(
        slicing::put_in_slices(loops, where,
                               sequences::column_slices{turned.begin_of.data(), turned.entry.data(),
                                                        turned.row_of.data(), val.data()},
                               n, static_cast<double>(nonzeros)),
        link.vector(1), nullptr);
    link.end_phase();
    out.products = link.take();
    out.parts = {{"G", n, nonzeros}, {"G^T", n, nonzeros}};
    return out;
  }

 private:
  /// The pattern of A^2, with the sums of magnitudes in units of the diagonal; false: a row has
  /// more elements than a table holds.
  bool square(const rows_f64& a, const double* root, buffer<index>& row_ptr, buffer<index>& col,
              buffer<double>& val) {
    const scaled_magnitudes both{a, root};
    row_ptr = this->template allocated<index>(a.rows + 1);
    buffer<index> longest(where, 1);
    loops.warps(a.rows, sequences::rows_per_thread,
                amg::count_columns<Table, scaled_magnitudes, scaled_magnitudes>{
                    both, both, row_ptr.data(), longest.data()});
    const index most = fetched(longest.data());
    if (most > Table::most) return false;
    amg::check_counted_product("fsai", loops, a.rows, most, row_ptr.data());
    loops.sums_before(row_ptr.data(), row_ptr.data(), a.rows);
    const index nonzeros = fetched(row_ptr.data() + a.rows);
    col = this->template allocated<index>(nonzeros);
    val = this->template allocated<double>(nonzeros);
    loops.warps(a.rows, sequences::rows_per_thread,
                amg::fill_columns<Table, scaled_magnitudes, scaled_magnitudes, amg::put_sums>{
                    both, both, row_ptr.data(), col.data(), {val.data()}});
    return true;
  }
};

}  // namespace dwell::fsai
