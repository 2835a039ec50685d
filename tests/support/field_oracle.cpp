// SPDX-License-Identifier: MIT
// Evaluates a tape cell by cell, without anything of the library.
#include "field_oracle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "dwell/stencil/cell_math.hpp"

namespace dwell::test {

namespace m = cell_math;

template <class T>
bool plain_fields<T>::fixed(std::int64_t z, std::int64_t y, std::int64_t x) const {
  const std::array at{z, y, x};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto& sides = boundaries[0].sides[axis];
    if (sides[0].kind == side_kind::fixed && at[axis] < definition.radius()) return true;
    if (sides[1].kind == side_kind::fixed && at[axis] >= n[axis] - definition.radius()) return true;
  }
  return false;
}

/// Pads in the order of numpy.pad: first along z, then y, then x. So the last axis beyond which a
/// cell lies has the first word.
template <class T>
T plain_fields<T>::beyond(int array, std::array<std::int64_t, 3> at, int axis) const {
  if (axis < 0)
    return arrays[static_cast<std::size_t>(array)]
                 [static_cast<std::size_t>((at[0] * n[1] + at[1]) * n[2] + at[2])];
  auto& i = at[static_cast<std::size_t>(axis)];
  const std::int64_t cells = n[static_cast<std::size_t>(axis)];
  if (i >= 0 && i < cells) return beyond(array, at, axis - 1);
  const bool field = array < definition.fields();
  const auto& sides =
      boundaries[field ? static_cast<std::size_t>(array) : 0].sides[static_cast<std::size_t>(axis)];
  field_side side = sides[i < 0 ? 0 : 1];
  if (!field && side.kind != side_kind::periodic) side = {side_kind::nearest, 0};
  switch (side.kind) {
    case side_kind::constant:
      return static_cast<T>(side.value);
    case side_kind::reflect:
      i = i < 0 ? -i - 1 : 2 * cells - 1 - i;
      break;
    case side_kind::mirror:
      i = i < 0 ? -i : 2 * cells - 2 - i;
      break;
    case side_kind::antisymmetric:
      i = i < 0 ? -i - 1 : 2 * cells - 1 - i;
      return -beyond(array, at, axis - 1);
    case side_kind::nearest:
      i = i < 0 ? 0 : cells - 1;
      break;
    case side_kind::periodic:
      i = (i + cells) % cells;
      break;
    case side_kind::fixed:
      return static_cast<T>(std::nan(""));  // nobody may ask
  }
  return beyond(array, at, axis - 1);
}

template <class T>
bool plain_fields<T>::truth(int node, const std::array<std::int64_t, 3>& at) {
  const cell_node& k = definition.tape().nodes[static_cast<std::size_t>(node)];
  const auto [a, b, c] = k.operands;
  switch (k.op) {
    case cell_op::logical_and:
      return truth(a, at) && truth(b, at);
    case cell_op::logical_or:
      return truth(a, at) || truth(b, at);
    case cell_op::logical_not:
      return !truth(a, at);
    default:
      break;
  }
  const T x = number(a, at), y = number(b, at);
  switch (k.op) {
    case cell_op::less:
      return x < y;
    case cell_op::less_equal:
      return x <= y;
    case cell_op::greater:
      return x > y;
    case cell_op::greater_equal:
      return x >= y;
    case cell_op::equal:
      return x == y;
    default:
      return x != y;
  }
}

template <class T>
T plain_fields<T>::number(int node, const std::array<std::int64_t, 3>& at) {
  const auto i = static_cast<std::size_t>(node);
  if (!is_known_[i]) known_[i] = computed(node, at);
  is_known_[i] = 1;
  return known_[i];
}

template <class T>
T plain_fields<T>::computed(int node, const std::array<std::int64_t, 3>& at) {
  const cell_node& k = definition.tape().nodes[static_cast<std::size_t>(node)];
  const auto [i, j, l] = k.operands;
  const auto a = [&, one = i] { return number(one, at); };
  const auto b = [&, one = j] { return number(one, at); };
  switch (k.op) {
    case cell_op::constant:
      return static_cast<T>(k.value);
    case cell_op::parameter:
      return parameters[static_cast<std::size_t>(k.index)];
    case cell_op::tap:
      return beyond(k.index, {at[0] + k.offset[0], at[1] + k.offset[1], at[2] + k.offset[2]}, 2);
    case cell_op::add:
      return a() + b();
    case cell_op::sub:
      return a() - b();
    case cell_op::mul:
      return a() * b();
    case cell_op::div:
      return a() / b();
    case cell_op::neg:
      return -a();
    case cell_op::fma:
      return std::fma(a(), b(), number(l, at));
    case cell_op::min: {
      const T x = a(), y = b();
      return std::isnan(x) ? x : std::isnan(y) ? y : x < y ? x : y;
    }
    case cell_op::max: {
      const T x = a(), y = b();
      return std::isnan(x) ? x : std::isnan(y) ? y : x > y ? x : y;
    }
    case cell_op::abs:
      return std::fabs(a());
    case cell_op::sqrt:
      return std::sqrt(a());
    case cell_op::exp:
      return m::exp(a());
    case cell_op::log:
      return m::log(a());
    case cell_op::sin:
      return m::sin(a());
    case cell_op::cos:
      return m::cos(a());
    case cell_op::tanh:
      return m::tanh(a());
    case cell_op::floor:
      return std::floor(a());
    default:
      return truth(i, at) ? number(j, at) : number(l, at);
  }
}

