// SPDX-License-Identifier: MIT
// Arrays that share memory: an answer that overlaps what it is computed from is refused by name,
// in part or whole, before anything is read or written.
#include <gtest/gtest.h>

#include "cg_runner.hpp"
#include "dwell/base/error.hpp"

namespace dwell::test {
namespace {

class shared_memory : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  static constexpr std::size_t n = 35;
  csr<double> a = mesh(7, 5, 4.5);
  std::vector<double> room = std::vector<double>(2 * n, 1.0);

  std::string refusal(const csr_view<double>& matrix, std::span<const double> b,
                      std::span<double> x) {
    const std::vector<double> before(x.begin(), x.end());
    try {
      (void)solve(place::where(), matrix, b, x);
    } catch (const input_error& e) {
      EXPECT_TRUE(same_bits(before, std::vector<double>(x.begin(), x.end()))) << "x was changed";
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
      return e.what();
    }
    return {};
  }
  static bool names(const std::string& message, const char* array) {
    return message.find("overlaps") != std::string::npos &&
           message.find(array) != std::string::npos;
  }
};

TEST_F(shared_memory, answer_and_right_hand_side) {
  const std::span<double> all(room);
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}, n - 1}) {
    SCOPED_TRACE(at);
    EXPECT_TRUE(names(refusal(a.view(), all.subspan(0, n), all.subspan(at, n)), "right-hand side"));
    EXPECT_TRUE(names(refusal(a.view(), all.subspan(at, n), all.subspan(0, n)), "right-hand side"));
  }
  EXPECT_EQ(refusal(a.view(), all.subspan(0, n), all.subspan(n, n)), "") << "side by side is fine";
}

TEST_F(shared_memory, answer_and_matrix) {
  ASSERT_GE(a.val.size(), n);
  const std::vector<double> b(n, 1.0);
  const std::span<double> values(a.val);
  EXPECT_TRUE(names(refusal(a.view(), b, values.subspan(values.size() - n, n)), "val"));
  // Indices in the memory of x: where an index ends, a double ends too.
  csr_view<double> view = a.view();
  std::vector<double> x(n);
  auto* const words = reinterpret_cast<index*>(x.data());
  ASSERT_GE(2 * n, a.row_ptr.size());
  std::copy(a.row_ptr.begin(), a.row_ptr.end(), words);
  view.row_ptr = words;
  EXPECT_TRUE(names(refusal(view, b, x), "row_ptr"));
}

}  // namespace
}  // namespace dwell::test
