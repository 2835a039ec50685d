// SPDX-License-Identifier: MIT
// What one step of a stencil with several fields computes, as a value: fields, coefficients,
// parameters, and an expression for every cell. It knows no device. define.hpp makes one from a
// C++ struct; field_runner.hpp does steps with it.
//
// Expressions are a tape: a list of nodes, each an operation on nodes before it. Operations are
// done in the order of the tape, none is contracted or re-associated, and in f32 every constant,
// every parameter and every result is in f32. So results have the same bits under every executor,
// kernel, number of threads and backend.
//
// A step is one stage or several. A stage computes new values of some fields of what was there
// before it; fields that it does not name keep their values. An output that is another field's own
// cell moves no data.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/stencil/field_limits.hpp"

namespace dwell {

/// What a node computes. Comparisons and logical operations are true or false; where takes one of
/// these and two numbers; all others take and give numbers. min and max are NaN if either operand
/// is (cell_math.hpp).
enum class cell_op {
  constant,
  parameter,
  tap,  ///< a cell of a field or a coefficient, at an offset from the cell that is computed
  add,
  sub,
  mul,
  div,
  neg,
  fma,  ///< a * b + c, rounded once
  min,
  max,
  abs,
  sqrt,
  exp,
  log,
  sin,  ///< NaN beyond 2^45, in f32 beyond 2^22
  cos,  ///< NaN where sin is
  tanh,
  floor,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  logical_not,
  where  ///< a ? b : c
};
/// "constant", "add", ...; comparisons are "lt", "le", "gt", "ge", "eq", "ne", logical operations
/// "and", "or", "not".
DWELL_API std::string_view to_string(cell_op op);
/// Throws input_error with what was perhaps meant.
DWELL_API cell_op parse_cell_op(std::string_view name);
/// Operands that are nodes: 0 to 3.
DWELL_API int operand_count(cell_op op);
/// Is the result true or false, not a number?
DWELL_API bool is_logical(cell_op op);

/// An operation and what it is done with.
struct DWELL_API cell_node {
  cell_op op = cell_op::constant;  ///< which one
  std::array<int, 3> operands{};   ///< nodes before this one, as many as the operation has
  int index = 0;                ///< a parameter's place, or the array of a tap: fields come first,
                                ///< then coefficients
  std::array<int, 3> offset{};  ///< planes, rows, columns of a tap; 0 where there are none
  double value = 0;             ///< the number of a constant

  /// A number.
  static cell_node constant(double value);
  /// A parameter, by its place in the list.
  static cell_node parameter(int index);
  /// A cell of array `array`; the offset has an element for each dimension, the slowest first.
  static cell_node tap(int array, std::span<const int> offset);
  /// An operation on earlier nodes.
  static cell_node operation(cell_op op, int a, int b = 0, int c = 0);
};

/// A field's new value.
struct cell_output {
  int field = 0;  ///< its place in the list of fields
  int node = 0;   ///< whose value it is
};

/// Everything that a definition says.
struct cell_tape {
  std::string name;                       ///< an identifier
  int dims = 2;                           ///< 1, 2 or 3
  std::vector<std::string> fields;        ///< 1 to 4, that steps change
  std::vector<std::string> coefficients;  ///< up to 8, of the fields' size, that they only read
  std::vector<std::string> parameters;    ///< up to 32 numbers, the same for all cells
  std::vector<cell_node> nodes;           ///< up to 4096
  std::vector<std::vector<cell_output>> stages;  ///< 1 to 8; of each one its outputs
};

struct field_stage;

/// A tape that was found to be right. Copies share it.
class DWELL_API stencil_definition {
 public:
  static constexpr int most_fields = field_limits::fields;              ///< state fields
  static constexpr int most_coefficients = field_limits::coefficients;  ///< read-only arrays
  static constexpr int most_parameters = field_limits::parameters;      ///< numbers
  static constexpr int most_stages = 8;                                 ///< operations of a step
  static constexpr int most_nodes = 4096;                               ///< all stages together
  static constexpr int most_radius = 4;  ///< cells to the farthest neighbour along an axis

  /// Throws input_error, in one line, for what cannot be: a name that is no identifier or there
  /// twice, too many of anything, an operand that is not an earlier node or not of the kind that
  /// the operation takes, an offset beyond most_radius, a field that no stage updates.
  explicit stencil_definition(cell_tape tape);

  const cell_tape& tape() const;    ///< what was given
  const std::string& name() const;  ///< the tape's name
  int dims() const;                 ///< 1, 2 or 3
  int fields() const;               ///< how many
  int coefficients() const;         ///< how many
  int parameters() const;           ///< how many
  int radius() const;               ///< cells to the farthest neighbour along any axis
  /// Floating-point operations per cell and step: fma counts as two, every other operation on
  /// numbers as one, a function such as exp too.
  int flops() const;
  /// The outputs of all stages as formulas, in lines of text.
  std::string describe() const;
  /// A C++ struct `kernel` with a function for each stage, stage0(view), ..., which computes one
  /// cell: view.tap<array, dz, dy, dx>(), view.parameter<index>(), view.put<field>(value). It needs
  /// cell_math.hpp, and the macro DWELL_CELL, which makes a function one of the backend's (inline,
  /// or DWELL_FN). It knows nothing of how a field lies in memory. No word of the tape is in it.
  std::string source() const;

  /// How the stages use arrays. For executors.
  std::span<const field_stage> stages() const;

 private:
  struct content;
  std::shared_ptr<const content> content_;
};

}  // namespace dwell
