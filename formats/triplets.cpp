// SPDX-License-Identifier: MIT
// Triplets to CSR: the range of every index is checked here, the work is done by the assembly.
#include "dwell/formats/triplets.hpp"

#include <fmt/format.h>

#include "dwell/formats/assemble.hpp"

namespace dwell {
namespace {

template <class T>
struct triplet_source {
  const triplets<T>& t;

  std::int64_t size() const { return static_cast<std::int64_t>(t.row.size()); }

  template <class F>
  void visit(std::int64_t begin, std::int64_t end, F&& f) const {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      const index r = t.row[k], c = t.col[k];
      if (r < 0 || r >= t.rows || c < 0 || c >= t.cols)
        throw input_error(fmt::format(
            "triplets: entry {}: expected an index in a matrix of {} x {}, found row {}, column {} "
            "(counted from 0)",
            k, t.rows, t.cols, r, c));
      f(r, c, t.val[k]);
    }
  }
};

}  // namespace

template <class T>
csr<T> to_csr(const triplets<T>& t, int threads) {
  if (t.rows < 0 || t.cols < 0)
    throw input_error(fmt::format(
        "triplets: expected sizes of 0 or more, found {} rows and {} columns", t.rows, t.cols));
  if (t.row.size() != t.col.size() || t.row.size() != t.val.size())
    throw input_error(
        fmt::format("triplets: expected as many rows as columns and values, found {}, {} and {}",
                    t.row.size(), t.col.size(), t.val.size()));
  const triplet_source<T> source{t};
  return detail::assembly<T, triplet_source<T>>(t.rows, t.cols, source, detail::mirror::none,
                                                threads)
      .run();
}

template csr<float> to_csr(const triplets<float>&, int);
template csr<double> to_csr(const triplets<double>&, int);

}  // namespace dwell
