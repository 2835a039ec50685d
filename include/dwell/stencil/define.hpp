// SPDX-License-Identifier: MIT
// Stencils of several fields as C++ structs: the same text makes the definition, by running it with
// values that record what is done with them, and a kernel that is compiled with the program.
//
//   struct wave {
//     static constexpr const char* name = "wave";
//     static constexpr int dims = 2;
//     static constexpr const char* fields[] = {"u", "v"};
//     static constexpr const char* coefficients[] = {"c2"};  // may be left out, as parameters may
//     enum { u, v, c2 };                                     // arrays: fields, then coefficients
//     template <class Cell>
//     static void step(Cell& cell) {
//       const auto here = cell(u, 0, 0);
//       const auto around = cell(u, -1, 0) + cell(u, 1, 0) + cell(u, 0, -1) + cell(u, 0, 1);
//       cell.set(u, 2 * here - cell(v, 0, 0) + cell(c2, 0, 0) * (around - 4 * here));
//       cell.set(v, here);
//     }
//   };
//   auto runner = dwell::runner_of<wave, double>(dwell::device::cpu(), {500, 400});
//
// cell(array, ...) is a cell at an offset, with an index for each dimension; cell.parameter(i) a
// parameter. Values know + - * /, comparisons, && || !, and fma, min, max, abs, sqrt, exp, log,
// sin, cos, tanh, floor, pow (whole exponents) and where(condition, a, b). A struct with several
// stages has `stages` and, in place of step, a function stage<K>(cell). What is written in `if` is
// decided once, when the text is run, not for every cell: where() is.
//
// Link the CMake target dwell::custom_stencil, whose compiler options keep the bits.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dwell/stencil/built_row_kernels.hpp"
#include "dwell/stencil/cell_math.hpp"
#include "dwell/stencil/definition.hpp"
#include "dwell/stencil/field_runner.hpp"
#include "dwell/stencil/tape_recorder.hpp"

namespace dwell {

namespace detail {

/// Values are nodes.
struct recording {
  using number = int;
  using truth = int;
  static int constant(double v) { return tape_recorder::now()->add(cell_node::constant(v)); }
  template <cell_op Op>
  static int apply(int a, int b = 0, int c = 0) {
    return tape_recorder::now()->add(cell_node::operation(Op, a, b, c));
  }
};

/// Values are numbers, computed as a kernel does.
template <class T>
struct computing {
  using number = T;
  using truth = bool;
  [[gnu::always_inline]] static T constant(double v) { return static_cast<T>(v); }
  template <cell_op Op>
  [[gnu::always_inline]] static auto apply(T a) {
    namespace m = cell_math;
    if constexpr (Op == cell_op::neg)
      return -a;
    else if constexpr (Op == cell_op::abs)
      return m::abs(a);
    else if constexpr (Op == cell_op::sqrt)
      return m::sqrt(a);
    else if constexpr (Op == cell_op::exp)
      return m::exp(a);
    else if constexpr (Op == cell_op::log)
      return m::log(a);
    else if constexpr (Op == cell_op::sin)
      return m::sin(a);
    else if constexpr (Op == cell_op::cos)
      return m::cos(a);
    else if constexpr (Op == cell_op::tanh)
      return m::tanh(a);
    else
      return m::floor(a);
  }
  template <cell_op Op>
  [[gnu::always_inline]] static auto apply(T a, T b) {
    namespace m = cell_math;
    if constexpr (Op == cell_op::add)
      return a + b;
    else if constexpr (Op == cell_op::sub)
      return a - b;
    else if constexpr (Op == cell_op::mul)
      return a * b;
    else if constexpr (Op == cell_op::div)
      return a / b;
    else if constexpr (Op == cell_op::min)
      return m::min(a, b);
    else if constexpr (Op == cell_op::max)
      return m::max(a, b);
    else if constexpr (Op == cell_op::less)
      return a < b;
    else if constexpr (Op == cell_op::less_equal)
      return a <= b;
    else if constexpr (Op == cell_op::greater)
      return a > b;
    else if constexpr (Op == cell_op::greater_equal)
      return a >= b;
    else if constexpr (Op == cell_op::equal)
      return a == b;
    else
      return a != b;
  }
  template <cell_op Op>
  [[gnu::always_inline]] static T apply(T a, T b, T c) {
    return cell_math::fma(a, b, c);
  }
  template <cell_op Op>
  [[gnu::always_inline]] static bool apply(bool a, bool b) {
    return Op == cell_op::logical_and ? a & b : a | b;
  }
  template <cell_op Op>
  [[gnu::always_inline]] static bool apply(bool a) {
    return !a;
  }
  template <cell_op Op>
  [[gnu::always_inline]] static T apply(bool a, T b, T c) {
    return a ? b : c;
  }
};

}  // namespace detail

template <class Arithmetic>
class cell_number;

/// True or false, of a comparison of cells.
template <class Arithmetic>
class cell_truth {
  using truth = cell_truth;

