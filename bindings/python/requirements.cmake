# What pip brings for a build of the Python package, and CMake does not find by itself: fmt, by the distribution cmeel-fmt
# (pyproject.toml, build-system.requires), in a folder of its own within the environment. CMake reads this at the end of
# project(). Without that distribution, in a build by hand, fmt is looked for where CMake looks.
if(Python_EXECUTABLE)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c
      "import importlib.metadata as m; print(m.distribution('cmeel-fmt').locate_file('cmeel.prefix'), end='')"
    OUTPUT_VARIABLE dwell_cmeel ERROR_QUIET)
  if(dwell_cmeel)
    list(PREPEND CMAKE_PREFIX_PATH "${dwell_cmeel}")
  endif()
endif()
