// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4), for keys and checks of files that are made while Dwell runs.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dwell {

class sha256 {
 public:
  sha256& add(std::string_view bytes);
  /// Adds a part by itself: with its length before it, so that parts cannot run into each other.
  sha256& add_part(std::string_view bytes);
  /// In 64 hexadecimal digits. Nothing can be added afterwards.
  std::string digest();

 private:
  void take_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace dwell
