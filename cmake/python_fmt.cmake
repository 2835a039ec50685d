# fmt for the Python package, in DWELL_FMT: its functions compiled once (bindings/python/fmt_functions.cpp), which saves a third of
# the package's build; where that does not link, as with other versions of fmt, its headers alone.
set(DWELL_FMT fmt::fmt-header-only)
get_target_property(dwell_fmt_headers fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
try_compile(DWELL_FMT_ONCE ${PROJECT_BINARY_DIR}/fmt_probe
  SOURCES ${PROJECT_SOURCE_DIR}/bindings/python/fmt_functions.cpp ${PROJECT_SOURCE_DIR}/bindings/python/fmt_probe.cpp
  CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${dwell_fmt_headers}" CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
if(DWELL_FMT_ONCE AND NOT DWELL_INSTALL)  # what is installed names no target of this build
  add_library(dwell_fmt STATIC ${PROJECT_SOURCE_DIR}/bindings/python/fmt_functions.cpp)
  target_include_directories(dwell_fmt SYSTEM PUBLIC ${dwell_fmt_headers})
  target_compile_features(dwell_fmt PUBLIC cxx_std_20)
  set_target_properties(dwell_fmt PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  set(DWELL_FMT dwell_fmt)
endif()
message(STATUS "Dwell: fmt ${fmt_VERSION}, ${DWELL_FMT}")
