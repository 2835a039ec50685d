// SPDX-License-Identifier: MIT
// The set-up of block Jacobi as a sequence of loops, for setup_loops of either backend. Included by
// the files that do it on one.
#pragma once
#include <limits>
#include <string>

#include "dwell/solvers/preconditioners/block_jacobi/block_jacobi.hpp"
#include "dwell/solvers/preconditioners/block_jacobi/steps.hpp"
#include "dwell/solvers/preconditioners/sequences/set_up.hpp"

namespace dwell::block_jacobi {

inline constexpr std::int64_t blocks_per_thread = 1 << 7;

/// Throw input_error: of a block whose first row is `row`, and of too many elements.
[[noreturn]] void refuse_block(index row, index size);
[[noreturn]] void refuse_size(index rows, index block_size);

template <class Loops>
class builder : sequences::set_up<Loops> {
  using base = sequences::set_up<Loops>;
  using base::fetched, base::loops, base::where;

 public:
  using base::base;

  template <class T>
  prepared_preconditioner build(const csr_arrays<T>& given, const preconditioner_options& o) {
    buffer<double> own_values;
    const rows_f64 a = this->take(given, own_values);
    const index n = a.rows;
    buffer<index> first;
    const index blocks = o.block_size > 0 ? cut_equally(n, o.block_size, first)
                                          : cut_by_columns(n, a.row_ptr, a.col, first);
    buffer<index> row_ptr = this->template allocated<index>(n + 1);
    buffer<block_facts> facts(where, 1);
    loops.items(blocks, sequences::rows_per_thread,
                measure_blocks{a, first.data(), row_ptr.data(), facts.data()});
    const block_facts found = fetched(facts.data());
    if (static_cast<std::int64_t>(n) * found.most > std::numeric_limits<index>::max())
      refuse_size(n, found.most);
    loops.sums_before(row_ptr.data(), row_ptr.data(), n);
    const index nonzeros = fetched(row_ptr.data() + n);
    buffer<index> col = this->template allocated<index>(nonzeros);
    buffer<double> val = this->template allocated<double>(nonzeros);
    this->with_workspaces(blocks, invert_blocks::workspace_for(found.most), blocks_per_thread,
                          [&](index first_block, const sequences::thread_workspaces& workspaces) {
                            return invert_blocks{
                                a,           first.data(), row_ptr.data(),
                                col.data(),  val.data(),   base::middle_of(found.size),
                                first_block, workspaces,   facts.data()};
                          });
    if (const index singular = fetched(facts.data()).singular; singular > 0)
      refuse_block(n - singular, fetched(row_ptr.data() + n - singular + 1) -
                                     fetched(row_ptr.data() + n - singular));

    prepared_preconditioner out;
    sequences::linker link(where, n, 1);
    link.add(this->slices(n, nonzeros, row_ptr.data(), col.data(), val.data()), link.vector(0),
             nullptr);
    link.end_phase();
    out.products = link.take();
    out.parts = {{std::to_string(blocks) + (blocks == 1 ? " block" : " blocks"), n, nonzeros}};
    return out;
  }

 private:
  index cut_equally(index n, index size, buffer<index>& first) {
    const index blocks = n / size + (n % size > 0);
    first = this->template allocated<index>(blocks + 1);
    loops.items(blocks + 1, sequences::rows_per_thread, begin_equal_blocks{n, size, first.data()});
    return blocks;
  }
  /// The first rows of what `begins` marks, and the number of rows; `begins` gets the sums before.
  index number(index n, buffer<index>& begins, buffer<index>& first) {
    loops.sums_before(begins.data(), begins.data(), n);
    const index all = fetched(begins.data() + n);
    first = this->template allocated<index>(all + 1);
    loops.items(n, sequences::rows_per_thread, find_firsts{begins.data(), first.data()});
    loops.once(sequences::set_one{first.data() + all, n});
    return all;
  }
  index cut_by_columns(index n, const index* row_ptr, const index* col, buffer<index>& first) {
    buffer<index> runs = this->template allocated<index>(n + 1),
                  blocks = this->template allocated<index>(n + 1);
    buffer<index> first_of_runs;
    loops.items(n, sequences::rows_per_thread, begin_runs{row_ptr, col, runs.data()});
    number(n, runs, first_of_runs);
    loops.items(n, sequences::rows_per_thread,
                begin_blocks{runs.data(), first_of_runs.data(), blocks.data()});
    return number(n, blocks, first);
  }
};

}  // namespace dwell::block_jacobi
