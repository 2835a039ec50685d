// SPDX-License-Identifier: MIT
// A header that lies about its counts does not make the reader allocate: every byte asked of
// operator new while a file is read is counted here. (An executable of its own: it replaces
// operator new.)
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "dwell/formats/matrix_market.hpp"
#include "scratch.hpp"

namespace {
std::atomic<std::size_t> asked_for = 0;
}  // namespace

// Not inlined, for GCC would then see free() called on what came from new.
[[gnu::noinline]] void* operator new(std::size_t n) {
  asked_for += n;
  if (void* p = std::malloc(n ? n : 1)) return p;
  throw std::bad_alloc();
}
void* operator new[](std::size_t n) { return operator new(n); }
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

namespace dwell {
namespace {

std::size_t bytes_to_read(const std::string& text) {
  const std::size_t before = asked_for;
  try {
    parse_matrix_market(text, "A.mtx", 2);
  } catch (const input_error&) {
  }
  return asked_for - before;
}

TEST(matrix_market_memory, a_header_that_lies_costs_nothing) {
  int files = 0;
  for (const auto& e :
       std::filesystem::directory_iterator(std::filesystem::path(DWELL_TEST_DATA) / "invalid"))
    if (e.path().filename().string().starts_with("lie_")) {
      ++files;
      EXPECT_LT(bytes_to_read(test::bytes_of(e.path())), std::size_t{1} << 20) << e.path();
    }
  EXPECT_GE(files, 5);
}

TEST(matrix_market_memory, the_most_rows_that_are_let_through_cost_a_few_megabytes) {
  const auto text = [](std::int64_t n) {
    return "%%MatrixMarket matrix coordinate real general\n" + std::to_string(n) + " 1 1\n1 1 1\n";
  };
  const std::int64_t most = (1 << 20) + 64;  // for one entry
  EXPECT_EQ(parse_matrix_market(text(most), "A", 1).matrix.rows, most);
  EXPECT_THROW(parse_matrix_market(text(most + 1), "A", 1), input_error);
  EXPECT_LT(bytes_to_read(text(most)), std::size_t{40} << 20);
}

TEST(matrix_market_memory, an_honest_file_costs_a_small_multiple_of_its_text) {
  std::string lines;
  for (int i = 1; i <= 20000; ++i) lines += std::to_string(i) + ' ' + std::to_string(i) + '\n';
  const std::string text =
      "%%MatrixMarket matrix coordinate pattern symmetric\n20000 20000 20000\n" + lines;
  EXPECT_LT(bytes_to_read(text), 12 * text.size());
}

}  // namespace
}  // namespace dwell