 public:
  /// For those who compute.
  [[gnu::always_inline]] explicit cell_truth(typename Arithmetic::truth v) : v_(v) {}
  /// True or false, for the arithmetic.
  [[gnu::always_inline]] typename Arithmetic::truth value() const { return v_; }

  /// Both operands are evaluated.
  [[gnu::always_inline]] friend truth operator&&(truth a, truth b) {
    return truth(Arithmetic::template apply<cell_op::logical_and>(a.v_, b.v_));
  }
  /// Both operands are evaluated.
  [[gnu::always_inline]] friend truth operator||(truth a, truth b) {
    return truth(Arithmetic::template apply<cell_op::logical_or>(a.v_, b.v_));
  }
  /// The other one.
  [[gnu::always_inline]] friend truth operator!(truth a) {
    return truth(Arithmetic::template apply<cell_op::logical_not>(a.v_));
  }

 private:
  typename Arithmetic::truth v_;
};

/// The value of a cell, and what is computed with it.
template <class Arithmetic>
class cell_number {
  using number = cell_number;
  using truth = cell_truth<Arithmetic>;
  struct own {};
  [[gnu::always_inline]] cell_number(typename Arithmetic::number v, own) : v_(v) {}
  template <cell_op Op, class... N>
  [[gnu::always_inline]] static number of(N... n) {
    return {Arithmetic::template apply<Op>(n.v_...), own{}};
  }
  template <cell_op Op>
  [[gnu::always_inline]] static truth test(number a, number b) {
    return truth(Arithmetic::template apply<Op>(a.v_, b.v_));
  }

 public:
  /// A constant.
  [[gnu::always_inline]] cell_number(double v) : v_(Arithmetic::constant(v)) {}
  /// For those who compute.
  [[gnu::always_inline]] static number made(typename Arithmetic::number v) { return {v, own{}}; }
  /// The number, for the arithmetic.
  [[gnu::always_inline]] typename Arithmetic::number value() const { return v_; }

