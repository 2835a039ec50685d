// SPDX-License-Identifier: MIT
// Private to formats: a field as pixels, with a colour bar; and the pixels as a PNG.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dwell/formats/field_values.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell {

class png_canvas {
 public:
  using colour = std::array<std::uint8_t, 3>;
  static constexpr int advance = 6, text_height = 7;  ///< size of a character, in pixels

  png_canvas(int width, int height);  ///< white
  void set(int x, int y, const colour& c);
  std::uint8_t* row(int y) {
    return pixels_.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width) * 3;
  }
  /// Draws words of digits, "-+.e" and the letters of "step"; a blank for what there is no glyph
  /// for.
  void text(int x, int y, const std::string& words);

  const int width, height;

 private:
  std::vector<std::uint8_t> pixels_;
};

/// A whole PNG, of 24 bits a pixel.
std::string encode_png(png_canvas& picture);
/// Likewise of 8, with one palette for all pictures: those that were drawn with few colours.
std::string encode_indexed_png(png_canvas& picture);

/// How many colours there are between the ends of a range.
enum class png_colours {
  all,
  few  ///< a palette has room for them and for those of text and curves
};

/// What a picture shows of a field: plane nz / 2 of three dimensions, of a side with more than
/// `largest` cells every n-th. A line stays one.
template <class T>
grid<T> shown_cells(grid_view<const T> values, int largest);
/// The finite values of the plane, of all its cells; NaN to NaN where there are none.
template <class T>
value_range shown_range(grid_view<const T> values);

/// Cells of a plane by their colour, small planes enlarged, or of a line as a curve; beside them a
/// colour bar, of a curve none, with the ends of the range. caption: below them, none if empty.
/// Values outside of the range are as its ends.
template <class T>
png_canvas draw_cells(grid_view<const T> cells, const value_range& range,
                      png_colours colours = png_colours::all, const std::string& caption = {});

extern template grid<double> shown_cells(grid_view<const double>, int);
extern template grid<float> shown_cells(grid_view<const float>, int);
extern template value_range shown_range(grid_view<const double>);
extern template value_range shown_range(grid_view<const float>);
extern template png_canvas draw_cells(grid_view<const double>, const value_range&, png_colours,
                                      const std::string&);
extern template png_canvas draw_cells(grid_view<const float>, const value_range&, png_colours,
                                      const std::string&);

}  // namespace dwell
