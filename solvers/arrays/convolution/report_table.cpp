// SPDX-License-Identifier: MIT
// The rows.
#include "dwell/solvers/arrays/convolution/report_table.hpp"

#include <string>
#include <vector>

namespace dwell {
namespace {

template <auto... Member>
constexpr auto convolution_member = report_member<convolution_report, Member...>;

std::vector<std::string> convolution_backends() {
  return {to_string(backend::cpu), to_string(backend::cuda)};
}
std::vector<std::string> convolution_borders() {
  return {border_names().begin(), border_names().end()};
}

constexpr report_surface printed = report_surface::text | report_surface::repr;
constexpr report_absence in_the_rate = {printed, "the time and the rates are there"};

constexpr report_field<convolution_report> fields_of_convolutions[] = {
    {.name = "size",
     .unit = report_unit::cells,
     .help = "cells of an image along each axis",
     .is = convolution_member<&convolution_report::size>,
     .json = "size"},
    {.name = "images",
     .unit = report_unit::count,
     .help = "channels of a picture, or planes of an array that the filter takes one by one",
     .is = convolution_member<&convolution_report::images>,
     .json = "images"},
    {.name = "precision",
     .unit = report_unit::none,
     .help = "of sums: f64 or f32",
     .is = convolution_member<&convolution_report::precision>,
     .json = "precision"},
    {.name = "cells",
     .unit = report_unit::none,
     .help = "of the image: f64, f32, f16 or u8",
     .is = convolution_member<&convolution_report::cells>,
     .json = "cells"},
    {.name = "result",
     .unit = report_unit::none,
     .help = "cells of the outcome, likewise",
     .is = convolution_member<&convolution_report::result>,
     .json = "result",
     .absences = {{printed, "where sums are rounded to it, that is said"}}},
    {.name = "filter",
     .unit = report_unit::count,
     .help = "taps along each axis",
     .is = convolution_member<&convolution_report::filter>,
     .json = "filter.size",
     .python = "kernel"},
    {.name = "edge",
     .unit = report_unit::none,
     .help = "what lies beyond the border of an image",
     .is = convolution_member<&convolution_report::edge>,
     .json = "border",
     .python = "border",
     .words = convolution_borders},
    {.name = "correlation",
     .unit = report_unit::none,
     .help = "the filter was not turned round",
     .is = convolution_member<&convolution_report::correlation>,
     .json = "correlation",
     .says = "correlation"},
    {.name = "device",
     .unit = report_unit::none,
     .help = "name of the device that it ran on",
     .is = convolution_member<&convolution_report::device>,
     .json = "device.name"},
    {.name = "on",
     .unit = report_unit::none,
     .help = "kind of the device",
     .is = convolution_member<&convolution_report::on>,
     .json = "device.backend",
     .python = "backend",
     .words = convolution_backends,
     .absences = {{report_surface::text, "threads stand beside the algorithm on a CPU alone"}}},
    {.name = "threads",
     .unit = report_unit::count,
     .help = "on a CPU",
     .is = convolution_member<&convolution_report::threads>,
     .json = "threads",
     .none = "it ran on a GPU",
     .given = [](const convolution_report& r) { return r.threads > 0; },
     .absences = {{report_surface::repr, "Python prints the outline"}}},
    {.name = "algorithm",
     .unit = report_unit::none,
     .help = "in which passes were computed, never auto",
     .is = convolution_member<&convolution_report::algorithm>,
     .json = "algorithm"},
    {.name = "reason",
     .unit = report_unit::none,
     .help = "why this algorithm and these passes",
     .is = convolution_member<&convolution_report::reason>,
     .json = "reason"},
    {.name = "compiler",
     .unit = report_unit::none,
     .help = "what compiled its kernels when they were needed",
     .is = convolution_member<&convolution_report::compiler>,
     .json = "compiler",
     .none = "they were compiled with the library",
     .absences = {{printed, "the reason says it"}}},
    {.name = "passes",
     .unit = report_unit::count,
     .help = "over the images",
     .is = convolution_member<&convolution_report::passes>,
     .json = "passes",
     .absences = {{printed, "the reason says it"}}},
    {.name = "taps",
     .unit = report_unit::count,
     .help = "multiply-adds per cell of all passes",
     .is = convolution_member<&convolution_report::taps>,
     .json = "taps",
     .absences = {in_the_rate}},
    {.name = "bytes",
     .unit = report_unit::bytes,
     .help = "a load and a store of every cell, once",
     .is = convolution_member<&convolution_report::bytes>,
     .json = "bytes",
     .absences = {in_the_rate}},
    {.name = "setup_s",
     .unit = report_unit::seconds,
     .help = "checks, the plan, memory, copies",
     .is = convolution_member<&convolution_report::setup_s>,
     .json = "time.setup_s"},
    {.name = "compile_s",
     .unit = report_unit::seconds,
     .help = "compiling kernels that the library does not have; 0 if all of them were in the cache",
     .is = convolution_member<&convolution_report::compile_s>,
     .json = "time.compile_s",
     .absences = {{printed, "the reason says it"}}},
    {.name = "run_s",
     .unit = report_unit::seconds,
     .help = "the passes",
     .is = convolution_member<&convolution_report::run_s>,
     .json = "time.run_s"},
    {.name = "cells_per_second",
     .unit = report_unit::cells_per_second,
     .help = "of all images",
     .is = convolution_member<&convolution_report::cells_per_second>,
     .json = "cells_per_s",
     .none = "the clock did not move",
     .given = [](const convolution_report& r) { return r.cells_per_second > 0; }},
};

}  // namespace

std::span<const report_field<convolution_report>> convolution_report_table() {
  return fields_of_convolutions;
}

}  // namespace dwell
