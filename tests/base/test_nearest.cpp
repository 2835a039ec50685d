// SPDX-License-Identifier: MIT
// What is suggested for a word that is not known, and what is not.
#include "dwell/base/nearest.hpp"

#include <gtest/gtest.h>

namespace dwell {
namespace {

using strings = std::vector<std::string>;

const std::vector<std::string_view> words = {"cg",     "stencil", "compare", "explain",
                                             "rtol",   "atol",    "output",  "iterations",
                                             "greedy", "2d5pt",   "2d9pt"};

TEST(nearest, one_slip) {
  EXPECT_EQ(nearest("cgg", words), strings{"cg"});
  EXPECT_EQ(nearest("gc", words), strings{"cg"}) << "two letters that changed places";
  EXPECT_EQ(nearest("CG", words), strings{"cg"}) << "capitals";
  EXPECT_EQ(nearest("ouput", words), strings{"output"});
  EXPECT_EQ(nearest("outputt", words), strings{"output"});
  EXPECT_EQ(nearest("autput", words), strings{"output"});
}

TEST(nearest, all_that_are_equally_near_in_their_order) {
  EXPECT_EQ(nearest("tol", words), (strings{"rtol", "atol"}));
  EXPECT_EQ(nearest("2d7pt", words), (strings{"2d5pt", "2d9pt"}));
  EXPECT_EQ(nearest("2d9p", words), strings{"2d9pt"}) << "the nearest alone";
  const std::vector<std::string_view> many = {"a1", "a2", "a3", "a4"};
  EXPECT_EQ(nearest("a0", many), (strings{"a1", "a2", "a3"}));
}

TEST(nearest, slips_are_bounded_by_the_length_of_the_word) {
  EXPECT_EQ(nearest("stncl", words), strings{}) << "two in five letters";
  EXPECT_EQ(nearest("stncil", words), strings{"stencil"});
  EXPECT_EQ(nearest("comparing", words), strings{"compare"}) << "three in nine";
  EXPECT_EQ(nearest("x", words), strings{});
  EXPECT_EQ(nearest("", words), strings{});
  EXPECT_EQ(nearest("hoard", words), strings{});
  EXPECT_EQ(nearest(std::string(1000000, 'c'), words), strings{});
  EXPECT_EQ(nearest("abcdefghijklmnopqrst", std::vector<std::string_view>{"abcdefghijklmnop"}),
            strings{})
      << "four, whatever the length";
}

TEST(nearest, a_beginning_or_an_end_where_nothing_is_near) {
  EXPECT_EQ(nearest("iter", words), strings{"iterations"});
  EXPECT_EQ(nearest("ations", words), strings{"iterations"});
  EXPECT_EQ(nearest("it", words), strings{}) << "two letters say too little";
}

TEST(nearest, as_the_end_of_a_message) {
  EXPECT_EQ(found_word("gredy", words), "'gredy'; did you mean 'greedy'?");
  EXPECT_EQ(found_word("tol", words), "'tol'; did you mean 'rtol' or 'atol'?");
  EXPECT_EQ(found_word("hoard", strings{"none"}), "'hoard'");
  const char* const letters[] = {"a1", "a2", "a3"};
  EXPECT_EQ(found_word("a0", letters), "'a0'; did you mean 'a1', 'a2' or 'a3'?");
}

}  // namespace
}  // namespace dwell
