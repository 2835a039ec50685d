// SPDX-License-Identifier: MIT
// What solve() refuses before any work, and that its message names the place: the row or the pair
// of indices, the option and its value, the executors that exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <limits>

#include "cg_runner.hpp"
#include "dwell/base/error.hpp"
#include "plain_options.hpp"

namespace dwell::test {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

class refusals : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  linear_system<double> s{"mesh", mesh(7, 5, 4.5), std::vector<double>(35, 1.0)};
  solve_options options = plain_options();

  double& at(index i, index j) {
    for (index k = s.a.row_ptr[static_cast<std::size_t>(i)];
         k < s.a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (s.a.col[static_cast<std::size_t>(k)] == j) return s.a.val[static_cast<std::size_t>(k)];
    throw std::out_of_range("not stored");
  }

  void erase(index i, index j) {
    for (index k = s.a.row_ptr[static_cast<std::size_t>(i)];
         k < s.a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (s.a.col[static_cast<std::size_t>(k)] == j) {
        s.a.col.erase(s.a.col.begin() + k);
        s.a.val.erase(s.a.val.begin() + k);
        for (auto r = static_cast<std::size_t>(i) + 1; r < s.a.row_ptr.size(); ++r)
          --s.a.row_ptr[r];
        return;
      }
    throw std::out_of_range("not stored");
  }

  /// The one-line message of the error that a solve ends with; x must be untouched. "" if it
  /// solved.
  template <class Error = input_error>
  std::string refusal() {
    std::vector<double> x(s.b.size(), 0.5);
    const std::vector<double> before = x;
    try {
      (void)solve(place::where(), s.a.view(), std::span<const double>(s.b), std::span<double>(x),
                  options);
    } catch (const Error& e) {
      EXPECT_TRUE(same_bits(x, before)) << "x was changed";
      const std::string message = e.what();
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      EXPECT_FALSE(message.empty());
      return message;
    }
    return {};
  }
};

/// Does `word` stand in `text` by itself, letter case aside?
bool has_word(std::string text, std::string word) {
  const auto lower = [](std::string& t) {
    std::transform(t.begin(), t.end(), t.begin(), [](unsigned char c) { return std::tolower(c); });
  };
  lower(text);
  lower(word);
  const auto inside = [&](std::size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i]));
  };
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if (!(at > 0 && inside(at - 1)) && !inside(at + word.size())) return true;
  return false;
}

testing::AssertionResult names(const std::string& message,
                               std::initializer_list<std::string> words) {
  if (message.empty()) return testing::AssertionFailure() << "it was not refused";
  for (const std::string& w : words)
    if (!has_word(message, w))
      return testing::AssertionFailure() << "'" << w << "' is not named: " << message;
  return testing::AssertionSuccess();
}

