# The text of the headers that kernels are compiled of while a program runs, as a source: these and all that they include.
# dwell_embed_kernel_headers(TARGET HEADER...) for targets, HEADER by its path from the top; `cmake -P` on this file writes the
# source. Lines of comments become empty, so that lines have their numbers.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(dwell_embed_kernel_headers target)
    set(file ${PROJECT_BINARY_DIR}/kernels/kernel_headers.cpp)
    set(script ${PROJECT_SOURCE_DIR}/cmake/kernel_headers.cmake)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/base/*.hpp ${PROJECT_SOURCE_DIR}/include/dwell/*.hpp
      ${PROJECT_SOURCE_DIR}/execution/*.hpp ${PROJECT_SOURCE_DIR}/execution/*.cuh ${PROJECT_SOURCE_DIR}/solvers/*.hpp)
    add_custom_command(OUTPUT ${file} DEPENDS ${script} ${headers} VERBATIM COMMENT "Writing kernels/kernel_headers.cpp"
      COMMAND ${CMAKE_COMMAND} -DTOP=${PROJECT_SOURCE_DIR} "-DHEADERS=${ARGN}" -DFILE=${file} -P ${script})
    target_sources(${target} PRIVATE ${file})
    set_source_files_properties(${file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endfunction()
  return()
endif()

cmake_minimum_required(VERSION 3.25)
set(std execution/device/nvrtc_std.cuh)
file(READ ${TOP}/${std} text)
string(REGEX MATCH "Stands for: ([^.]*)\\." ignored "${text}")
string(REGEX MATCHALL "[a-z_]+" names "${CMAKE_MATCH_1}")
set(entries "")
foreach(name IN LISTS names)
  string(APPEND entries "    {\"${name}\", \"#include \\\"${std}\\\"\\n\"},\n")
endforeach()

set(waiting ${std} ${HEADERS})
set(seen "")
while(waiting)
  list(POP_FRONT waiting header)
  if(header IN_LIST seen)
    continue()
  endif()
  list(APPEND seen ${header})
  set(file ${TOP}/${header})
  set(name dwell/${header})
  if(header STREQUAL "${std}")
    set(name ${std})
  elseif(NOT EXISTS ${file})
    set(file ${TOP}/include/dwell/${header})
  endif()
  file(READ ${file} text)
  file(STRINGS ${file} includes REGEX "^#include \"dwell/")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include \"dwell/([^\"]*)\".*" "\\1" include "${include}")
    list(APPEND waiting ${include})
  endforeach()
  string(REGEX REPLACE "(^|\n)[ \t]*//[^\n]*" "\\1" text "${text}")
  string(APPEND entries "    {\"${name}\", R\"~(${text})~\"},\n")
endwhile()
file(WRITE ${FILE}.new "// Written by cmake/kernel_headers.cmake.
#include \"dwell/execution/device/kernel_headers.hpp\"

namespace dwell {

std::span<const kernel_header> kernel_headers() {
  static constexpr kernel_header all[] = {
${entries}  };
  return all;
}

}  // namespace dwell
")
file(COPY_FILE ${FILE}.new ${FILE} ONLY_IF_DIFFERENT)
file(REMOVE ${FILE}.new)
