// SPDX-License-Identifier: MIT
// APNG, as the PNG specification's third edition has it: acTL before the first frame, fcTL before
// each one, fdAT in place of IDAT from the second one on. Each frame is a PNG of libpng, whose IDAT
// chunks become these.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/formats/atomic_file.hpp"
#include "dwell/formats/png.hpp"
#include "dwell/formats/png_canvas.hpp"

namespace dwell {
namespace {

constexpr int largest_frame = 1024, frames_a_second = 15;
constexpr std::size_t signature_bytes = 8;

std::string big_endian(std::uint32_t value, int bytes = 4) {
  std::string text;
  for (int k = bytes; k-- > 0;) text += static_cast<char>(value >> (8 * k) & 255);
  return text;
}
std::uint32_t number_at(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<unsigned char>(bytes[k]);
  return value;
}

std::string chunk(std::string_view type, std::string_view data) {
  const std::string body = std::string(type) + std::string(data);
  const auto sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  return big_endian(static_cast<std::uint32_t>(data.size())) + body +
         big_endian(static_cast<std::uint32_t>(sum));
}

/// The chunks of a type in a PNG.
std::vector<std::string_view> chunks_of(std::string_view png, std::string_view type) {
  std::vector<std::string_view> found;
  for (png.remove_prefix(signature_bytes); png.size() >= 12;) {
    const std::size_t size = number_at(png);
    if (png.substr(4, 4) == type) found.push_back(png.substr(8, size));
    png.remove_prefix(12 + size);
  }
  return found;
}

}  // namespace

template <class T>
struct png_animation<T>::content {
  std::optional<png_scale> fixed;
  std::optional<extents> size;  ///< the extents of every field
  std::optional<value_range> range;
  std::vector<std::pair<std::int64_t, grid<T>>> kept;
  std::vector<std::string> encoded;

  /// A whole PNG of a frame.
  std::string encode(std::int64_t step, const grid<T>& cells, const value_range& all) const {
    png_canvas picture =
        draw_cells(cells.view(), all, png_colours::few, fmt::format("step {}", step));
    return encode_indexed_png(picture);
  }
};

template <class T>
png_animation<T>::png_animation(const std::optional<png_scale>& scale)
    : content_(std::make_unique<content>()) {
  content_->fixed = scale;
}
template <class T>
png_animation<T>::~png_animation() = default;
template <class T>
png_animation<T>::png_animation(png_animation&&) noexcept = default;

template <class T>
void png_animation<T>::add(grid_view<const T> values, std::int64_t step) {
  content& c = *content_;
  if (c.size && *c.size != values.size)
    throw input_error(fmt::format("animation: expected {} cells as of the first frame, found {}",
                                  to_string(*c.size), to_string(values.size)));
  c.size = values.size;
  if (c.fixed) {
    c.encoded.push_back(
        c.encode(step, shown_cells(values, largest_frame), {c.fixed->least, c.fixed->greatest}));
    return;
  }
  const value_range now = shown_range(values);
  if (!std::isnan(now.least))
    c.range = c.range ? value_range{std::min(c.range->least, now.least),
                                    std::max(c.range->greatest, now.greatest)}
                      : now;
  c.kept.emplace_back(step, shown_cells(values, largest_frame));
}

template <class T>
std::int64_t png_animation<T>::frames() const {
  return static_cast<std::int64_t>(content_->kept.size() + content_->encoded.size());
}

template <class T>
std::optional<png_scale> png_animation<T>::scale() const {
  if (content_->fixed || !content_->range) return content_->fixed;
  return png_scale{content_->range->least, content_->range->greatest};
}

template <class T>
void png_animation<T>::write(const std::filesystem::path& file) const {
  const content& c = *content_;
  const auto count = static_cast<std::size_t>(frames());
  if (count == 0) throw input_error("animation: expected a frame at least, found none");
  const value_range range = c.range.value_or(value_range{NAN, NAN});
  atomic_file out(file);
  std::uint32_t sequence = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string made =
        c.fixed ? std::string() : c.encode(c.kept[k].first, c.kept[k].second, range);
    const std::string_view png = c.fixed ? c.encoded[k] : made;
    const std::string_view header = chunks_of(png, "IHDR").at(0);
    if (k == 0) {
      out.write(png.substr(0, signature_bytes));
      out.write(chunk("IHDR", header));
      out.write(chunk("PLTE", chunks_of(png, "PLTE").at(0)));
      // Played again and again.
      out.write(chunk("acTL", big_endian(static_cast<std::uint32_t>(count)) + big_endian(0)));
    }
    const bool last = k + 1 == count;
    // Width and height, at 0, 0; how long; the next frame takes its place as it is.
    out.write(chunk("fcTL", big_endian(sequence++) + std::string(header.substr(0, 8)) +
                                big_endian(0) + big_endian(0) + big_endian(1, 2) +
                                big_endian(last ? 1 : frames_a_second, 2) + big_endian(0, 2)));
    for (const std::string_view data : chunks_of(png, "IDAT"))
      out.write(k == 0 ? chunk("IDAT", data)
                       : chunk("fdAT", big_endian(sequence++) + std::string(data)));
  }
  out.write(chunk("IEND", {}));
  out.commit();
}

template class png_animation<double>;
template class png_animation<float>;

}  // namespace dwell
