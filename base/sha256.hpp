// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4), for keys and checks of files that are made while Dwell runs.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dwell {

using sha256_digest = std::array<std::uint8_t, 32>;

sha256_digest sha256(std::string_view bytes);
/// In 64 hexadecimal digits.
std::string hexadecimal(const sha256_digest& digest);

/// The digest of bytes that come in pieces.
class sha256_hash {
 public:
  sha256_hash& add(std::string_view bytes);
  /// Adds a part by itself: with its length before it, so that parts cannot run into each other.
  sha256_hash& add_part(std::string_view bytes);
  /// Nothing can be added afterwards.
  sha256_digest digest();

 private:
  void take_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace dwell
