// SPDX-License-Identifier: MIT
// libFuzzer target of the reader of .dwell files: any bytes give a sound matrix or an error of one
// line, the same with one thread as with three, and whole as in parts. Checksums stop nearly every
// random change, so of most inputs they are made right first, and the length is.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "dwell/base/error.hpp"
#include "dwell/formats/binary_matrix_layout.hpp"

namespace {

using dwell::binary_matrix_file;

void put_number(std::string& bytes, std::size_t at, std::uint32_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// The file that these bytes could have been.
std::string repaired(std::string bytes) {
  namespace binary = dwell::binary;
  constexpr std::size_t header = binary::header_bytes;
  bytes.resize(std::max(bytes.size(), header));
  bytes.replace(0, binary::magic.size(), binary::magic);
  put_number(bytes, 8, 1);
  put_number(bytes, header - 4, binary::checksum(0, {bytes.data(), header - 4}));
  binary::layout at;
  try {
    at = binary::lay_out(binary::decode({bytes.data(), header}, "x"), "x");
  } catch (const dwell::input_error&) {
    return bytes;
  }
  if (at.file_bytes > 1 << 18) return bytes;
  bytes.resize(static_cast<std::size_t>(at.file_bytes));
  for (const binary::section* s : {&at.row_ptr, &at.columns, &at.values})
    for (std::int64_t b = 0; b < s->blocks(); ++b) {
      const auto low = b * binary::block_bytes,
                 high = std::min(low + binary::block_bytes, s->bytes);
      put_number(
          bytes, static_cast<std::size_t>(s->sums_at + b * 4),
          binary::checksum(0, {bytes.data() + s->at + low, static_cast<std::size_t>(high - low)}));
    }
  return bytes;
}

/// The bytes of what f(file) reads, or its message.
template <class F>
std::string read(const std::string& name, F&& f) {
  try {
    return f(binary_matrix_file(name));
  } catch (const dwell::error& e) {
    const std::string message = e.what();
    if (message.find('\n') != std::string::npos || !message.starts_with("/dev/fd/")) std::abort();
    return "refused";
  }
}
template <class T>
void append(std::string& to, const std::vector<T>& from) {
  to.append(reinterpret_cast<const char*>(from.data()), from.size() * sizeof(T));
}

std::string whole(const binary_matrix_file& file, int threads) {
  const dwell::csr<double> a = file.matrix(threads);
  dwell::check(a.view());  // escapes as an error if the reader let something through
  std::string all;
  append(all, std::vector<std::int64_t>(a.row_ptr.begin(), a.row_ptr.end()));
  append(all, std::vector<std::int64_t>(a.col.begin(), a.col.end()));
  append(all, a.val);
  return all;
}

/// Two parts, put together.
std::string in_parts(const binary_matrix_file& file) {
  const std::int64_t middle = file.rows() / 2;
  dwell::matrix_rows a = file.part(0, middle, 1);
  const dwell::matrix_rows b = file.part(middle, file.rows(), 3);
  if (a.row_ptr.back() != file.row_ptr(middle)) std::abort();
  const std::int64_t before = a.row_ptr.back();
  for (std::size_t k = 1; k < b.row_ptr.size(); ++k) a.row_ptr.push_back(before + b.row_ptr[k]);
  std::string all;
  append(all, a.row_ptr);
  append(all, a.col);
  append(all, b.col);
  append(all, a.val);
  append(all, b.val);
  return all;
}

void try_out(const std::string& bytes) {
  const int fd = ::memfd_create("input", 0);
  if (fd < 0 || ::write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    std::abort();
  const std::string name = "/dev/fd/" + std::to_string(fd);
  const auto rewound = [&](auto&& f) {
    ::lseek(fd, 0, SEEK_SET);
    return read(name, f);
  };
  const auto one = rewound([](const auto& file) { return whole(file, 1); });
  const auto three = rewound([](const auto& file) { return whole(file, 3); });
  const auto parts = rewound([](const auto& file) { return in_parts(file); });
  // What is too large for one process may be read in parts.
  if (one != three || (one != "refused" && one != parts)) std::abort();
  ::close(fd);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string given(reinterpret_cast<const char*>(bytes), size);
  try_out(given);
  try_out(repaired(given));
  return 0;
}