  // Operations on two, or one.
  [[gnu::always_inline]] friend number operator+(number a, number b) {
    return of<cell_op::add>(a, b);
  }
  [[gnu::always_inline]] friend number operator-(number a, number b) {
    return of<cell_op::sub>(a, b);
  }
  [[gnu::always_inline]] friend number operator*(number a, number b) {
    return of<cell_op::mul>(a, b);
  }
  [[gnu::always_inline]] friend number operator/(number a, number b) {
    return of<cell_op::div>(a, b);
  }
  [[gnu::always_inline]] friend number operator-(number a) { return of<cell_op::neg>(a); }
  [[gnu::always_inline]] friend number fma(number a, number b, number c) {
    return of<cell_op::fma>(a, b, c);
  }
  [[gnu::always_inline]] friend number min(number a, number b) { return of<cell_op::min>(a, b); }
  [[gnu::always_inline]] friend number max(number a, number b) { return of<cell_op::max>(a, b); }
  [[gnu::always_inline]] friend number abs(number a) { return of<cell_op::abs>(a); }
  [[gnu::always_inline]] friend number sqrt(number a) { return of<cell_op::sqrt>(a); }
  [[gnu::always_inline]] friend number exp(number a) { return of<cell_op::exp>(a); }
  [[gnu::always_inline]] friend number log(number a) { return of<cell_op::log>(a); }
  [[gnu::always_inline]] friend number sin(number a) { return of<cell_op::sin>(a); }
  [[gnu::always_inline]] friend number cos(number a) { return of<cell_op::cos>(a); }
  [[gnu::always_inline]] friend number tanh(number a) { return of<cell_op::tanh>(a); }
  [[gnu::always_inline]] friend number floor(number a) { return of<cell_op::floor>(a); }
  /// By multiplications: of an odd exponent one by the base is the last; of a negative one the
  /// reciprocal of the result.
  [[gnu::always_inline]] friend number pow(number base, int exponent) {
    if (exponent < 0) return number(1) / pow(base, -exponent);
    if (exponent == 0) return number(1);
    if (exponent == 1) return base;
    const number half = pow(base, exponent / 2);
    return exponent % 2 == 0 ? half * half : half * half * base;
  }
  [[gnu::always_inline]] friend truth operator<(number a, number b) {
    return test<cell_op::less>(a, b);
  }
  [[gnu::always_inline]] friend truth operator<=(number a, number b) {
    return test<cell_op::less_equal>(a, b);
  }
  [[gnu::always_inline]] friend truth operator>(number a, number b) {
    return test<cell_op::greater>(a, b);
  }
  [[gnu::always_inline]] friend truth operator>=(number a, number b) {
    return test<cell_op::greater_equal>(a, b);
  }
  [[gnu::always_inline]] friend truth operator==(number a, number b) {
    return test<cell_op::equal>(a, b);
  }
  [[gnu::always_inline]] friend truth operator!=(number a, number b) {
    return test<cell_op::not_equal>(a, b);
  }
  /// b where the condition is true, else c.
  [[gnu::always_inline]] friend number where(truth condition, number b, number c) {
    return {Arithmetic::template apply<cell_op::where>(condition.value(), b.v_, c.v_), own{}};
  }

 private:
  typename Arithmetic::number v_;
};

namespace detail {

template <class S>
constexpr int stages_of() {
  if constexpr (requires { S::stages; })
    return S::stages;
  else
    return 1;
}
template <class S, int Stage, class Cell>
[[gnu::always_inline]] inline void run_stage(Cell& cell) {
  if constexpr (requires { S::stages; })
    S::template stage<Stage>(cell);
  else
    S::step(cell);
}

/// The cell of a text that is recorded.
class recorded_cell {
 public:
  using value = cell_number<recording>;
  explicit recorded_cell(std::vector<cell_output>& outputs) : outputs_(outputs) {}
  template <class... Offset>
  value operator()(int array, Offset... offset) const {
    const std::array<int, sizeof...(Offset)> at{offset...};
    return value::made(tape_recorder::now()->add(cell_node::tap(array, at)));
  }
  value parameter(int i) const {
    return value::made(tape_recorder::now()->add(cell_node::parameter(i)));
  }
  void set(int field, value v) { outputs_.push_back({field, v.value()}); }

 private:
  std::vector<cell_output>& outputs_;
};

/// Rows around a row, by offset: as far as taps may reach.
template <int Dims>
inline constexpr int rows_around = Dims == 1   ? 1
                                   : Dims == 2 ? 9
                                               : 25;
template <int Dims>
constexpr int row_place(int dz, int dy) {
  return Dims == 1 ? 0 : Dims == 2 ? dy + 4 : (dz + 2) * 5 + dy + 2;
}

/// The cell of a row that is computed.
template <class S, class T>
class computed_cell {
 public:
  using value = cell_number<computing<T>>;
  static constexpr int most_arrays =
      stencil_definition::most_fields + stencil_definition::most_coefficients;

