// SPDX-License-Identifier: MIT
// libFuzzer target of the Matrix Market reader: any bytes give a sound matrix or an input_error of
// one line, and the same with one thread as with three.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "dwell/base/error.hpp"
#include "dwell/formats/matrix_market.hpp"

namespace {

struct outcome {
  dwell::csr<double> matrix;
  std::string error;
};

outcome read(const std::uint8_t* bytes, std::size_t size, int threads) {
  outcome out;
  try {
    const auto* text = reinterpret_cast<const char*>(bytes);
    out.matrix = dwell::parse_matrix_market({text, size}, "input.mtx", threads).matrix;
    dwell::check(out.matrix.view());  // escapes as an error if the reader let something through
  } catch (const dwell::input_error& e) {
    out.error = e.what();
  }
  return out;
}

bool same(const outcome& a, const outcome& b) {
  const auto &m = a.matrix, &n = b.matrix;
  return a.error == b.error && m.rows == n.rows && m.cols == n.cols && m.row_ptr == n.row_ptr &&
         m.col == n.col &&
         (m.val.empty() ||
          std::memcmp(m.val.data(), n.val.data(), m.val.size() * sizeof(double)) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const outcome one = read(bytes, size, 1), three = read(bytes, size, 3);
  const bool told_where = one.error.empty() || one.error.starts_with("input.mtx:");
  if (!same(one, three) || !told_where || one.error.find('\n') != std::string::npos) std::abort();
  return 0;
}
