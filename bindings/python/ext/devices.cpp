// SPDX-License-Identifier: MIT
// Devices: which there are, what they are, and the one that a solver is for.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "device_facts.hpp"

#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/device/small_kernels.hpp"

namespace dwell::python {

fields facts_dict(const device_facts& f) {
  fields out;
  out["name"] = f.name;
  out["backend"] = to_string(f.on);
  out["ordinal"] = f.ordinal;
  out["units"] = f.units;
  out["compute_capability"] = f.compute_capability;
  out["memory"] = f.memory;
  out["memory_free"] = f.memory_free;
  out["cache"] = f.l2;
  return out;
}

namespace {

/// What CUDA there is: the number of devices, and why there is none (else "").
nb::typed<nb::tuple, int, std::string> cuda_devices() {
  const cuda_presence found = find_cuda();
  return nb::typed<nb::tuple, int, std::string>(
      nb::make_tuple(found.devices, found.devices > 0 ? std::string() : found.reason));
}

using unit_of_kernels = nb::typed<nb::tuple, std::string, std::string, std::vector<std::string>>;

/// The small kernels that this build compiles when they are needed: of each unit what it is, its
/// text and the names of its kernels.
nb::typed<nb::list, unit_of_kernels> small_kernel_units() {
  nb::typed<nb::list, unit_of_kernels> all;
  for (const small_kernels& unit : all_small_kernels()) {
    std::vector<std::string> names = {unit.source.kernel};
    names.insert(names.end(), unit.source.others.begin(), unit.source.others.end());
    all.append(nb::make_tuple(unit.source.about, unit.source.text, names));
  }
  return all;
}

/// Compiles such a unit for a GPU of so much compute capability, which need not be here, or finds
/// it in the cache. Returns the number of its kernels.
int warm_small_kernels(const std::string& about, int capability) {
  for (const small_kernels& unit : all_small_kernels())
    if (unit.source.about == about)
      return 1 + static_cast<int>(compile_kernel(unit.source, {capability, 0})->others.size());
  throw input_error("small kernels: there is no unit '" + about + "'");
}

}  // namespace

void add_devices(nb::module_& m) {
  nb::class_<device>(m, "Device")
      .def_static("cpu", &device::cpu, nb::arg("threads"))
      .def_static("cuda", &device::cuda, nb::arg("ordinal"))
      .def_static("best", &device::best)
      .def("on_stream",
           [](const device& d, std::uintptr_t stream) {
             return d.on_stream(reinterpret_cast<void*>(stream));
           })
      .def_prop_ro("backend", [](const device& d) { return to_string(d.on()); })
      .def_prop_ro("ordinal", &device::ordinal)
      .def("facts", [](const device& d) { return facts_dict(d.facts()); });
  m.def("cuda_devices", &cuda_devices);
  m.def("small_kernels", &small_kernel_units);
  m.def("warm_small_kernels", &warm_small_kernels, nb::arg("unit"), nb::arg("compute_capability"));
}

}  // namespace dwell::python
