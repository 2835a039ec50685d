// SPDX-License-Identifier: MIT
// Entries are counted when the text has outgrown what those counted before allow, so that of a long
// file of short lines next to nothing is looked at twice.
#include "dwell/formats/matrix_market_bounded.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/formats/matrix_market_body.hpp"

namespace dwell::mm {
namespace {

constexpr std::uint64_t mebi = std::uint64_t{1} << 20;
// Generous: the longest line that a program writes has two indices and a value of 25 bytes, the
// format itself allows 1024; what is not entries (comments, blank lines) may take 16 MiB.
constexpr std::uint64_t per_entry = 256, beside = 16 * mebi;
// Coordinates, no two of them the same, pack to a third or a fifth (measured: diagonals,
// Laplacians, a row of ones); what packs to a 64th is the same entry over and over. An array of one
// value packs to a thousandth: a vector of 33 million ones is read.
constexpr std::uint64_t per_packed_byte = 64, coordinates = 16 * mebi, arrays = 64 * mebi;

std::uint64_t memory_of_machine() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void require_memory(std::uint64_t bytes, const std::string& name) {
  if (bytes > memory_of_machine())
    throw device_error(fmt::format("{}: not enough memory: {} bytes or more, the machine has {}",
                                   name, bytes, memory_of_machine()));
}

void require_memory(const header_found& h, const text& t, std::uint64_t bytes) {
  const std::uint64_t value = h.header.field == mm_field::complex ? 16 : 8;
  const std::uint64_t matrix =
      (value + sizeof(index)) * static_cast<std::uint64_t>(h.header.stored) +
      sizeof(index) * static_cast<std::uint64_t>(h.header.rows);
  require_memory(bytes + matrix, line_of(t, h.size_line));
}

bool begins_well(const text& begun, bool whole) {
  const bool line = std::memchr(begun.begin, '\n', begun.size()) != nullptr;
  if (!line && !whole && begun.size() < longest_first_line) return false;
  require_banner(begun);
  if (!line && !whole)
    fail(begun, {begun.end, fmt::format("the end of the first line within {} bytes", begun.size()),
                 "more of it"});
  return true;
}

bounded_text::bounded_text(std::string name, std::function<std::uint64_t()> packed,
                           head_check check)
    : packed_(std::move(packed)), check_(std::move(check)) {
  out_.name = std::move(name);
}

bool bounded_text::add(std::string_view block) {
  if (block.empty() || enough_) return !enough_;
  std::memcpy(out_.bytes.room(block.size()), block.data(), block.size());
  out_.bytes.added(block.size());
  if (!begins_well_) begins_well_ = begins_well(out_.view(), false);
  if (out_.bytes.size() > limit_) look();
  return !enough_;
}

document bounded_text::take() { return std::move(out_); }

void bounded_text::look() {
  const text t = out_.view();
  require_memory(t.size(), t.name);
  if (!head_) look_at_head(t);
  if (head_ && !enough_) look_at_entries(t);
}

void bounded_text::look_at_head(const text& t) {
  if (header_complete(t)) {
    const header_found h = parse_header(t);
    head_ = counted_ = static_cast<std::uint64_t>(h.body - t.begin);
    announced_ = h.header.stored;
    array_ = h.header.layout == mm_layout::array;
    enough_ = check_ && !check_(t, h);
    if (!enough_) require_memory(h, t, t.size());
    return;
  }
  if (t.size() > longest_head)
    fail(t, {t.end, fmt::format("a size line in the first {} bytes", longest_head), "none"});
  limit_ = std::min<std::uint64_t>(2 * t.size(), longest_head);  // look again when it has doubled
}

void bounded_text::look_at_entries(const text& t) {
  const auto allowed = [&] {
    return head_ + beside + per_entry * static_cast<std::uint64_t>(std::min(entries_, announced_));
  };
  const header_found h = parse_header(t);
  if (t.size() > allowed()) {
    // Whole lines; the last one's end has perhaps not come yet.
    const char* end = t.end;
    while (end != t.begin + counted_ && end[-1] != '\n') --end;
    each_data_line(t.begin + counted_, end, [&](const char* p) {
      ++entries_;
      return p;
    });
    counted_ = static_cast<std::uint64_t>(end - t.begin);
    if (entries_ > announced_) {
      enough_ = true;
      return;
    }
    if (t.size() > allowed())
      fail(t, {h.size_line,
               fmt::format("at most {} bytes of text for {}{}", allowed(), entries_of(entries_),
                           entries_ < announced_ ? " that came" : ""),
               "more"});
  }
  limit_ = allowed();
  if (!packed_) return;
  const std::uint64_t unpacked =
      head_ + (array_ ? arrays : coordinates) + per_packed_byte * packed_();
  if (t.size() > unpacked)
    fail(t,
         {h.size_line,
          fmt::format("at most {} bytes of text from {} bytes of gzip data", unpacked, packed_()),
          "more (a file that is unpacked first is read whatever its size)"});
  limit_ = std::min(limit_, unpacked);
}

}  // namespace dwell::mm