/// Indices may be told 0-based or 1-based, as long as they are told.
testing::AssertionResult names_place(const std::string& message,
                                     std::initializer_list<index> zero_based) {
  for (const index base : {0, 1}) {
    bool all = true;
    for (const index i : zero_based) all = all && names(message, {std::to_string(i + base)});
    if (all) return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "the place is not named: '" << message << "'";
}

TEST_F(refusals, accepts_the_system_that_the_others_spoil) {
  std::vector<double> x(s.b.size());
  EXPECT_EQ(
      solve(place::where(), s.a.view(), std::span<const double>(s.b), std::span<double>(x)).stopped,
      stop_reason::converged);
}

TEST_F(refusals, not_square) {
  s.a.cols = 36;
  EXPECT_TRUE(names(refusal(), {"35", "36"}));
}

TEST_F(refusals, not_symmetric_in_a_value) {
  at(16, 17) = -1.5;
  EXPECT_TRUE(names_place(refusal(), {16, 17}));
  options.assume_symmetric = true;
  EXPECT_EQ(refusal(), "");
}

TEST_F(refusals, not_symmetric_in_its_pattern) {
  for (const auto& [i, j] : {std::pair<index, index>{24, 17}, {17, 24}}) {
    s.a = mesh(7, 5, 4.5);
    erase(i, j);
    EXPECT_TRUE(names_place(refusal(), {17, 24}));
  }
}

TEST_F(refusals, symmetry_allows_for_rounding) {
  at(16, 17) = -1 + 1e-13;
  EXPECT_EQ(refusal(), "");
  at(16, 17) = -1 + 1e-10;
  EXPECT_TRUE(names_place(refusal(), {16, 17}));
  // The measure is the diagonal, not the value itself: rounding of 1 beside diagonals of 1e6.
  s.a = mesh(7, 5, 4.5e6);
  at(16, 17) = -1 + 1e-7;
  EXPECT_EQ(refusal(), "");
  // A zero that is stored on one side only is no difference.
  s.a = mesh(7, 5, 4.5);
  at(16, 17) = 0;
  erase(17, 16);
  EXPECT_EQ(refusal(), "");
}

TEST_F(refusals, zero_diagonal) {
  at(23, 23) = 0;
  EXPECT_TRUE(names_place(refusal(), {23}));
}

TEST_F(refusals, negative_diagonal) {
  at(34, 34) = -4;
  EXPECT_TRUE(names_place(refusal(), {34}));
  options.assume_symmetric = true;
  EXPECT_TRUE(names_place(refusal(), {34}));
}

TEST_F(refusals, missing_diagonal) {
  erase(29, 29);
  EXPECT_TRUE(names_place(refusal(), {29}));
}

TEST_F(refusals, empty_row) {
  for (const index i : {0, 18, 34}) {
    s.a = mesh(7, 5, 4.5);
    const csr<double> whole = s.a;
    for (index j = 0; j < 35; ++j)
      for (const auto& [r, c] : {std::pair{i, j}, std::pair{j, i}}) try {
          erase(r, c);
        } catch (const std::out_of_range&) {
        }
    ASSERT_EQ(s.a.row_ptr[static_cast<std::size_t>(i)],
              s.a.row_ptr[static_cast<std::size_t>(i) + 1]);
    EXPECT_TRUE(names_place(refusal(), {i}));
  }
}

TEST_F(refusals, values_that_are_not_finite) {
  for (const double bad : {nan_value, infinity, -infinity}) {
    s.a = mesh(7, 5, 4.5);
    at(19, 20) = at(20, 19) = bad;
    EXPECT_TRUE(names_place(refusal(), {19}));
    s.a = mesh(7, 5, 4.5);
    at(21, 21) = bad;
    EXPECT_TRUE(names_place(refusal(), {21}));

    s.a = mesh(7, 5, 4.5);
    s.b[13] = bad;
    EXPECT_TRUE(names_place(refusal(), {13}));
    s.b[13] = 1;

    std::vector<double> x(35, 0.0);
    x[27] = bad;
    try {
      (void)solve(place::where(), s.a.view(), std::span<const double>(s.b), std::span<double>(x));
      ADD_FAILURE() << "a start vector with " << bad << " was accepted";
    } catch (const input_error& e) {
      EXPECT_TRUE(names_place(e.what(), {27}));
    }
  }
}

TEST_F(refusals, structure_that_is_not_csr) {
  s.a.col[40] = 35;
  EXPECT_NE(refusal(), "") << "column out of range";
  s.a = mesh(7, 5, 4.5);
  s.a.col[40] = -1;
  EXPECT_NE(refusal(), "") << "negative column";
  s.a = mesh(7, 5, 4.5);
  std::swap(s.a.col[1], s.a.col[2]);
  EXPECT_NE(refusal(), "") << "columns that do not ascend";
  s.a = mesh(7, 5, 4.5);
  std::swap(s.a.row_ptr[10], s.a.row_ptr[11]);
  EXPECT_TRUE(names_place(refusal(), {10})) << "row pointers that descend";
}

TEST_F(refusals, wrong_sizes) {
  s.b.push_back(1);
  EXPECT_TRUE(names(refusal(), {"35", "36"})) << "b too long";
  s.b.resize(34);
  EXPECT_TRUE(names(refusal(), {"34", "35"})) << "b too short";
  s.b.resize(35, 1.0);
  std::vector<double> x(33);
  try {
    (void)solve(place::where(), s.a.view(), std::span<const double>(s.b), std::span<double>(x));
    ADD_FAILURE() << "x too short was accepted";
  } catch (const input_error& e) {
    EXPECT_TRUE(names(e.what(), {"33", "35"}));
  }
}

TEST_F(refusals, unknown_executor) {
  options.executor = "gauss-seidel";
  const std::string message = refusal();
  EXPECT_TRUE(names(message, {"gauss-seidel"}));
  for (const std::string& e : place::executors()) EXPECT_TRUE(names(message, {e}));
  options.executor = "";
  EXPECT_NE(refusal(), "");
  options.executor = "Persistent";
  EXPECT_NE(refusal(), "");
}

TEST_F(refusals, graph_needs_cuda) {
  if (place::on() != backend::cpu) GTEST_SKIP() << "this place has it";
  options.executor = "graph";
  const std::string message = refusal<unsupported_error>();
  EXPECT_TRUE(names(message, {"graph"}));
  EXPECT_TRUE(names(message, {"cpu"})) << message;
}

TEST_F(refusals, options_out_of_range) {
  const auto refused = [&](const char* what, const std::function<void(solve_options&)>& spoil) {
    options = plain_options();
    spoil(options);
    EXPECT_NE(refusal(), "") << what;
  };
  refused("rtol < 0", [](solve_options& o) { o.rtol = -1e-8; });
  refused("rtol nan", [](solve_options& o) { o.rtol = nan_value; });
  refused("rtol infinite", [](solve_options& o) { o.rtol = infinity; });
  refused("atol < 0", [](solve_options& o) { o.atol = -1; });
  refused("atol nan", [](solve_options& o) { o.atol = nan_value; });
  refused("atol infinite", [](solve_options& o) { o.atol = infinity; });
  refused("max_iterations < 0", [](solve_options& o) { o.max_iterations = -1; });
  refused("teams < 0", [](solve_options& o) { o.teams = -2; });
  refused("config that does not exist", [](solve_options& o) { o.config = 999; });
  refused("config < -1", [](solve_options& o) { o.config = -5; });
}

TEST_F(refusals, devices_that_are_not_there) {
  EXPECT_THROW((void)device::cpu(-1), input_error);
  EXPECT_THROW((void)device::cuda(9999), device_error);
  EXPECT_THROW((void)device::cuda(-1), error);
}

TEST_F(refusals, f32_checks_as_well) {
  linear_system<float> single{"f32", {}, std::vector<float>(35, 1)};
  single.a = convert<float>(s.a.view());
  solve_options loose = plain_options();
  loose.rtol = 1e-5;
  EXPECT_EQ(run(single, loose).report.stopped, stop_reason::converged);
  auto spoiled = single;
  spoiled.a.val[1] *= 1.01f;
  EXPECT_THROW(run(spoiled, {}), input_error);
  spoiled = single;
  spoiled.b[3] = std::numeric_limits<float>::infinity();
  EXPECT_THROW(run(spoiled, {}), input_error);
  spoiled = single;
  spoiled.a.val[0] = 0;
  EXPECT_THROW(run(spoiled, {}), input_error);
}

TEST_F(refusals, no_rows_is_not_a_crash) {
  s = {"empty", {}, {}};
  try {
    EXPECT_EQ(run(s, options).report.iterations, 0);
  } catch (const input_error& e) {
    EXPECT_STRNE(e.what(), "");
  }
}

}  // namespace
}  // namespace dwell::test
