// SPDX-License-Identifier: MIT
// Kernels as bytes: parts, each with its length before it, and the SHA-256 of all that.
#include "dwell/execution/device/kernel_store.hpp"

#include <charconv>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "dwell/base/sha256.hpp"
#include "dwell/execution/device/kernel_facts.hpp"

namespace dwell {
namespace {

constexpr std::size_t digest_length = 64;

std::string digest_of(std::string_view bytes) {
  sha256_hash all;
  all.add_part(bytes);
  return hexadecimal(all.digest());
}

void put_part(std::string& to, std::string_view part) {
  const std::uint64_t length = part.size();
  char bytes[sizeof length];
  std::memcpy(bytes, &length, sizeof length);
  to.append(bytes, sizeof length).append(part);
}
void put_number(std::string& to, std::size_t number) { put_part(to, std::to_string(number)); }

/// Takes parts from the front. What there is not is empty, and good() says so.
class part_reader {
 public:
  explicit part_reader(std::string_view bytes) : left_(bytes) {}
  bool good() const { return good_; }
  bool at_end() const { return left_.empty(); }
  std::string text() {
    std::uint64_t length = 0;
    if (left_.size() >= sizeof length) std::memcpy(&length, left_.data(), sizeof length);
    if (left_.size() < sizeof length || length > left_.size() - sizeof length) {
      good_ = false;
      return {};
    }
    const std::string part(left_.substr(sizeof length, length));
    left_.remove_prefix(sizeof length + length);
    return part;
  }
  std::size_t number() {
    const std::string part = text();
    std::size_t value = 0;
    const char* const end = part.data() + part.size();
    if (std::from_chars(part.data(), end, value).ptr != end || part.empty()) good_ = false;
    return value;
  }

 private:
  std::string_view left_;
  bool good_ = true;
};

}  // namespace

std::string packed(const compiled_kernel& code) {
  std::string all;
  for (const std::string& part :
       {code.key, code.compiler, code.origin.what, code.origin.target, code.symbol})
    put_part(all, part);
  put_number(all, code.others.size());
  for (const std::string& other : code.others) put_part(all, other);
  put_part(all, code.cubin);
  const std::vector<kept_kernel_facts> facts = facts_of_key(code.key);
  put_number(all, facts.size());
  for (const kept_kernel_facts& one : facts) {
    put_part(all, one.place.device);
    for (const std::size_t number :
         {static_cast<std::size_t>(one.place.lanes), one.place.scratch,
          static_cast<std::size_t>(one.facts.registers),
          static_cast<std::size_t>(one.facts.spill_bytes), one.facts.shared_bytes,
          static_cast<std::size_t>(one.facts.teams_per_unit)})
      put_number(all, number);
  }
  return all + digest_of(all);
}

std::optional<compiled_kernel> unpacked(std::string_view bytes) {
  if (bytes.size() < digest_length) return std::nullopt;
  const std::string_view all = bytes.substr(0, bytes.size() - digest_length);
  if (bytes.substr(all.size()) != digest_of(all)) return std::nullopt;
  part_reader from(all);
  compiled_kernel code;
  code.key = from.text();
  code.compiler = from.text();
  code.origin.what = from.text();
  code.origin.target = from.text();
  code.symbol = from.text();
  for (std::size_t left = from.number(); left > 0 && from.good(); --left)
    code.others.push_back(from.text());
  code.cubin = from.text();
  code.found = true;
  std::vector<std::pair<kernel_place, kernel_facts>> facts;
  for (std::size_t left = from.number(); left > 0 && from.good(); --left) {
    kernel_place place;
    kernel_facts one;
    place.device = from.text();
    place.lanes = static_cast<int>(from.number());
    place.scratch = from.number();
    one.registers = static_cast<int>(from.number());
    one.spill_bytes = static_cast<int>(from.number());
    one.shared_bytes = from.number();
    one.teams_per_unit = static_cast<int>(from.number());
    facts.emplace_back(std::move(place), one);
  }
  if (!from.good() || !from.at_end()) return std::nullopt;
  for (const auto& [place, one] : facts) keep_facts(code, place, one);
  return code;
}

}  // namespace dwell
