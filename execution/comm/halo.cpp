// SPDX-License-Identifier: MIT
// Packs elements into messages, and starts and ends their exchange.
#include "dwell/comm/halo.hpp"

#include <cstring>
#include <utility>

#include "dwell/base/error.hpp"

namespace dwell {
namespace {

template <std::size_t Bytes>
void pack(const std::vector<index>& elements, const std::byte* from, std::byte* to) {
  for (const index e : elements) {
    std::memcpy(to, from + static_cast<std::size_t>(e) * Bytes, Bytes);
    to += Bytes;
  }
}

std::vector<rank_message> messages_in(const std::vector<halo_pattern::part>& parts, std::byte* at,
                                      std::size_t element_bytes) {
  std::vector<rank_message> all;
  for (const halo_pattern::part& p : parts)
    all.push_back({p.peer, at + static_cast<std::size_t>(p.first) * element_bytes,
                   static_cast<std::size_t>(p.count) * element_bytes});
  return all;
}

}  // namespace

halo_exchange::halo_exchange(communicator& comm, const halo_pattern& pattern, void* vector,
                             std::size_t element_bytes)
    : pattern_(pattern),
      vector_(static_cast<const std::byte*>(vector)),
      element_bytes_(element_bytes),
      outgoing_(pattern.elements.size() * element_bytes) {
  std::byte* const ghosts =
      static_cast<std::byte*>(vector) + static_cast<std::size_t>(pattern.own) * element_bytes;
  messages_ = comm.messages(messages_in(pattern.sends, outgoing_.data(), element_bytes),
                            messages_in(pattern.receives, ghosts, element_bytes));
}

void halo_exchange::start() {
  switch (element_bytes_) {
    case 4:
      pack<4>(pattern_.elements, vector_, outgoing_.data());
      break;
    case 8:
      pack<8>(pattern_.elements, vector_, outgoing_.data());
      break;
    case 16:
      pack<16>(pattern_.elements, vector_, outgoing_.data());
      break;
    case 32:
      pack<32>(pattern_.elements, vector_, outgoing_.data());
      break;
    case 64:
      pack<64>(pattern_.elements, vector_, outgoing_.data());
      break;
    default:
      throw input_error("halo: expected elements of 4, 8, 16, 32 or 64 bytes, found " +
                        std::to_string(element_bytes_));
  }
  messages_->start();
}

}  // namespace dwell
