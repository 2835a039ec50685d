// SPDX-License-Identifier: MIT
// Lists of elements, copied to the device.
#include "dwell/execution/comm/device_halo.hpp"

namespace dwell {
namespace {

std::vector<rank_message> lengths_of(const std::vector<halo_pattern::part>& parts,
                                     std::size_t element_bytes) {
  std::vector<rank_message> all;
  for (const halo_pattern::part& p : parts)
    all.push_back({p.peer, nullptr, static_cast<std::size_t>(p.count) * element_bytes});
  return all;
}

}  // namespace

device_halo::device_halo(const device& where, device_transport& by, const halo_pattern& pattern,
                         void* vector, std::size_t element_bytes)
    : where_(where),
      elements_(buffer<index>::copy_of(where, pattern.elements)),
      outgoing_(where, pattern.elements.size() * element_bytes),
      packing_{vector, elements_.data(), static_cast<index>(pattern.elements.size()), element_bytes,
               outgoing_.data()},
      messages_(by.messages(lengths_of(pattern.sends, element_bytes),
                            lengths_of(pattern.receives, element_bytes))) {
  auto* const ghosts =
      static_cast<std::byte*>(vector) + static_cast<std::size_t>(pattern.own) * element_bytes;
  for (const halo_pattern::part& p : pattern.sends)
    from_.push_back(outgoing_.data() + static_cast<std::size_t>(p.first) * element_bytes);
  for (const halo_pattern::part& p : pattern.receives)
    to_.push_back(ghosts + static_cast<std::size_t>(p.first) * element_bytes);
}

}  // namespace dwell
