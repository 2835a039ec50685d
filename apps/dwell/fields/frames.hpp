// SPDX-License-Identifier: MIT
// Frames of a run: what --animation asks for, and what is taken while a runner does its steps.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/destination.hpp"
#include "cli/output.hpp"
#include "cli/report_target.hpp"
#include "fields/problem.hpp"

#include "dwell/formats/extents.hpp"
#include "dwell/formats/grid.hpp"
#include "dwell/formats/png.hpp"

namespace dwell::app {

/// What is made of frames.
enum class frames_form {
  film,        ///< a PNG with several frames
  space_time,  ///< a PNG with a row for each frame, of one dimension
  files        ///< a file for each frame
};

struct frames_request {
  destination to;
  frames_form form = frames_form::film;
  int field = 0;
  std::string name;  ///< the field's
  int every = 1;     ///< steps between two frames
  int steps = 0;     ///< the whole run's
  std::optional<png_scale> scale;

  /// The file of a frame of frames_form::files: {step} is the number, as wide as the last one.
  std::string file_of(std::int64_t step) const;
  /// Adds what is written to the outputs. Throws input_error as output_files does, and for a frame
  /// that has the name of one of `inputs`.
  void check(output_files& outputs, const std::vector<std::string>& inputs) const;
};

/// every: none for the usual number of frames. Throws input_error for a name of no kind of frames,
/// and for too many of them.
frames_request make_frames(const destination& to, const stencil_definition& definition, int field,
                           const std::optional<int>& every, const std::optional<png_scale>& scale,
                           int steps);

/// What was made, for reports.
struct frames_made {
  std::string field;
  int every = 0;
  std::int64_t frames = 0;
  std::optional<png_scale> scale;  ///< none of values without a picture
};

template <class T>
class frame_taker {
 public:
  frame_taker(const frames_request& request, const extents& size);
  /// A frame. What cannot be written is remembered by `by`, and frames end there.
  void take(std::int64_t step, const grid<T>& u, handover& by);
  /// Writes what is one file.
  void finish(handover& by);
  bool failed() const { return failed_; }
  /// The last step of which there is a frame; -1 before the first one.
  std::int64_t last() const { return last_; }
  frames_made made() const;

 private:
  frames_request request_;
  extents size_;
  png_animation<T> film_;
  std::vector<T> rows_;  ///< frames of space_time, `across_` cells each
  int across_ = 0, each_ = 1;
  std::int64_t frames_ = 0, last_ = -1;
  bool failed_ = false;
};

extern template class frame_taker<double>;
extern template class frame_taker<float>;

}  // namespace dwell::app
