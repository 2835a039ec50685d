// SPDX-License-Identifier: MIT
// The fields of a file of device facts, one line each.
#include "dwell/execution/device/facts_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/execution/device/cluster.hpp"

namespace dwell {
namespace {

/// Where a field must be there, and then be positive; elsewhere it may be 0 or missing.
enum class needed { never, always, on_gpus, with_clusters };

struct number_field {
  const char* key;
  needed where;
  double most;
  bool whole;
  double (*get)(const device_facts&, const device_limits&);
  void (*set)(device_facts&, device_limits&, double);
};

template <auto First, auto... Rest, class Owner>
auto& member(Owner& of) {
  if constexpr (sizeof...(Rest) > 0)
    return member<Rest...>(of.*First);
  else
    return of.*First;
}

template <auto Member>
constexpr number_field fact(const char* key, needed where, double most = 1e18) {
  using type = std::remove_cvref_t<decltype(std::declval<device_facts>().*Member)>;
  return {
      key,
      where,
      std::min(most, static_cast<double>(std::numeric_limits<type>::max())),
      true,
      [](const device_facts& f, const device_limits&) { return static_cast<double>(f.*Member); },
      [](device_facts& f, device_limits&, double v) { f.*Member = static_cast<type>(v); }};
}

template <auto... Path>
constexpr number_field rate(const char* key, needed where) {
  return {key,
          where,
          1e18,
          false,
          [](const device_facts&, const device_limits& l) { return member<Path...>(l); },
          [](device_facts&, device_limits& l, double v) { member<Path...>(l) = v; }};
}

using f = device_facts;
using l = device_limits;
using w = device_waits;
using o = operation_latencies;
constexpr number_field number_fields[] = {
    fact<&f::units>("units", needed::always),
    fact<&f::compute_capability>("compute_capability", needed::on_gpus, 999),
    fact<&f::memory>("memory", needed::always),
    fact<&f::l2>("l2", needed::always),
    fact<&f::shared_per_team>("shared_per_team", needed::always),
    fact<&f::shared_per_unit>("shared_per_unit", needed::on_gpus),
    fact<&f::registers_per_unit>("registers_per_unit", needed::on_gpus),
    fact<&f::cluster_teams>("cluster_teams", needed::never, most_cluster_teams),
    rate<&l::memory>("rates.memory_bytes_per_s", needed::always),
    rate<&l::l2>("rates.l2_bytes_per_s", needed::always),
    rate<&l::shared>("rates.shared_bytes_per_s", needed::always),
    rate<&l::unit_through>("rates.unit_bytes_per_s", needed::always),
    rate<&l::l2_cached>("rates.l2_cached_bytes", needed::always),
    rate<&l::clock>("rates.clock_hz", needed::always),
    rate<&l::fma_f64>("rates.fma_f64_per_cycle", needed::always),
    rate<&l::fma_f32>("rates.fma_f32_per_cycle", needed::always),
    rate<&l::barrier>("rates.barrier_s", needed::always),
    rate<&l::launch>("rates.launch_s", needed::always),
    rate<&l::waits, &w::phase>("rates.phase_s", needed::on_gpus),
    rate<&l::waits, &w::product>("rates.product_s", needed::on_gpus),
    rate<&l::whole_waits, &w::phase>("rates.whole_phase_s", needed::on_gpus),
    rate<&l::whole_waits, &w::product>("rates.whole_product_s", needed::on_gpus),
    rate<&l::cluster_barrier>("rates.cluster_barrier_s", needed::with_clusters),
    rate<&l::cluster_waits, &w::phase>("rates.cluster_phase_s", needed::with_clusters),
    rate<&l::cluster_waits, &w::product>("rates.cluster_product_s", needed::with_clusters),
    rate<&l::ghost_waits, &w::phase>("rates.ghost_phase_s", needed::with_clusters),
    rate<&l::ghost_waits, &w::product>("rates.ghost_product_s", needed::with_clusters),
    rate<&l::latencies, &o::multiply_add>("rates.fma_f32_latency_cycles", needed::never),
    rate<&l::latencies, &o::shared_read>("rates.shared_latency_cycles", needed::never),
    rate<&l::latencies, &o::shuffle>("rates.shuffle_latency_cycles", needed::never),
};

constexpr const char* text_keys[] = {"document", "name", "backend"};
constexpr const char* yes_keys[] = {"cooperative_launch", "measured"};

class reader {
 public:
  reader(std::span<const named_fact> values, std::string_view source)
      : values_(values), source_(source) {}

