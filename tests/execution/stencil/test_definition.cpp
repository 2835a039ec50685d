// SPDX-License-Identifier: MIT
// Definitions of stencils: what is refused and how, what is derived from a tape, and structs of
// C++.
#include "dwell/stencil/definition.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/stencil/fields/device_text.hpp"
#include "dwell/execution/stencil/fields/field_domain.hpp"
#include "dwell/execution/stencil/fields/field_stage.hpp"
#include "dwell/stencil/field_boundary.hpp"

namespace dwell::test {
namespace {

/// A tape with a field u, a coefficient c and a parameter p, in two dimensions: u = u[0,1] + c[0,0]
/// * p.
cell_tape small() {
  cell_tape t{"small", 2, {"u"}, {"c"}, {"p"}, {}, {}};
  t.nodes = {cell_node::tap(0, std::array{0, 1}), cell_node::tap(1, std::array{0, 0}),
             cell_node::parameter(0), cell_node::operation(cell_op::mul, 1, 2),
             cell_node::operation(cell_op::add, 0, 3)};
  t.stages = {{{0, 4}}};
  return t;
}

struct mistake {
  const char* found;  ///< in the message
  std::function<void(cell_tape&)> make;
};

TEST(StencilDefinition, EveryMistakeIsRefusedInOneLine) {
  const mistake mistakes[] = {
      {"identifier", [](auto& t) { t.name = "a b"; }},
      {"identifier", [](auto& t) { t.name = ""; }},
      {"identifier", [](auto& t) { t.name = "x\n*/ int evil;"; }},
      {"field: expected an identifier", [](auto& t) { t.fields[0] = "1u"; }},
      {"identifier", [](auto& t) { t.coefficients[0] = std::string(64, 'c'); }},
      {"'u' is there twice", [](auto& t) { t.parameters[0] = "u"; }},
      {"1, 2 or 3 dimensions, found 4", [](auto& t) { t.dims = 4; }},
      {"1 to 4 fields, found 0", [](auto& t) { t.fields.clear(); }},
      {"1 to 4 fields, found 5",
       [](auto& t) {
         t.fields = {"a", "b", "d", "e", "f"};
       }},
      {"0 to 8 coefficients, found 9",
       [](auto& t) { t.coefficients = {"a", "b", "d", "e", "f", "g", "h", "i", "j"}; }},
      {"0 to 32 parameters, found 33",
       [](auto& t) {
         for (int k = 0; k < 32; ++k) t.parameters.push_back("q" + std::to_string(k));
       }},
      {"at most 4096 nodes, found 4097", [](auto& t) { t.nodes.resize(4097); }},
      {"node 0: there are 2 arrays, found array 2", [](auto& t) { t.nodes[0].index = 2; }},
      {"node 0: there are 2 arrays, found array -1", [](auto& t) { t.nodes[0].index = -1; }},
      {"a tap may reach 4 cells in 2 dimensions, found 5",
       [](auto& t) {
         t.nodes[0].offset = {0, 0, 5};
       }},
      {"a tap may reach 0 cells",
       [](auto& t) {
         t.nodes[0].offset = {1, 0, 0};
       }},
      {"a tap may reach 4 cells in 3 dimensions, found -5",
       [](auto& t) {
         t.dims = 3, t.nodes[0].offset = {-5, 0, 0};
       }},
      {"node 2: there are 1 parameters, found parameter 1", [](auto& t) { t.nodes[2].index = 1; }},
      {"node 3 (mul): operands are nodes before it, found 3",
       [](auto& t) { t.nodes[3].operands[1] = 3; }},
      {"node 3 (mul): operands are nodes before it, found -1",
       [](auto& t) { t.nodes[3].operands[0] = -1; }},
      {"node 4 (add): operand 2 is to be a number", [](auto& t) { t.nodes[3].op = cell_op::less; }},
      {"node 3 (and): operand 1 is to be true or false",
       [](auto& t) { t.nodes[3].op = cell_op::logical_and; }},
      {"node 3 (where): operand 1 is to be true or false",
       [](auto& t) { t.nodes[3].op = cell_op::where; }},
      {"no such operation", [](auto& t) { t.nodes[3].op = static_cast<cell_op>(99); }},
      {"1 to 8 stages, found 0", [](auto& t) { t.stages.clear(); }},
      {"1 to 8 stages, found 9", [](auto& t) { t.stages.resize(9, t.stages[0]); }},
      {"stage 2 updates no field", [](auto& t) { t.stages.emplace_back(); }},
      {"stage 1: there are 1 fields, found field 1", [](auto& t) { t.stages[0][0].field = 1; }},
      {"stage 1 updates field 'u' twice",
       [](auto& t) {
         t.stages[0].push_back({0, 1});
       }},
      {"there are 5 nodes, found node 5", [](auto& t) { t.stages[0][0].node = 5; }},
      {"stage 1, field 'u': its value is to be a number",
       [](auto& t) { t.nodes[4].op = cell_op::less; }},
      {"no stage updates field 'v': make it a coefficient",
       [](auto& t) { t.fields.push_back("v"), t.nodes[1].index = 2; }},
      {"no stage updates field 'u': make it a coefficient",
       [](auto& t) { t.nodes[0].offset = {}, t.stages[0][0].node = 0; }},
  };
  EXPECT_NO_THROW(stencil_definition{small()});
  for (const mistake& m : mistakes) {
    cell_tape t = small();
    m.make(t);
    try {
      const stencil_definition made(t);
      ADD_FAILURE() << m.found << ": was taken";
    } catch (const input_error& e) {
      const std::string message = e.what();
      EXPECT_NE(message.find(m.found), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
  }
}

TEST(StencilDefinition, OperationsHaveNamesThatAreRead) {
  for (int k = 0; k <= static_cast<int>(cell_op::where); ++k) {
    const auto op = static_cast<cell_op>(k);
    EXPECT_EQ(parse_cell_op(to_string(op)), op);
  }
  try {
    parse_cell_op("sqr");
    ADD_FAILURE();
  } catch (const input_error& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'sqrt'"), std::string::npos) << e.what();
  }
}

TEST(StencilDefinition, SaysWhatItComputes) {
  const stencil_definition d(small());
  EXPECT_EQ(d.radius(), 1);
  EXPECT_EQ(d.flops(), 2);
  EXPECT_EQ(d.describe(),
            "small: 2 dimensions, radius 1, 2 operations per cell\n"
            "field: u\ncoefficient: c\nparameter: p\nstep\n  u = u[0,1] + (c[0,0] * p)\n");
}

TEST(StencilDefinition, WordsAndNumbersCannotBecomeTextForCompilers) {
  cell_tape usual = small();
  usual.nodes[2] = cell_node::constant(0.1);
  const auto text_of = [](const cell_tape& t) {
    const stencil_definition d(t);
    const std::array<std::int64_t, 2> size{30, 20};
    return d.source() +
           device_stencil_text(field_domain(d, checked_field_size(2, size), {field_boundary{}}));
  };
  const std::string text = text_of(usual);
  const std::vector<std::string> words = {"double", "__FILE__", "NULL", "asm",
                                          "main",   "dwell",    "tap",  "T"};
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto word = [&](std::size_t other) { return words[(k + other) % words.size()]; };
    cell_tape t = usual;
    t.name = word(0);
    t.fields[0] = word(1);
    t.coefficients[0] = word(2);
    t.parameters[0] = word(3);
    EXPECT_EQ(text_of(t), text) << words[k];
  }
  // A number is its digits, whatever its bits.
  std::mt19937_64 random(3);
  for (int k = 0; k < 2000; ++k) {
    const auto v = std::bit_cast<double>(random());
    if (!std::isfinite(v)) continue;
    cell_tape t = usual;
    t.nodes[2] = cell_node::constant(v);
    const std::string with = stencil_definition(t).source();
    const std::size_t at = with.find("T(");
    ASSERT_NE(at, std::string::npos) << with;
    char* end = nullptr;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(std::strtod(with.c_str() + at + 2, &end)),
              std::bit_cast<std::uint64_t>(v));
    EXPECT_EQ(*end, ')') << with;
  }
}

/// fields, outputs as {field, from, dx}: what is computed, where, and what is renamed.
field_stage stage_of(int fields, const std::vector<std::array<int, 3>>& outputs) {
  cell_tape t{"moves", 1, {}, {}, {}, {}, {{}}};
  for (int f = 0; f < fields; ++f) t.fields.push_back(std::string(1, static_cast<char>('a' + f)));
  for (const auto& [field, from, dx] : outputs) {
    t.nodes.push_back(cell_node::tap(from, std::array{dx}));
    t.stages[0].push_back({field, static_cast<int>(t.nodes.size()) - 1});
  }
  return field_stages(t)[0];
}

TEST(StencilDefinition, CopiesAreRenamedWhereTheOldValueHasNoOtherUse) {
  // Leapfrog: a = f(a[1]), b = a. The new a goes where b was.
  const field_stage leapfrog = stage_of(2, {{0, 0, 1}, {1, 0, 0}});
  ASSERT_EQ(leapfrog.renamed.size(), 1u);
  ASSERT_EQ(leapfrog.computed.size(), 1u);
  EXPECT_EQ(leapfrog.computed[0].in_place_of, 1);
  // Fields that change places move nothing.
  EXPECT_EQ(stage_of(2, {{0, 1, 0}, {1, 0, 0}}).renamed.size(), 2u);
  EXPECT_TRUE(stage_of(2, {{0, 1, 0}, {1, 0, 0}}).computed.empty());
  // A field that stays needs its memory: its copy is one.
  EXPECT_TRUE(stage_of(2, {{1, 0, 0}}).renamed.empty());
  // Two copies of a field: one of them is.
  EXPECT_EQ(stage_of(3, {{0, 0, 1}, {1, 0, 0}, {2, 0, 0}}).renamed.size(), 1u);
  // Own cells alone: in place. Neighbours: not.
  EXPECT_EQ(stage_of(1, {{0, 0, 1}}).computed[0].in_place_of, -1);
  EXPECT_EQ(stage_of(2, {{0, 1, 1}, {1, 0, 1}}).computed[0].in_place_of, -1);
}

TEST(FieldBoundary, SidesAreReadAsTheyAreWritten) {
  for (const char* text : {"fixed", "constant:1.5", "constant:-0.25", "reflect", "mirror",
                           "antisymmetric", "nearest", "periodic"})
    EXPECT_EQ(to_string(parse_field_side(text)), text);
  for (const char* text :
       {"", "constant", "constant:", "constant:1x", "mirrored", "Fixed ", "wrap"})
    EXPECT_THROW(parse_field_side(text), input_error) << text;
}

}  // namespace
}  // namespace dwell::test
