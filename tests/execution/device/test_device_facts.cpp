// SPDX-License-Identifier: MIT
// Device facts as names and values: what ships is whole and consistent, what a file says is what
// plans are made with, and a file that says something else is refused with the field.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/facts_fields.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

using values = std::vector<named_fact>;

/// What a file about this device holds.
values file_of(const device_facts& facts) {
  values all = fact_values_of(facts);
  all.push_back({"schema", 1.0});
  all.push_back({"document", device_facts_document});
  all.push_back({"version", std::monostate{}});
  return all;
}

named_fact& field(values& all, const std::string& key) {
  return *std::find_if(all.begin(), all.end(), [&](const auto& v) { return v.key == key; });
}

template <class V>
values with(values all, const std::string& key, const V& value) {
  field(all, key).value = value;
  return all;
}

values without(values all, const std::string& key) {
  std::erase_if(all, [&](const auto& v) { return v.key == key; });
  return all;
}

TEST(device_facts, what_ships_is_in_the_order_of_generations) {
  int before = 0;
  for (const char* name : known_devices()) {
    const device_facts d = facts_of(name);
    EXPECT_GE(d.compute_capability, before) << name;
    before = d.compute_capability;
    EXPECT_EQ(d.on, backend::cuda) << name;
    EXPECT_EQ(d.cluster_teams > 0, d.compute_capability >= 90) << name;
    const device_limits l = limits_of(d);
    EXPECT_EQ(l.units, d.units) << name;
    // Nearer memories are faster, and L2 does not hold more than there is of it.
    EXPECT_LT(l.memory, l.l2) << name;
    EXPECT_LT(l.l2, l.shared) << name;
    EXPECT_LE(l.l2_cached, static_cast<double>(d.l2)) << name;
    const double of_peak = l.shared / (128.0 * d.units * l.clock);
    EXPECT_GT(of_peak, 0.95) << name;
    EXPECT_LE(of_peak, 1 + 1e-12) << name;
    EXPECT_EQ(l.measured, d.compute_capability == 90) << name;
  }
}

TEST(device_facts, a_file_says_what_the_facts_say) {
  for (const char* name : known_devices()) {
    const device_facts one = facts_of(name), again = facts_from(file_of(one), "F");
    ASSERT_TRUE(again.limits);
    const values a = fact_values_of(one), b = fact_values_of(again);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_EQ(a[k].key, b[k].key);
      EXPECT_EQ(a[k].value, b[k].value) << name << " " << a[k].key;
    }
  }
}

TEST(device_facts, the_rates_of_a_file_stand_in_for_those_that_ship) {
  const auto slow = with(file_of(facts_of("h200")), "rates.memory_bytes_per_s", 1e12);
  EXPECT_EQ(limits_of(facts_from(slow, "F")).memory, 1e12);
  EXPECT_EQ(limits_of(facts_of("h200")).memory, 4.32e12);
}

TEST(device_facts, a_file_that_says_something_else_is_refused_with_the_field) {
  const values good = file_of(facts_of("h200"));
  const auto refused = [](const values& v) { return refusal([&] { facts_from(v, "F.json"); }); };
  EXPECT_EQ(refused(without(good, "rates.clock_hz")),
            "F.json: expected field rates.clock_hz, found none");
  EXPECT_EQ(refused(with(good, "rates.barrier_s", std::monostate{})),
            "F.json: expected field rates.barrier_s, found none");
  EXPECT_EQ(refused(with(good, "units", 0.0)),
            "F.json: units: expected a whole number above 0, at most 2147483647, found 0");
  EXPECT_EQ(refused(with(good, "units", 1.5)),
            "F.json: units: expected a whole number above 0, at most 2147483647, found 1.5");
  EXPECT_EQ(refused(with(good, "rates.l2_bytes_per_s", -1.0)),
            "F.json: rates.l2_bytes_per_s: expected a number above 0, at most 1e+18, found -1");
  EXPECT_EQ(refused(with(good, "cluster_teams", 17.0)),
            "F.json: cluster_teams: expected a whole number from 0 on, at most 16, found 17");
  EXPECT_EQ(refused(with(good, "measured", std::string("yes"))),
            "F.json: measured: expected true or false, found 'yes'");
  EXPECT_EQ(refused(with(good, "backend", std::string("gpu"))),
            "F.json: backend: expected cpu or cuda, found 'gpu'");
  EXPECT_EQ(refused(with(good, "document", std::string("info"))),
            "F.json: document: expected 'device facts', found 'info'");
  EXPECT_EQ(refused(with(good, "schema", 2.0)), "F.json: schema: expected 1, found 2");
  values odd = good;
  odd.push_back({"rates.barier_s", 1.0});
  EXPECT_EQ(refused(odd),
            "F.json: expected a field of device facts, found 'rates.barier_s'; did you mean "
            "'rates.barrier_s'?");
}

TEST(device_facts, what_a_device_does_not_have_may_be_unknown) {
  values a100 = file_of(facts_of("a100"));
  EXPECT_NO_THROW(facts_from(a100, "F"));  // without clusters
  field(a100, "cluster_teams").value = 8.0;
  EXPECT_THROW(facts_from(a100, "F"), input_error);
  values cpu = with(file_of(facts_of("a100")), "backend", std::string("cpu"));
  for (const char* key : {"compute_capability", "shared_per_unit", "registers_per_unit",
                          "rates.phase_s", "rates.whole_product_s"})
    cpu = without(cpu, key);
  EXPECT_EQ(facts_from(cpu, "F").on, backend::cpu);
}

TEST(device_facts, a_run_is_planned_with_facts_of_its_own_device_only) {
  const device here = device::cpu(1);
  device_facts facts = here.facts();
  EXPECT_FALSE(facts.limits);
  device_limits rates = limits_of(facts);
  rates.memory = 1e10;
  facts.limits = std::make_shared<const device_limits>(rates);
  const device planned = planned_with(here, facts, "F");
  EXPECT_EQ(limits_of(planned.facts()).memory, 1e10);
  EXPECT_EQ(planned.threads(), here.threads());
  facts.name = "another";
  EXPECT_TRUE(refusal([&] {
                planned_with(here, facts, "F");
              }).starts_with("F: expected facts of the device that runs, '"));
}

TEST(device_facts, rates_go_by_the_number_of_threads) {
  device_facts one = device::cpu(1).facts();
  device_limits rates = limits_of(one);
  rates.units = 4;  // measured with four threads
  rates.memory = 4e10;
  rates.barrier = 1e-6;
  one.limits = std::make_shared<const device_limits>(rates);
  const device_limits l = limits_of(planned_with(device::cpu(1), one, "F").facts());
  EXPECT_EQ(l.memory, 1e10);
  EXPECT_EQ(l.barrier, 1e-6);
}

}  // namespace
}  // namespace dwell::test