  device_facts read() {
    require_known();
    if (const auto kind = text("document"); kind != device_facts_document)
      fail(fmt::format("document: expected '{}', found '{}'", device_facts_document, kind));
    if (const double schema = number("schema"); schema != 1)
      fail(fmt::format("schema: expected 1, found {}", schema));
    device_facts facts;
    device_limits limits;
    facts.name = text("name");
    const std::string on = text("backend");
    if (on != "cpu" && on != "cuda")
      fail(fmt::format("backend: expected cpu or cuda, found '{}'", on));
    facts.on = on == "cpu" ? backend::cpu : backend::cuda;
    for (const number_field& field : number_fields) take(field, facts, limits);
    facts.cooperative_launch = yes("cooperative_launch");
    limits.measured = yes("measured");
    limits.units = facts.units;
    facts.memory_free = facts.memory;
    facts.limits = std::make_shared<const device_limits>(limits);
    return facts;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw input_error(fmt::format("{}: {}", source_, why));
  }

  const named_fact* find(std::string_view key) const {
    const auto at =
        std::find_if(values_.begin(), values_.end(), [&](const auto& v) { return v.key == key; });
    return at == values_.end() || std::holds_alternative<std::monostate>(at->value) ? nullptr
                                                                                    : &*at;
  }

  template <class T>
  const T& required(std::string_view key, const char* type) const {
    const named_fact* found = find(key);
    if (!found) fail(fmt::format("expected field {}, found none", key));
    if (!std::holds_alternative<T>(found->value))
      fail(fmt::format("{}: expected {}, found {}", key, type, shown(*found)));
    return std::get<T>(found->value);
  }

  static std::string shown(const named_fact& v) {
    if (const auto* number = std::get_if<double>(&v.value)) return fmt::format("{}", *number);
    if (const auto* boolean = std::get_if<bool>(&v.value)) return *boolean ? "true" : "false";
    return fmt::format("'{}'", std::get<std::string>(v.value));
  }

  const std::string& text(std::string_view key) const { return required<std::string>(key, "text"); }
  double number(std::string_view key) const { return required<double>(key, "a number"); }
  bool yes(std::string_view key) const { return required<bool>(key, "true or false"); }

  void take(const number_field& field, device_facts& facts, device_limits& limits) const {
    const bool must = field.where == needed::always ||
                      (field.where == needed::on_gpus && facts.on == backend::cuda) ||
                      (field.where == needed::with_clusters && facts.cluster_teams > 0);
    if (!must && !find(field.key)) return;
    const double v = number(field.key);
    const bool right = std::isfinite(v) && (must ? v > 0 : v >= 0) && v <= field.most &&
                       (!field.whole || v == std::floor(v));
    if (!right)
      fail(fmt::format("{}: expected a {}number {}, at most {}, found {}", field.key,
                       field.whole ? "whole " : "", must ? "above 0" : "from 0 on", field.most, v));
    field.set(facts, limits, v);
  }

  /// A field that nobody reads is a slip of the pen.
  void require_known() const {
    std::vector<std::string_view> known = {"schema", "version"};
    known.insert(known.end(), std::begin(text_keys), std::end(text_keys));
    known.insert(known.end(), std::begin(yes_keys), std::end(yes_keys));
    for (const number_field& field : number_fields) known.emplace_back(field.key);
    for (const named_fact& v : values_)
      if (std::find(known.begin(), known.end(), v.key) == known.end())
        fail("expected a field of device facts, found " + found_word(v.key, known));
  }

  std::span<const named_fact> values_;
  std::string_view source_;
};

}  // namespace

device_facts facts_from(std::span<const named_fact> values, std::string_view source) {
  return reader(values, source).read();
}

std::vector<named_fact> fact_values_of(const device_facts& facts) {
  const device_limits limits = limits_of(facts);
  std::vector<named_fact> out = {{"name", facts.name}, {"backend", to_string(facts.on)}};
  const auto add_numbers = [&](bool rates) {
    for (const number_field& field : number_fields)
      if (std::string_view(field.key).starts_with("rates.") == rates) {
        const double v = field.get(facts, limits);
        if (v > 0 || !rates)
          out.push_back({field.key, v});
        else
          out.push_back({field.key, std::monostate{}});
      }
  };
  add_numbers(false);
  out.push_back({"cooperative_launch", facts.cooperative_launch});
  out.push_back({"measured", limits.measured});
  add_numbers(true);
  return out;
}

}  // namespace dwell
