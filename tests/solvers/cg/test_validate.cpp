// SPDX-License-Identifier: MIT
// The checks of a system where its arrays are, beside plain ones: sound and broken matrices, the
// pass of a CPU and the steps of a GPU, which the host can run, too. Linked again into the tests of
// a GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "battery.hpp"
#include "dwell/base/error.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "dwell/execution/team/setup_cpu.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/check/validating.hpp"
#include "place.hpp"
#include "plain_validation.hpp"

namespace dwell::test {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

void expect_same(const system_facts& found, const system_facts& expected, const char* by) {
  ASSERT_EQ(found.sound, expected.sound) << by;
  if (!expected.sound) return;
  EXPECT_EQ(found.symmetric, expected.symmetric) << by;
  EXPECT_EQ(found.positive_diagonal, expected.positive_diagonal) << by;
  EXPECT_EQ(found.full_diagonal, expected.full_diagonal) << by;
  EXPECT_EQ(found.exponent, expected.exponent) << by;
  EXPECT_EQ(found.zero_row_sums, expected.zero_row_sums) << by;
  EXPECT_EQ(found.rows_with_positive, expected.rows_with_positive) << by;
  EXPECT_EQ(found.least_diagonal, expected.least_diagonal) << by;
  EXPECT_EQ(found.most_diagonal, expected.most_diagonal) << by;
}

template <class T>
bool refused(const csr<T>& a, bool assume_symmetric) {
  try {
    check_system(a.view(), {.look_for_symmetry = !assume_symmetric});
  } catch (const input_error&) {
    return true;
  }
  return false;
}

/// The arrays of `a`, however broken, where the device reads them; row_ptr and col may disagree.
template <class T>
system_facts validated(const csr<T>& a, bool check_symmetry) {
  const device where = place::where();
  const auto row_ptr = buffer<index>::copy_of(where, a.row_ptr);
  const auto col = buffer<index>::copy_of(where, a.col);
  const auto val = buffer<T>::copy_of(where, a.val);
  return validate(where,
                  csr_arrays<T>{a.rows, a.cols, static_cast<index>(a.col.size()), row_ptr.data(),
                                col.data(), val.data()},
                  check_symmetry);
}

template <class T>
void check(const csr<T>& a) {
  for (const bool symmetry : {true, false}) {
    const system_facts expected = plainly(a, symmetry);
    expect_same(validated(a, symmetry), expected, "examine()");
    const std::vector<std::int64_t> in_64_bits(a.row_ptr.begin(), a.row_ptr.end());
    const device host = device::cpu(2);
    for (const row_starts& row_ptr :
         {row_starts(a.row_ptr.data()), row_starts(in_64_bits.data())}) {
      const large_csr_arrays<T> here(a.rows, a.cols, static_cast<index>(a.col.size()), row_ptr,
                                     a.col.data(), a.val.data());
      expect_same(
          validating::validate_with<cpu::setup_loops>(host, here, symmetry, symmetry_tolerance<T>),
          expected, "the steps of a GPU, on the host");
      expect_same(validate(host, here, symmetry), expected, "the pass of a CPU");
    }
    if (a.row_ptr.back() == static_cast<index>(a.col.size())) {
      EXPECT_EQ(refused(a, !symmetry), !expected.is(matrix_class::positive_definite));
    }
  }
}

class validated_battery : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = place::absent(); !why.empty()) GTEST_SKIP() << why;
  }
};
class validated_matrix : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = place::absent(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_P(validated_battery, is_sound) {
  const csr<double> a = battery_at(GetParam()).build();
  check(a);
  check(convert<float>(a.view()));
  EXPECT_TRUE(validated(a, true).is(matrix_class::positive_definite));
}

INSTANTIATE_TEST_SUITE_P(battery, validated_battery, testing::ValuesIn(names_of_battery()),
                         [](const auto& info) { return info.param; });

struct change {
  const char* name;
  std::function<void(csr<double>&)> make;
};

std::size_t place_of(const csr<double>& a, index i, index j) {
  for (index k = a.row_ptr[static_cast<std::size_t>(i)];
       k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
    if (a.col[static_cast<std::size_t>(k)] == j) return static_cast<std::size_t>(k);
  throw std::out_of_range("not stored");
}
void erase(csr<double>& a, index i, index j) {
  const auto k = static_cast<std::ptrdiff_t>(place_of(a, i, j));
  a.col.erase(a.col.begin() + k);
  a.val.erase(a.val.begin() + k);
  for (auto r = static_cast<std::size_t>(i) + 1; r < a.row_ptr.size(); ++r) --a.row_ptr[r];
}
double& at(csr<double>& a, index i, index j) { return a.val[place_of(a, i, j)]; }

/// Changes to a mesh of 70 x 50.
std::vector<change> changes() {
  return {
      {"nothing", [](auto&) {}},
      {"row_ptr begins late", [](auto& a) { a.row_ptr[0] = 1; }},
      {"row_ptr begins early", [](auto& a) { a.row_ptr[0] = -7; }},
      {"row_ptr falls", [](auto& a) { a.row_ptr[1000] = 3; }},
      {"row_ptr leaps", [](auto& a) { a.row_ptr[1700] = 2000000000; }},
      {"row_ptr is negative", [](auto& a) { a.row_ptr[1700] = -2000000000; }},
      {"row_ptr ends late", [](auto& a) { ++a.row_ptr.back(); }},
      {"row_ptr ends early", [](auto& a) { --a.row_ptr.back(); }},
      {"column too large", [](auto& a) { a.col[place_of(a, 1234, 1235)] = 3500; }},
      {"column far too large", [](auto& a) { a.col.back() = 2147483647; }},
      {"column negative", [](auto& a) { a.col[place_of(a, 1234, 1164)] = -1; }},
      {"column most negative", [](auto& a) { a.col[0] = -2147483647 - 1; }},
      {"columns twice", [](auto& a) { a.col[place_of(a, 71, 72)] = 71; }},
      {"columns fall", [](auto& a) { std::swap(a.col[100], a.col[101]); }},
      {"not a number", [](auto& a) { at(a, 3000, 3001) = nan_value; }},
      {"infinite", [](auto& a) { at(a, 3000, 2999) = -infinity; }},
      {"infinite diagonal", [](auto& a) { at(a, 3499, 3499) = infinity; }},
      {"diagonal zero", [](auto& a) { at(a, 2000, 2000) = 0; }},
      {"diagonal negative", [](auto& a) { at(a, 0, 0) = -4; }},
      {"diagonal missing", [](auto& a) { erase(a, 3499, 3499); }},
      {"row empty",
       [](auto& a) {
         for (const index j : {930, 999, 1000, 1001, 1070}) erase(a, 1000, j);
       }},
      {"value differs above", [](auto& a) { at(a, 1000, 1001) = -1.5; }},
      {"value differs below", [](auto& a) { at(a, 1001, 1000) = -1.5; }},
      {"value differs by rounding", [](auto& a) { at(a, 1001, 1000) = -1 + 1e-13; }},
      {"value differs by a little more", [](auto& a) { at(a, 3001, 3000) = -1 + 1e-11; }},
      {"mirror missing above", [](auto& a) { erase(a, 2500, 2501); }},
      {"mirror missing below", [](auto& a) { erase(a, 2501, 2500); }},
      {"mirror missing far above", [](auto& a) { erase(a, 2500, 2570); }},
      {"mirror missing far below", [](auto& a) { erase(a, 2570, 2500); }},
      {"zero without mirror",
       [](auto& a) {
         at(a, 2570, 2500) = 0;
         erase(a, 2500, 2570);
       }},
      {"zero without mirror below",
       [](auto& a) {
         at(a, 2500, 2570) = 0;
         erase(a, 2570, 2500);
       }},
      {"tiny without mirror",
       [](auto& a) {
         at(a, 3, 4) = 3e-12;
         erase(a, 4, 3);
       }},
      {"not square", [](auto& a) { ++a.cols; }},
      {"large",
       [](auto& a) {
         for (double& v : a.val) v *= 0x1p900;
       }},
      {"small",
       [](auto& a) {
         for (double& v : a.val) v *= 0x1p-1030;
       }},
  };
}

TEST_F(validated_matrix, verdicts_are_those_of_plain_checks) {
  int sound = 0;
  for (const change& c : changes()) {
    SCOPED_TRACE(c.name);
    csr<double> a = mesh(70, 50, 4.5);
    c.make(a);
    sound += plainly(a, true).is(matrix_class::positive_definite);
    check(a);
  }
  EXPECT_EQ(sound, 7) << "nothing, rounding, three tolerated entries without mirror, two scales";
}

// Large enough for threads of the host: the mirror of an entry is in another thread's rows.
TEST_F(validated_matrix, verdicts_of_large_ones_are_those_of_plain_checks) {
  const csr<double> start = mesh(350, 301, 4.5);
  const index last = start.rows - 1, half = start.rows / 2;
  const std::vector<change> all = {
      {"nothing", [](auto&) {}},
      {"row_ptr falls", [=](auto& a) { a.row_ptr[static_cast<std::size_t>(last)] = 0; }},
      {"value in the middle", [=](auto& a) { at(a, half, half - 350) = -2; }},
      {"pattern in the middle", [=](auto& a) { erase(a, half - 350, half); }},
      {"pattern at the end", [=](auto& a) { erase(a, last, last - 1); }},
      {"rounding at the end", [=](auto& a) { at(a, last, last - 1) = -1 + 1e-13; }},
      {"column at the end", [](auto& a) { a.col.back() = 1 << 30; }}};
  for (const change& c : all) {
    SCOPED_TRACE(c.name);
    csr<double> a = start;
    c.make(a);
    check(a);
  }
  check(renumber(mesh(350, 301, 4.5).view(), renumbering(350 * 301, 3)));
}

TEST_F(validated_matrix, of_nothing_is_sound) {
  check(csr<double>{});
  EXPECT_EQ(validated(csr<double>{}, true).exponent, exponent_of_zero);
}

/// One random entry, column, value or row end changed at a time.
TEST_F(validated_matrix, verdicts_of_random_changes_are_those_of_plain_checks) {
  splitmix64 random(17);
  const csr<double> start = battery_at("power_law_1500").build();
  for (int k = 0; k < (sanitized ? 10 : 60); ++k) {
    csr<double> a = start;
    const auto at = static_cast<std::size_t>(random.below(a.nonzeros()));
    const index kind = random.below(4);
    if (kind == 0) a.col[at] += random.below(5) - 2;
    if (kind == 1) a.val[at] *= 1 + std::ldexp(1.0, -random.below(50));
    if (kind == 2) a.row_ptr[static_cast<std::size_t>(random.below(a.rows))] += random.below(5) - 2;
    if (kind == 3) a.val[at] = 0;
    SCOPED_TRACE(fmt::format("change {}, kind {}", k, kind));
    check(a);
    if (HasFatalFailure()) return;
  }
}

template <class T>
void check_inverse(const csr<T>& a, int exponent, bool magnitudes) {
  const device where = place::where();
  const placed_csr<T> placed(where, a.view());
  buffer<T> to(where, static_cast<std::size_t>(a.rows));
  invert_diagonal(where, placed.arrays(), exponent, magnitudes, to.data());
  std::vector<T> found(to.size());
  to.download(found);
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (a.col[static_cast<std::size_t>(k)] == i) {
        const T value = a.val[static_cast<std::size_t>(k)];
        const T expected =
            T(1) / static_cast<T>(std::ldexp(
                       static_cast<double>(magnitudes ? std::abs(value) : value), exponent));
        ASSERT_EQ(std::memcmp(&found[static_cast<std::size_t>(i)], &expected, sizeof(T)), 0)
            << "row " << i;
      }
}

TEST_F(validated_matrix, inverse_of_the_diagonal_is_that_of_loops) {
  for (const char* name : {"one_by_one", "ill_scaled", "power_law_1500", "dense_row_middle"})
    for (const int exponent : {0, 5, -90}) {
      csr<double> a = battery_at(name).build();
      for (std::size_t k = 0; k < a.val.size(); k += 3) a.val[k] = -a.val[k];
      for (const bool magnitudes : {false, true}) {
        check_inverse(a, exponent, magnitudes);
        check_inverse(convert<float>(a.view()), exponent, magnitudes);
      }
    }
}

TEST_F(validated_matrix, vectors_are_finite_and_have_a_magnitude) {
  const device where = place::where();
  const auto validated_in = [&](const std::vector<double>& v) {
    const auto there = buffer<double>::copy_of(where, v);
    return validate_vector(where, there.data(), static_cast<index>(v.size()));
  };
  EXPECT_TRUE(validated_in({}).finite);
  EXPECT_EQ(validated_in({}).exponent, exponent_of_zero);
  EXPECT_EQ(validated_in({0, -0.0}).exponent, exponent_of_zero);
  for (const index n : {1, 33, 1024, 200001}) {
    auto v = random_vector(n, 3);
    v[static_cast<std::size_t>(n / 2)] = -48;
    EXPECT_TRUE(validated_in(v).finite);
    EXPECT_EQ(validated_in(v).exponent, 5);
    for (const double bad : {nan_value, -nan_value, infinity, -infinity}) {
      v.back() = bad;
      EXPECT_FALSE(validated_in(v).finite);
    }
  }
  EXPECT_EQ(validated_in({-0x1p-1074}).exponent, -1074);
}

}  // namespace
}  // namespace dwell::test
