// SPDX-License-Identifier: MIT
// Devices: which there are, what they are, and the one that a solver is for.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>

#include "bindings.hpp"
#include "device_facts.hpp"

#include "dwell/device/limits.hpp"

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
}

}  // namespace dwell::python
