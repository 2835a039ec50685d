// SPDX-License-Identifier: MIT
// Formulas as text: what they mean, and what is refused, with its place.
#include "dwell/stencil/formulas.hpp"

#include <gtest/gtest.h>

#include <string>

namespace dwell::test {
namespace {

stencil_definition read(const std::vector<std::string>& stages, int dims = 0) {
  return parse_formulas({"one", dims, {"u", "v"}, {"c"}, {"r"}, stages});
}
/// The formulas as described, without the lines before them.
std::string formulas_of(const std::string& stage, int dims = 2) {
  const std::string all = read({stage + "\nv = -v"}, dims).describe();
  const auto from = all.find("step\n") + 5;
  return all.substr(from, all.find("  v =") - from);
}

TEST(StencilFormulas, BindAsInPython) {
  const std::pair<const char*, const char*> cases[] = {
      {"u = u + v * c", "  u = u[0,0] + (v[0,0] * c[0,0])\n"},
      {"u = (u + v) * c - r / v / 2", "  u = ((u[0,0] + v[0,0]) * c[0,0]) - ((r / v[0,0]) / 2)\n"},
      {"u = u - v - c", "  u = (u[0,0] - v[0,0]) - c[0,0]\n"},
      {"u = -u * v", "  u = -u[0,0] * v[0,0]\n"},
      {"u = -u ** 2", "  u = -(u[0,0] * u[0,0])\n"},
      {"u = u ** 3 + 2 ** -1", "  u = ((u[0,0] * u[0,0]) * u[0,0]) + 0.5\n"},
      {"u = u * (-5 / 2 + 1.5e1)", "  u = u[0,0] * 12.5\n"},
      {"u = where((u < v) & ~(c >= r) | (u == 1), max(u, 2), fma(u, v, c))",
       "  u = where(((u[0,0] < v[0,0]) and not (c[0,0] >= r)) or (u[0,0] == 1), max(u[0,0], 2), "
       "fma(u[0,0], v[0,0], c[0,0]))\n"},
      {"a = u[0, 1]  # a part\nu = a + a[1, -1] + (u * r)[-1, 0]",
       "  u = (u[0,1] + u[1,0]) + (u[-1,0] * r)\n"},
      {"u = (u +\n  v\n)", "  u = u[0,0] + v[0,0]\n"},
  };
  for (const auto& [text, wanted] : cases) EXPECT_EQ(formulas_of(text), wanted) << text;
}

TEST(StencilFormulas, TakeStagesAndTheNumberOfAxes) {
  const auto d = read({"u = u[1] - v; v = u", "v = v + r * u[-1]"});
  EXPECT_EQ(d.dims(), 1);
  ASSERT_EQ(d.tape().stages.size(), 2u);
  EXPECT_EQ(d.tape().stages[0].size(), 2u);
  EXPECT_EQ(d.tape().stages[1].size(), 1u);
  EXPECT_EQ(read({"u = v\nv = u * u"}, 3).dims(), 3);
  // Equal expressions are one node.
  EXPECT_EQ(read({"u = u[0, 1] * v + u[0, 1] * v\nv = v * 2"}).tape().nodes.size(), 6u);
}

TEST(StencilFormulas, RefuseWithThePlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"u = u +", "line 1, column 8: expected a number, a name or '(', found the line's end"},
      {"v = v\n  u = w", "line 2, column 7: expected a name that is known, found 'w'"},
      {"u = cc * u",
       "line 1, column 5: expected a name that is known, found 'cc'; did you mean 'c'?"},
      {"u = sqr(u)",
       "line 1, column 5: expected a function that is known, found 'sqr'; did you mean "
       "'sqrt'?"},
      {"u = u[1, 0] + v[0, -5]",
       "line 1, column 16: expected neighbours at most 4 away in 2-D, found 5"},
      {"u = (u[3, 0] * 2)[2, 0]",
       "line 1, column 18: expected neighbours at most 4 away in 2-D, found 5"},
      {"u = u[1, 0] + v[1]", "line 1, column 16: expected an offset for each of 2 axes, found 1"},
      {"u = (u + v[3, 0])[2, 0]",
       "line 1, column 18: expected neighbours at most 4 away in 2-D, found 5"},
      {"u = u[0.5, 1]", "line 1, column 7: expected a whole number of cells, found '0.5'"},
      {"u = u ** v", "line 1, column 7: expected a whole number from -64 to 64 as exponent"},
      {"u = u < v",
       "line 1, column 5: u: expected a number, found a condition: where() makes a "
       "number of it"},
      {"u = 1 < u < 2",
       "line 1, column 11: expected one comparison: put each in parentheses, with & "
       "between"},
      {"u = u & v", "line 1, column 7: expected a condition, found a number"},
      {"u = where(u, 1, 2)", "line 1, column 11: expected a condition, found a number"},
      {"u = min(u)", "line 1, column 5: min: expected 2 operands, found 1"},
      {"u = (u", "line 1, column 7: expected ')', found the line's end"},
      {"u = u u", "line 1, column 7: expected an operator or the line's end, found 'u'"},
      {"u = u\nu = v", "line 2, column 1: expected each field once, found 'u' again"},
      {"a = u\na = v", "line 2, column 1: expected each name once, found 'a' again"},
      {"c = u", "line 1, column 1: expected a field or a new name, found 'c'"},
      {"3 = u", "line 1, column 1: expected NAME = EXPRESSION, found '3'"},
      {"u : u", "line 1, column 3: expected a formula, found ':'"},
      {"u = 1.5x", "line 1, column 5: expected a number, found '1.5'"},
      {"u = 1 / 0 * u", "line 1, column 7: expected a finite number"},
      {"a = u", "line 1, column 6: expected a new value of a field, found none"},
  };
  for (const auto& [text, wanted] : cases) try {
      read({text}, 2);
      ADD_FAILURE() << text << ": was taken";
    } catch (const formula_error& e) {
      EXPECT_EQ(std::string(e.what()), wanted) << text;
    }
  EXPECT_THROW(read({"u = u * 2; v = u"}), input_error);                                 // dims
  EXPECT_THROW(read({"u = u[5, 0]; v = u"}), input_error);                               // radius
  EXPECT_THROW(read({std::string("u = ") + std::string(5000, '(')}, 2), formula_error);  // depth
  std::string deep = "u = u";
  for (int k = 0; k < 3000; ++k) deep += " + u * " + std::to_string(k);
  EXPECT_THROW(read({deep}, 2), input_error);
  EXPECT_THROW(parse_formulas({"one", 2, {"min"}, {}, {}, {"min = 1"}}), input_error);
}

}  // namespace
}  // namespace dwell::test
