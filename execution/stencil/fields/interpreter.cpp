// SPDX-License-Identifier: MIT
// A tape, node by node. Each node is a loop over a block of some hundred cells,
// whose values lie in the first-level cache until the last node that needs them. Taps are read
// where they are. True and false are the numbers 1 and 0.
#include <algorithm>
#include <utility>

#include "dwell/execution/stencil/fields/field_stage.hpp"
#include "dwell/execution/stencil/fields/row_kernel.hpp"
#include "dwell/stencil/cell_math.hpp"

namespace dwell {
namespace {

namespace m = cell_math;

constexpr std::int64_t block = 256;

/// Where a value is: a block of scratch memory, or cells of a row.
struct operand {
  int row = -1;         ///< or -1
  std::int64_t at = 0;  ///< columns from the cell, or the block's number
};

/// An operation on blocks. A constant or a parameter is spread over a block once for each row.
struct instruction {
  cell_op op;
  std::array<operand, 3> from;
  int to;     ///< block
  int index;  ///< a parameter's place
  double value;
};

struct output_move {
  operand from;
  int output;
};

struct stage_program {
  std::vector<instruction> spread, body;
  std::vector<output_move> moves;
  int blocks = 0;
};

/// Gives values blocks; one whose last reader has passed is used again.
class assembler {
 public:
  assembler(const cell_tape& tape, const field_stage& stage)
      : tape_(tape), stage_(stage), place_(tape.nodes.size()), last_(tape.nodes.size(), -1) {}

  stage_program program() {
    for (const int i : stage_.nodes)
      for (int k = 0; k < operand_count(node(i).op); ++k) last_[input(i, k)] = i;
    for (const computed_output& o : stage_.computed) last_[std::size_t(o.node)] = never;
    for (const int i : stage_.nodes) add(i);
    for (std::size_t k = 0; k < stage_.computed.size(); ++k)
      made_.moves.push_back({place_[std::size_t(stage_.computed[k].node)], static_cast<int>(k)});
    return std::move(made_);
  }

 private:
  static constexpr int never = stencil_definition::most_nodes;

  const cell_node& node(int i) const { return tape_.nodes[std::size_t(i)]; }
  std::size_t input(int i, int k) const { return std::size_t(node(i).operands[std::size_t(k)]); }
  void add(int i) {
    const cell_node& n = node(i);
    operand& place = place_[std::size_t(i)];
    if (n.op == cell_op::tap) {
      place = {stage_.row_of(n), n.offset[2]};
      // An output that is only a tap is copied first: its row may be one that others overwrite.
      if (last_[std::size_t(i)] != never) return;
      const operand from = place;
      place = {-1, take()};
      made_.body.push_back({cell_op::tap, {from}, static_cast<int>(place.at), 0, 0});
      return;
    }
    const bool same_everywhere = n.op == cell_op::constant || n.op == cell_op::parameter;
    std::array<operand, 3> from;
    for (int k = 0; k < operand_count(n.op); ++k) from[std::size_t(k)] = place_[input(i, k)];
    // What ends here makes room for the result: loops read an element before they write it.
    for (int k = 0; k < operand_count(n.op); ++k) release(input(i, k), i);
    place = {-1, same_everywhere ? made_.blocks++ : take()};
    auto& list = same_everywhere ? made_.spread : made_.body;
    list.push_back({n.op, from, static_cast<int>(place.at), n.index, n.value});
  }
  int take() {
    if (free_.empty()) return made_.blocks++;
    const int b = free_.back();
    free_.pop_back();
    return b;
  }
  void release(std::size_t input, int reader) {
    const cell_op op = tape_.nodes[input].op;
    const bool in_block = op != cell_op::tap && op != cell_op::constant && op != cell_op::parameter;
    if (last_[input] != reader || !in_block) return;
    free_.push_back(static_cast<int>(place_[input].at));
    last_[input] = -1;  // an operand may be there twice
  }

