// SPDX-License-Identifier: MIT
// A field as a picture: a heat map, row 0 on top, with a colour bar and the range of values; of a
// field in three dimensions plane nz / 2 and its range, of one dimension a curve. Fields of more
// than 2048 cells a side are shown at every n-th cell, small ones enlarged. And as a film: a PNG
// with several frames (APNG), which browsers play and other programs show the first frame of.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "dwell/base/api.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell {

/// The values that have the first and the last colour, both finite, least <= greatest. Values
/// outside have those, too.
struct png_scale {
  double least = 0;     ///< dark
  double greatest = 1;  ///< light
};

/// The file appears whole or not at all. Cells that are not finite are grey; a field
/// without any other has no colour bar. scale: else the range of the values. T is float or double.
template <class T>
DWELL_API void write_png(const std::filesystem::path& file, grid_view<const T> values,
                         const std::optional<png_scale>& scale = {});
extern template DWELL_API void write_png(const std::filesystem::path&, grid_view<const double>,
                                         const std::optional<png_scale>&);
extern template DWELL_API void write_png(const std::filesystem::path&, grid_view<const float>,
                                         const std::optional<png_scale>&);

/// Frames with one scale, in 241 colours, and with the number of the step below each. Sides of more
/// than 1024 cells are shown at every n-th cell. T is float or double.
template <class T>
class DWELL_API png_animation {
 public:
  /// Without a scale it is the range of all frames: they are then kept until write(), at most 2^20
  /// values of each.
  explicit png_animation(const std::optional<png_scale>& scale = {});
  ~png_animation();
  png_animation(png_animation&&) noexcept;  ///< what was moved from is not used any more
  /// Adds a frame. Throws input_error if its size is another than that of the first one.
  void add(grid_view<const T> values, std::int64_t step);
  /// The number of frames.
  std::int64_t frames() const;
  /// The scale: that of the constructor, or of the finite values so far; none without any.
  std::optional<png_scale> scale() const;
  /// A film that goes on from the start, 15 frames a second, with a second for the last one. At
  /// least one frame was added. The file appears whole or not at all.
  void write(const std::filesystem::path& file) const;

 private:
  struct content;
  std::unique_ptr<content> content_;
};
extern template class png_animation<double>;
extern template class png_animation<float>;

}  // namespace dwell
