// SPDX-License-Identifier: MIT
// What every part of a hierarchy's set-up needs: memory, fetched values, and sparse products in
// tables of three sizes. For setup_loops and row_table of either backend; included by building.hpp.
#pragma once
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "dwell/device/device.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/solvers/preconditioners/amg/host_products.hpp"
#include "dwell/solvers/preconditioners/amg/product_size.hpp"
#include "dwell/solvers/preconditioners/amg/product_steps.hpp"
#include "dwell/solvers/preconditioners/amg/strength_steps.hpp"

namespace dwell::amg {

inline constexpr std::int64_t rows_per_thread = 1 << 13;

/// A matrix that the set-up has made.
struct made_matrix {
  index rows = 0;
  index nonzeros = 0;  ///< or, where rows have room to spare (row_end), the room
  index longest = 0;   ///< elements of a row, at most
  buffer<index> row_ptr, row_end, col;
  buffer<double> val, diagonal;
  graph view() const {
    const index* end = row_end.data();
    if (!end && row_ptr.data()) end = row_ptr.data() + 1;
    return {rows, row_ptr.data(), end, col.data(), val.data(), diagonal.data()};
  }
};

template <class Loops, template <int, int> class Table>
class multiplying {
 public:
  explicit multiplying(const device& where) : loops_(where), where_(where) {}

 protected:
  static constexpr bool on_host = requires { Loops::on_host; };
  template <class V>
  buffer<V> allocated(index n) {
    return {where_, static_cast<std::size_t>(n), fresh::unset};
  }
  template <class V>
  V fetched(const V* from) {
    V v;
    loops_.fetch(&v, from, sizeof v);
    return v;
  }

  /// left * right; false if a row has too many columns. Throws unsupported_error if all of them are
  /// more than 32 bits count. products: of a row, about; put(m): how its values are put. Tables of
  /// three sizes: of 8 lanes for short rows; the largest leaves room for few warps.
  template <class Left, class Right, class Put>
  bool multiply(index rows, double products, const Left& left, const Right& right, made_matrix& m,
                Put&& put) {
    if constexpr (on_host) return multiply_on_host(rows, left, right, m, put);
    constexpr double few = 48;
    return (products <= few && multiply_with<Table<128, 8>>(rows, left, right, m, put)) ||
           multiply_with<Table<512, 32>>(rows, left, right, m, put) ||
           multiply_with<Table<1024, 32>>(rows, left, right, m, put);
  }
  template <class Left, class Right, class Put>
  bool multiply_on_host(index rows, const Left& left, const Right& right, made_matrix& m,
                        const Put& put) {
    m.rows = rows;
    m.row_ptr = allocated<index>(rows + 1);
    std::vector<chunk_of_product> chunks;
    m.longest = sum_up_rows(loops_, rows, left, right, m.row_ptr.data(), chunks);
    if (m.longest > cpu::column_sums::most) return false;
    check_product_size("amg", rows, columns_of(chunks));
    loops_.sums_before(m.row_ptr.data(), m.row_ptr.data(), rows);
    m.nonzeros = m.row_ptr.data()[rows];
    m.col = allocated<index>(m.nonzeros);
    put_chunks(loops_, rows, chunks, m.row_ptr.data(), m.col.data(), put(m));
    return true;
  }
  template <class One, class Left, class Right, class Put>
  bool multiply_with(index rows, const Left& left, const Right& right, made_matrix& m, Put&& put) {
    m.rows = rows;
    m.row_ptr = allocated<index>(rows + 2);  // the last one: the longest row, for one fetch of both
    index* const found = m.row_ptr.data() + rows;
    loops_.zero(found + 1, sizeof(index));
    loops_.warps(rows, rows_per_thread,
                 count_columns<One, Left, Right>{left, right, m.row_ptr.data(), found + 1});
    if (may_be_too_many(rows, One::most)) {
      const index most = fetched(found + 1);
      if (most > One::most) return false;
      check_counted_product("amg", loops_, rows, most, m.row_ptr.data());
    }
    loops_.sums_before(m.row_ptr.data(), m.row_ptr.data(), rows);
    const auto [nonzeros, longest] = fetched(reinterpret_cast<const std::array<index, 2>*>(found));
    if (longest > One::most) return false;
    m.nonzeros = nonzeros;
    m.longest = longest;
    m.col = allocated<index>(m.nonzeros);
    const auto putting = put(m);
    loops_.warps(rows, rows_per_thread,
                 fill_columns<One, Left, Right, std::decay_t<decltype(putting)>>{
                     left, right, m.row_ptr.data(), m.col.data(), putting});
    return true;
  }
  /// A product of a known pattern.
  template <class Left, class Right, class Put>
  void multiply_again(double products, const Left& left, const Right& right, made_matrix& m,
                      const Put& put) {
    if constexpr (on_host) return sum_up_again(loops_, m.rows, left, right, m.row_ptr.data(), put);
    constexpr double few = 48;
    const auto fill = [&]<class One>(std::type_identity<One>) {
      loops_.warps(
          m.rows, rows_per_thread,
          fill_columns<One, Left, Right, Put>{left, right, m.row_ptr.data(), m.col.data(), put});
    };
    if (products <= few && m.longest <= Table<128, 8>::most)
      fill(std::type_identity<Table<128, 8>>{});
    else if (m.longest <= Table<512, 32>::most)
      fill(std::type_identity<Table<512, 32>>{});
    else
      fill(std::type_identity<Table<1024, 32>>{});
  }
  /// A product that is summed up once, into rows with room for all they may hold: m has its
  /// row_ptr or, in `begin`, somebody else's, its room as `nonzeros` and as `longest` a bound,
  /// which spares a wait for the device if it fits a table.
  template <class Left, class Right>
  bool multiply_in_room(double products, const Left& left, const Right& right, const index* begin,
                        made_matrix& m) {
    constexpr double few = 48;
    m.row_end = allocated<index>(m.rows);
    m.col = allocated<index>(m.nonzeros);
    m.val = allocated<double>(m.nonzeros);
    if constexpr (on_host) {
      m.longest = sum_up_in_room(loops_, m.rows, left, right, begin, m.row_end.data(), m.col.data(),
                                 m.val.data());
      return m.longest <= cpu::column_sums::most;
    }
    return (products <= few && multiply_in_room_with<Table<128, 8>>(left, right, begin, m)) ||
           multiply_in_room_with<Table<512, 32>>(left, right, begin, m) ||
           multiply_in_room_with<Table<1024, 32>>(left, right, begin, m);
  }
  template <class One, class Left, class Right>
  bool multiply_in_room_with(const Left& left, const Right& right, const index* begin,
                             made_matrix& m) {
    buffer<index> longest(where_, 1);
    loops_.warps(m.rows, rows_per_thread,
                 fill_room<One, Left, Right>{left, right, begin, m.row_end.data(), m.col.data(),
                                             m.val.data(), longest.data()});
    if (m.longest <= One::most) return true;
    const index found = fetched(longest.data());
    if (found > One::most) return false;
    m.longest = found;
    return true;
  }
  auto with_values() {
    return [this](made_matrix& m) {
      m.val = allocated<double>(m.nonzeros);
      return put_sums{m.val.data()};
    };
  }
  void find_diagonal_of(made_matrix& m) {
    if (m.diagonal.size() == 0) m.diagonal = allocated<double>(m.rows);
    loops_.items(m.rows, rows_per_thread, find_diagonal{m.view(), m.diagonal.data(), nullptr});
  }

  Loops loops_;
  device where_;
};

}  // namespace dwell::amg