  /// Rows that the text names and no result needs are in no layout: their values are not used, and
  /// any row will do.
  computed_cell(const row_layout& layout, const void* const* rows, void* const* out,
                const void* parameters)
      : parameters_(static_cast<const T*>(parameters)) {
    for (auto& of_array : rows_)
      for (const T*& row : of_array) row = static_cast<const T*>(out[0]);
    for (std::size_t k = 0; k < layout.rows.size(); ++k) {
      const auto [array, dz, dy] = layout.rows[k];
      rows_[array][row_place<S::dims>(dz, dy)] = static_cast<const T*>(rows[k]);
    }
    for (std::size_t k = 0; k < layout.outputs.size(); ++k)
      out_[layout.outputs[k]] = static_cast<T*>(out[k]);
  }
  [[gnu::always_inline]] value operator()(int array, int dx) const { return at(array, 0, 0, dx); }
  [[gnu::always_inline]] value operator()(int array, int dy, int dx) const {
    return at(array, 0, dy, dx);
  }
  [[gnu::always_inline]] value operator()(int array, int dz, int dy, int dx) const {
    return at(array, dz, dy, dx);
  }
  [[gnu::always_inline]] value parameter(int i) const { return value::made(parameters_[i]); }
  [[gnu::always_inline]] void set(int field, value v) {
    if (out_[field]) out_[field][x] = v.value();
  }

  long x = 0;

 private:
  [[gnu::always_inline]] value at(int array, int dz, int dy, int dx) const {
    return value::made(rows_[array][row_place<S::dims>(dz, dy)][x + dx]);
  }

  const T* rows_[most_arrays][rows_around<S::dims>];
  T* out_[stencil_definition::most_fields] = {};
  const T* parameters_;
};

}  // namespace detail

/// The definition of a struct. Throws input_error as stencil_definition does.
template <class S>
const stencil_definition& define() {
  static const stencil_definition definition([] {
    cell_tape tape;
    tape.name = S::name;
    tape.dims = S::dims;
    tape.fields = {std::begin(S::fields), std::end(S::fields)};
    if constexpr (requires { S::coefficients; })
      tape.coefficients = {std::begin(S::coefficients), std::end(S::coefficients)};
    if constexpr (requires { S::parameters; })
      tape.parameters = {std::begin(S::parameters), std::end(S::parameters)};
    [&]<int... Stage>(std::integer_sequence<int, Stage...>) {
      const auto record = [&](auto stage) {
        std::vector<cell_output> outputs;
        {
          detail::tape_recorder recorder(tape);
          detail::recorded_cell cell(outputs);
          detail::run_stage<S, decltype(stage)::value>(cell);
        }
        tape.stages.push_back(std::move(outputs));
      };
      (record(std::integral_constant<int, Stage>{}), ...);
    }
    (std::make_integer_sequence<int, detail::stages_of<S>()>{});
    return tape;
  }());
  return definition;
}

namespace detail {

template <class S, class T, int Stage>
void built_row(const void* const* rows, void* const* out, const void* parameters, long first,
               long last) {
  static const row_layout layout = row_layouts(define<S>())[Stage];
  computed_cell<S, T> cell(layout, rows, out, parameters);
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#elif defined(__GNUC__)
#pragma GCC ivdep
#endif
  for (long x = first; x < last; ++x) {
    cell.x = x;
    run_stage<S, Stage>(cell);
  }
}

}  // namespace detail

/// The kernels of a struct, compiled here.
template <class S>
const built_row_kernels& built_kernels() {
  static const built_row_kernels kernels = []<int... Stage>(std::integer_sequence<int, Stage...>) {
    return built_row_kernels{{&detail::built_row<S, double, Stage>...},
                             {&detail::built_row<S, float, Stage>...}};
  }
  (std::make_integer_sequence<int, detail::stages_of<S>()>{});
  return kernels;
}

/// A field_runner of a struct, with the kernels that are compiled here: no compiler is needed where
/// the program runs.
template <class S, class T>
field_runner<T> runner_of(const device& where, const std::vector<std::int64_t>& size,
                          const field_options& options = {}) {
  return field_runner<T>(built_kernels<S>(), where, define<S>(), size, options);
}

}  // namespace dwell
