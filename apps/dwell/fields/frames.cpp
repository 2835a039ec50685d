// SPDX-License-Identifier: MIT
// Frames in one picture are kept until the end, since their scale is that of all of them, unless
// one was given. Frames in files are written as they come.
#include "fields/frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "stencil/field.hpp"

#include "dwell/base/error.hpp"
#include "dwell/formats/descriptor.hpp"
#include "dwell/formats/field_values.hpp"

namespace dwell::app {
namespace {

constexpr std::string_view step_mark = "{step}";
constexpr int usual_frames = 100, usual_rows = 500, most_frames = 10000;
constexpr int most_columns = 2048;  // those of write_png()

}  // namespace

std::string frames_request::file_of(std::int64_t step) const {
  std::string file = to.path();
  const auto width = std::to_string(steps).size();
  for (auto at = file.find(step_mark); at != std::string::npos; at = file.find(step_mark, at))
    file.replace(at, step_mark.size(), fmt::format("{:0{}}", step, width));
  return file;
}

void frames_request::check(output_files& outputs, const std::vector<std::string>& inputs) const {
  if (form != frames_form::files) {
    outputs.add(to);
    return;
  }
  outputs.add(destination(to.option(), file_of(0)));
  const auto each = [&](std::int64_t step) {
    const std::filesystem::path file = file_of(step);
    for (const std::string& input : inputs)
      if (file.filename() == std::filesystem::path(input).filename() && same_file(file, input))
        throw input_error(fmt::format("{}: '{}' is an input of this run and would be overwritten",
                                      to.option(), file.string()));
  };
  for (std::int64_t step = 0; step < steps; step += every) each(step);
  each(steps);
}

frames_request make_frames(const destination& to, const stencil_definition& definition, int field,
                           const std::optional<int>& every, const std::optional<png_scale>& scale,
                           int steps) {
  frames_request r{.to = to,
                   .field = field,
                   .name = definition.tape().fields[static_cast<std::size_t>(field)],
                   .steps = steps,
                   .scale = scale};
  const bool marked = to.name().find(step_mark) != std::string::npos;
  const auto end = std::filesystem::path(to.name()).extension();
  if (to.standard() || is_stream(to.path()) ||
      (end != ".png" && !(marked && (end == ".npy" || end == ".vti"))))
    throw input_error(
        fmt::format("{}: expected a name that ends in .png, or one with {} in it for "
                    "a file of each frame, .npy, .vti or .png, found '{}'",
                    to.option(), step_mark, to.name()));
  r.form = marked                   ? frames_form::files
           : definition.dims() == 1 ? frames_form::space_time
                                    : frames_form::film;
  if (r.form == frames_form::files && end == ".png" && !scale)
    throw input_error(fmt::format(
        "{}: expected --scale with it, which pictures in files have in common", to.option()));
  const int usual = r.form == frames_form::space_time ? usual_rows : usual_frames;
  r.every = every.value_or(std::max(1, (steps + usual - 1) / usual));
  if (steps / r.every >= most_frames)
    throw input_error(
        fmt::format("--every: expected at most {} frames, found {}: every {} of {} "
                    "steps",
                    most_frames, steps / r.every + 1, r.every, steps));
  return r;
}

template <class T>
frame_taker<T>::frame_taker(const frames_request& request, const extents& size)
    : request_(request), size_(size), film_(request.scale) {
  each_ = (size.x + most_columns - 1) / most_columns;
  across_ = (size.x + each_ - 1) / each_;
}

template <class T>
void frame_taker<T>::take(std::int64_t step, const grid<T>& u, handover& by) {
  if (failed_) return;
  last_ = step;
  ++frames_;
  switch (request_.form) {
    case frames_form::film:
      film_.add(u.view(), step);
      return;
    case frames_form::space_time:
      for (int x = 0; x < size_.x; x += each_)
        rows_.push_back(u.cells()[static_cast<std::size_t>(x)]);
      return;
    case frames_form::files: {
      const std::string file = request_.file_of(step);
      failed_ = !by.attempt(file, [&] { write_field(file, u, request_.name, request_.scale); });
      frames_ -= failed_;
    }
  }
}

template <class T>
void frame_taker<T>::finish(handover& by) {
  if (request_.form == frames_form::files) return;
  failed_ = !by.attempt(request_.to.label(), [&] {
    if (request_.form == frames_form::film) {
      film_.write(request_.to.path());
      return;
    }
    grid<T> all(extents(static_cast<int>(frames_), across_));
    std::ranges::copy(rows_, all.cells().begin());
    write_png<T>(request_.to.path(), std::as_const(all).view(), request_.scale);
  });
}

template <class T>
frames_made frame_taker<T>::made() const {
  frames_made m{request_.name, request_.every, frames_, request_.scale};
  if (request_.form == frames_form::film) m.scale = film_.scale();
  if (request_.form == frames_form::space_time && !m.scale) {
    const value_range range = dwell::range_of<T>(rows_);
    if (!std::isnan(range.least)) m.scale = png_scale{range.least, range.greatest};
  }
  return m;
}

template class frame_taker<double>;
template class frame_taker<float>;

}  // namespace dwell::app