template <class T>
void plain_fields<T>::step() {
  for (const auto& stage : definition.tape().stages) {
    auto after = arrays;
    for (std::int64_t z = 0; z < n[0]; ++z)
      for (std::int64_t y = 0; y < n[1]; ++y)
        for (std::int64_t x = 0; x < n[2]; ++x) {
          known_.assign(definition.tape().nodes.size(), T(0));
          is_known_.assign(definition.tape().nodes.size(), 0);
          if (!fixed(z, y, x))
            for (const cell_output& o : stage)
              after[static_cast<std::size_t>(o.field)]
                   [static_cast<std::size_t>((z * n[1] + y) * n[2] + x)] =
                       number(o.node, {z, y, x});
        }
    arrays = std::move(after);
  }
}

template <class T>
bool same_values(const std::vector<T>& a, const std::vector<T>& b) {
  using word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  return std::ranges::equal(a, b, [](T x, T y) {
    return std::bit_cast<word>(x) == std::bit_cast<word>(y) || (std::isnan(x) && std::isnan(y));
  });
}

cell_tape random_tape(std::mt19937_64& chance) {
  const auto below = [&](int n) { return static_cast<int>(chance() % static_cast<unsigned>(n)); };
  cell_tape t;
  t.name = "random";
  t.dims = 1 + below(3);
  const int fields = 1 + below(stencil_definition::most_fields);
  const int coefficients = below(3), parameters = below(3);
  for (int i = 0; i < fields; ++i) t.fields.push_back("f" + std::to_string(i));
  for (int i = 0; i < coefficients; ++i) t.coefficients.push_back("c" + std::to_string(i));
  for (int i = 0; i < parameters; ++i) t.parameters.push_back("p" + std::to_string(i));
  const int radius = below(3) == 0 ? 1 : below(stencil_definition::most_radius + 1);
  std::vector<int> numbers, truths;
  const auto add = [&](const cell_node& n) {
    const int node = static_cast<int>(t.nodes.size());
    (is_logical(n.op) ? truths : numbers).push_back(node);
    t.nodes.push_back(n);
    return node;
  };
  const auto a_tap = [&](bool own) {
    std::vector<int> at;
    for (int a = 0; a < t.dims; ++a) at.push_back(own ? 0 : below(2 * radius + 1) - radius);
    return cell_node::tap(below(fields + coefficients), at);
  };
  const auto of = [&](const std::vector<int>& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  };
  const int stages = 1 + below(3);
  for (int s = 0; s < stages; ++s) {
    for (int k = 2 + below(5); k > 0; --k) add(a_tap(below(3) == 0));
    add(cell_node::constant(std::ldexp(below(41) - 20, -3)));
    if (parameters > 0) add(cell_node::parameter(below(parameters)));
    for (int k = below(14); k > 0; --k) {
      const auto op = static_cast<cell_op>(
          static_cast<int>(cell_op::add) +
          below(static_cast<int>(cell_op::where) - static_cast<int>(cell_op::add) + 1));
      const bool logical =
          op == cell_op::logical_and || op == cell_op::logical_or || op == cell_op::logical_not;
      if ((logical || op == cell_op::where) && truths.empty()) continue;
      const auto& first = logical || op == cell_op::where ? truths : numbers;
      const auto& others = logical ? truths : numbers;
      add(cell_node::operation(op, of(first), operand_count(op) > 1 ? of(others) : 0,
                               operand_count(op) > 2 ? of(others) : 0));
    }
    // Values that stay finite for a while say more than those that do not.
    const auto bounded = [&] {
      const int node = of(numbers);
      if (below(5) == 0) return node;
      const int low = add(cell_node::constant(-4)), high = add(cell_node::constant(4));
      return add(cell_node::operation(cell_op::max, low,
                                      add(cell_node::operation(cell_op::min, node, high))));
    };
    std::vector<cell_output> outputs;
    for (int f = 0; f < fields; ++f) {
      if (below(4) == 0 && s + 1 < stages) continue;  // kept
      if (fields > 1 && below(3) == 0) {              // another field's own cell
        const int from = (f + 1 + below(fields - 1)) % fields;
        outputs.push_back(
            {f, add(cell_node::tap(from, std::vector<int>(static_cast<std::size_t>(t.dims), 0)))});
      } else {
        outputs.push_back({f, bounded()});
      }
    }
    if (outputs.empty()) outputs.push_back({0, bounded()});
    std::ranges::shuffle(outputs, chance);
    t.stages.push_back(std::move(outputs));
  }
  // A field that is only ever itself would be refused.
  for (cell_output& o : t.stages.back()) {
    const cell_node& n = t.nodes[static_cast<std::size_t>(o.node)];
    if (n.op == cell_op::tap && n.index == o.field)
      o.node = add(cell_node::operation(cell_op::neg, o.node));
  }
  return t;
}

template class plain_fields<double>;
template class plain_fields<float>;
template bool same_values(const std::vector<double>&, const std::vector<double>&);
template bool same_values(const std::vector<float>&, const std::vector<float>&);

}  // namespace dwell::test
