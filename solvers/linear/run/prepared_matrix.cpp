// SPDX-License-Identifier: MIT
// The count of the fill, from arrays that may be on a GPU.
#include "dwell/solvers/linear/run/prepared_matrix.hpp"

#include <cstddef>
#include <new>
#include <vector>

#include "dwell/base/error.hpp"

namespace dwell {

template <class T>
const counted_fill* prepared_matrix<T>::fill() {
  if (fill_ || fill_failed_) return known_fill();
  try {
    const csr_arrays<T> a = arrays().in_32_bits();
    if (!on_gpu()) {
      fill_ = count_fill({a.rows, a.row_ptr, a.col});
      return known_fill();
    }
    std::vector<index> row_ptr(static_cast<std::size_t>(a.rows) + 1),
        col(static_cast<std::size_t>(a.nonzeros));
    const auto& memory = memory_of(where().on());
    memory.download(where(), row_ptr.data(), a.row_ptr, row_ptr.size() * sizeof(index));
    memory.download(where(), col.data(), a.col, col.size() * sizeof(index));
    fill_ = count_fill({a.rows, row_ptr.data(), col.data()});
  } catch (const device_error&) {
    fill_failed_ = true;
  } catch (const std::bad_alloc&) {
    fill_failed_ = true;
  }
  return known_fill();
}

template const counted_fill* prepared_matrix<double>::fill();
template const counted_fill* prepared_matrix<float>::fill();

}  // namespace dwell
