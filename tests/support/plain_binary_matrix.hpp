// SPDX-License-Identifier: MIT
// The bytes of a .dwell file, written as docs/reference/binary-matrix.md says, by itself: with any
// arrays and header fields, sound or not, and checksums that are right.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace dwell::test {

/// CRC-32 bit by bit (polynomial 0xedb88320).
inline std::uint32_t plain_crc(const std::string& bytes) {
  std::uint32_t sum = 0xffffffffu;
  for (const char c : bytes) {
    sum ^= static_cast<unsigned char>(c);
    for (int k = 0; k < 8; ++k) sum = sum & 1 ? sum >> 1 ^ 0xedb88320u : sum >> 1;
  }
  return ~sum;
}

struct plain_binary_matrix {
  std::int64_t rows = 0, cols = 0, nonzeros = 0;
  std::vector<std::int64_t> row_ptr, col;
  std::vector<double> val;
  std::uint32_t version = 1, value_bytes = 8, column_bytes = 4, flags = 0, reserved = 0;

  std::string bytes() const {
    std::string header =
        "\x89"
        "DWELL\r\n";
    add(header, version);
    add(header, value_bytes);
    add(header, rows);
    add(header, cols);
    add(header, nonzeros);
    add(header, column_bytes);
    add(header, flags);
    for (int k = 0; k < 3; ++k) add(header, reserved);
    add(header, plain_crc(header));
    std::string arrays[3];
    for (const std::int64_t p : row_ptr) add(arrays[0], p);
    for (const std::int64_t c : col)
      column_bytes == 4 ? add(arrays[1], static_cast<std::int32_t>(c)) : add(arrays[1], c);
    for (const double v : val)
      value_bytes == 4 ? add(arrays[2], static_cast<float>(v)) : add(arrays[2], v);
    std::string all = header, sums;
    for (std::string& a : arrays) {
      a.resize((a.size() + 7) / 8 * 8);
      all += a;
      for (std::size_t at = 0; at < a.size(); at += 65536)
        add(sums, plain_crc(a.substr(at, 65536)));
    }
    return all + sums;
  }

 private:
  template <class V>
  static void add(std::string& to, V value) {
    char raw[sizeof(V)];
    std::memcpy(raw, &value, sizeof raw);
    to.append(raw, sizeof raw);
  }
};

}  // namespace dwell::test
