# The Python module nonzero._core and, for a wheel, the command line beside it. scikit-build-core drives this
# (pyproject.toml); nanobind is a build requirement there and is found through the interpreter.
if(NOT NONZERO_BUILD_PYTHON)
  return()
endif()

find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

file(GLOB nonzero_python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.cpp)
nanobind_add_module(_core NB_STATIC ${nonzero_python_sources})
target_link_libraries(_core PRIVATE nonzero_internal)
target_include_directories(_core PRIVATE ${PROJECT_SOURCE_DIR}/src)
set_target_properties(_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python/nonzero)
nanobind_add_stub(_core_stub MODULE _core OUTPUT ${CMAKE_BINARY_DIR}/python/nonzero/_core.pyi
  PYTHON_PATH ${CMAKE_BINARY_DIR}/python/nonzero DEPENDS _core)
install(FILES ${CMAKE_BINARY_DIR}/python/nonzero/_core.pyi DESTINATION nonzero COMPONENT python)
# All in the package's folder, the library found beside whoever needs it; a script stands for nz where programs are found.
set(nonzero_python_programs nonzero _core)
if(TARGET nz)
  list(APPEND nonzero_python_programs nz)
  if(SKBUILD)
    install(PROGRAMS ${PROJECT_SOURCE_DIR}/python/nz DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python)
  endif()
endif()
set_target_properties(${nonzero_python_programs} PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS ${nonzero_python_programs}
  LIBRARY DESTINATION nonzero COMPONENT python
  RUNTIME DESTINATION nonzero COMPONENT python)
