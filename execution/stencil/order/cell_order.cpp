// SPDX-License-Identifier: MIT
// Orders as words.
#include "dwell/execution/stencil/order/cell_order.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/stencil/order/orders.hpp"

namespace dwell {
namespace {

/// What the functions below need of an order.
struct order_facts {
  const char *name = "", *numbers = "", *about = "";
  bool (*takes)(int, int) = nullptr;
};
order_facts facts_of(int kind) {
  return cell_orders::with<order_facts>(kind, []<class Order>() {
    return order_facts{Order::name, Order::numbers, Order::about, &Order::takes};
  });
}

/// "32x8": up to three numbers of 1 to 2^30; none if it is anything else.
std::optional<order_numbers> parse_numbers(std::string_view text) {
  constexpr int most = 1 << 30;
  order_numbers out;
  for (int* number : {&out.width, &out.height, &out.depth}) {
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, *number);
    if (failed != std::errc{} || *number < 1 || *number > most) return {};
    ++out.count;
    if (stop == end) return out;
    if (*stop != 'x') return {};
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + 1);
  }
  return {};
}

[[noreturn]] void refuse_numbers(std::string_view text, const order_facts& of, int dims) {
  throw input_error(
      fmt::format("order: expected {}{} with numbers of 1 to 2^30 in {} dimensions, found '{}'",
                  of.name, of.numbers, dims, text));
}

}  // namespace

std::string to_string(const cell_order& order) {
  const order_numbers& n = order.numbers;
  std::string text = facts_of(order.kind).name;
  if (n.count > 0) text += fmt::format(":{}", n.width);
  if (n.count > 1) text += fmt::format("x{}", n.height);
  if (n.count > 2) text += fmt::format("x{}", n.depth);
  return text;
}

std::optional<cell_order> parse_cell_order(std::string_view text, int dims) {
  if (text == automatic) return {};
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::vector<std::string_view> names{automatic};
  for (int kind = 0; kind < cell_orders::count; ++kind) {
    const order_facts of = facts_of(kind);
    names.emplace_back(of.name);
    if (name != of.name) continue;
    std::optional<order_numbers> numbers = order_numbers{};
    if (colon != text.npos) numbers = parse_numbers(text.substr(colon + 1));
    if (!numbers || !of.takes(numbers->count, dims)) refuse_numbers(text, of, dims);
    return cell_order{kind, *numbers};
  }
  throw input_error(
      fmt::format("order: expected {}, found {}", fmt::join(names, ", "), found_word(name, names)));
}

std::vector<cell_order_help> cell_order_helps() {
  std::vector<cell_order_help> all;
  for (int kind = 0; kind < cell_orders::count; ++kind) {
    const order_facts of = facts_of(kind);
    all.push_back({std::string(of.name) + of.numbers, of.about});
  }
  return all;
}

}  // namespace dwell