  const cell_tape& tape_;
  const field_stage& stage_;
  std::vector<operand> place_;
  std::vector<int> last_;  ///< the node that reads a value last
  std::vector<int> free_;
  stage_program made_;
};

template <class T>
struct sources {
  const T *a, *b, *c;
};

/// to[i] = f(i) for a block of n cells. to may be one of what f reads, at the same place.
template <class T, class F>
[[gnu::always_inline]] inline void cells(T* to, std::int64_t n, F&& f) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (std::int64_t i = 0; i < n; ++i) to[i] = f(i);
}

template <class T>
void evaluate(cell_op op, T* to, const sources<T>& s, std::int64_t n) {
  const T *a = s.a, *b = s.b, *c = s.c;
  const auto one = [&](auto&& f) { cells(to, n, [&](std::int64_t i) { return f(a[i]); }); };
  const auto two = [&](auto&& f) { cells(to, n, [&](std::int64_t i) { return f(a[i], b[i]); }); };
  const auto test = [&](auto&& f) {
    cells(to, n, [&](std::int64_t i) { return f(a[i], b[i]) ? T(1) : T(0); });
  };
  switch (op) {
    case cell_op::constant:
    case cell_op::parameter:
      return;
    case cell_op::tap:
      return one([](T x) { return x; });
    case cell_op::add:
      return two([](T x, T y) { return x + y; });
    case cell_op::sub:
      return two([](T x, T y) { return x - y; });
    case cell_op::mul:
      return two([](T x, T y) { return x * y; });
    case cell_op::div:
      return two([](T x, T y) { return x / y; });
    case cell_op::neg:
      return one([](T x) { return -x; });
    case cell_op::fma:
      return cells(to, n, [&](std::int64_t i) { return m::fma(a[i], b[i], c[i]); });
    case cell_op::min:
      return two([](T x, T y) { return m::min(x, y); });
    case cell_op::max:
      return two([](T x, T y) { return m::max(x, y); });
    case cell_op::abs:
      return one([](T x) { return m::abs(x); });
    case cell_op::sqrt:
      return one([](T x) { return m::sqrt(x); });
    case cell_op::exp:
      return one([](T x) { return m::exp(x); });
    case cell_op::log:
      return one([](T x) { return m::log(x); });
    case cell_op::sin:
      return one([](T x) { return m::sin(x); });
    case cell_op::cos:
      return one([](T x) { return m::cos(x); });
    case cell_op::tanh:
      return one([](T x) { return m::tanh(x); });
    case cell_op::floor:
      return one([](T x) { return m::floor(x); });
    case cell_op::less:
      return test([](T x, T y) { return x < y; });
    case cell_op::less_equal:
      return test([](T x, T y) { return x <= y; });
    case cell_op::greater:
      return test([](T x, T y) { return x > y; });
    case cell_op::greater_equal:
      return test([](T x, T y) { return x >= y; });
    case cell_op::equal:
      return test([](T x, T y) { return x == y; });
    case cell_op::not_equal:
      return test([](T x, T y) { return x != y; });
    case cell_op::logical_and:
      return two([](T x, T y) { return x * y; });
    case cell_op::logical_or:
      return two([](T x, T y) { return m::max(x, y); });
    case cell_op::logical_not:
      return one([](T x) { return T(1) - x; });
    case cell_op::where:
      return cells(to, n, [&](std::int64_t i) {
        const T yes = b[i], no = c[i];
        return a[i] != T(0) ? yes : no;
      });
  }
}

template <class T>
class interpreter final : public row_kernel<T> {
 public:
  explicit interpreter(const stencil_definition& d) {
    for (const field_stage& stage : d.stages()) {
      programs_.push_back(assembler(d.tape(), stage).program());
      blocks_ = std::max<std::int64_t>(blocks_, programs_.back().blocks);
    }
  }
  std::size_t scratch() const override { return static_cast<std::size_t>(blocks_ * block); }
  void run(std::size_t stage, const T* const* rows, T* const* out, const T* parameters,
           std::int64_t first, std::int64_t last, T* scratch) const override {
    const stage_program& p = programs_[stage];
    for (const instruction& i : p.spread)
      std::fill_n(scratch + i.to * block, std::min(block, last - first),
                  i.op == cell_op::constant ? static_cast<T>(i.value) : parameters[i.index]);
    for (std::int64_t x = first; x < last; x += block) {
      const std::int64_t n = std::min(block, last - x);
      const auto at = [&](const operand& o) -> const T* {
        return o.row < 0 ? scratch + o.at * block : rows[o.row] + x + o.at;
      };
      for (const instruction& i : p.body)
        evaluate<T>(i.op, scratch + i.to * block, {at(i.from[0]), at(i.from[1]), at(i.from[2])}, n);
      for (const output_move& o : p.moves) std::copy_n(at(o.from), n, out[o.output] + x);
    }
  }

 private:
  std::vector<stage_program> programs_;
  std::int64_t blocks_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<row_kernel<T>> interpreted_rows(const stencil_definition& definition) {
  return std::make_unique<interpreter<T>>(definition);
}

template std::unique_ptr<row_kernel<double>> interpreted_rows(const stencil_definition&);
template std::unique_ptr<row_kernel<float>> interpreted_rows(const stencil_definition&);

}  // namespace dwell
