// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4), for names and checks of files.
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

}  // namespace dwell
