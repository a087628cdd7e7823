# The library: every source under src/, found by folder.

file(GLOB_RECURSE nonzero_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
if(NOT nonzero_sources)
  message(FATAL_ERROR "no .cpp file under src/")
endif()
# A build has the CUDA backend or its stand-ins: an empty table of kernels, and a device that cannot be opened.
if(nonzero_cuda)
  list(APPEND nonzero_sources ${nonzero_cuda_sources})
  list(FILTER nonzero_sources EXCLUDE REGEX "/(core|instantiate|kernels|storage)/[^/]*_absent[.]cpp$")
endif()
# Likewise Binsparse files, which need libhdf5.
if(nonzero_hdf5)
  list(FILTER nonzero_sources EXCLUDE REGEX "/io/binsparse_absent[.]cpp$")
else()
  list(FILTER nonzero_sources EXCLUDE REGEX "/io/(hdf5|hdf5_heap|binsparse|binsparse_descriptor|binsparse_write)[.]cpp$")
endif()

# nonzero is what users link. Our own programs and tests also look inside (src/), which a shared library does not show:
# they link nonzero_internal, the same objects as an archive.
if(BUILD_SHARED_LIBS)
  add_library(nonzero_internal STATIC ${nonzero_sources})
  add_library(nonzero SHARED $<TARGET_OBJECTS:nonzero_internal>)
  set(nonzero_compiled nonzero_internal)
  # What leaves the library is listed, not marked in the headers: scripts/exports.py makes the list from them.
  set(nonzero_exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  target_link_options(nonzero PRIVATE "LINKER:--version-script=${nonzero_exports}" LINKER:--no-undefined)
  set_target_properties(nonzero PROPERTIES LINK_DEPENDS ${nonzero_exports} LINKER_LANGUAGE CXX)
else()
  # The Python package has one shared library, all of it visible, for the module and nz: neither holds the kernels again.
  if(NONZERO_BUILD_PYTHON)
    add_library(nonzero SHARED ${nonzero_sources})
    set_target_properties(nonzero PROPERTIES DEFINE_SYMBOL "")
    target_link_options(nonzero PRIVATE LINKER:-Bsymbolic-functions LINKER:--no-undefined)
  else()
    add_library(nonzero ${nonzero_sources})
  endif()
  add_library(nonzero_internal ALIAS nonzero)
  set(nonzero_compiled nonzero)
endif()
add_library(nonzero::nonzero ALIAS nonzero)
nonzero_compile_options(${nonzero_compiled})
nonzero_compile_together(${nonzero_compiled} "^src/(algebra|algorithms|core|io|kernels/reference|ops|storage)$")
set_target_properties(${nonzero_compiled} PROPERTIES
  POSITION_INDEPENDENT_CODE ON)  # the Python module links the static archive, a shared library the objects
if(NOT NONZERO_BUILD_PYTHON)   # a wheel holds no symbolic links
  set_target_properties(nonzero PROPERTIES
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endif()
target_compile_definitions(${nonzero_compiled} PRIVATE NONZERO_VERSION="${PROJECT_VERSION}")
set(nonzero_targets ${nonzero_compiled} nonzero)
list(REMOVE_DUPLICATES nonzero_targets)
foreach(target ${nonzero_targets})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # fmt and the JSON library are used header-only and inside the library alone: a user needs neither.
  target_link_libraries(${target} PRIVATE
    OpenMP::OpenMP_CXX ZLIB::ZLIB PNG::PNG Minizip::Minizip ISAL::ISAL $<BUILD_INTERFACE:fmt::fmt-header-only>)
  if(nonzero_hdf5)
    target_link_libraries(${target} PRIVATE HDF5C::HDF5C $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
  endif()
  if(nonzero_cuda)
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  endif()
endforeach()
target_include_directories(${nonzero_compiled} PRIVATE ${PROJECT_SOURCE_DIR}/src)
if(nonzero_cuda)
  # fmt 9 takes nvcc for a compiler without constexpr, and then contradicts itself under C++20.
  target_compile_definitions(${nonzero_compiled} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:FMT_USE_CONSTEXPR=1>)
  # The operators are constexpr functions, the same for host and device; so are fmt's on long double, which no kernel
  # calls and which nvcc would warn about.
  target_compile_options(${nonzero_compiled} PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;--diag-suppress=20208>")
  # Headers with OpenMP loops mean the same in both languages.
  target_compile_options(${nonzero_compiled} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${OpenMP_CXX_FLAGS}>)
endif()

add_custom_command(TARGET nonzero POST_BUILD VERBATIM
  COMMAND ${CMAKE_COMMAND} -DFILE=$<TARGET_FILE:nonzero> -P ${PROJECT_SOURCE_DIR}/cmake/print_size.cmake)
# Products of matrices are the same bits by every kernel and as the reference's: no product is fused into a sum.
file(GLOB nonzero_mxm_units ${PROJECT_SOURCE_DIR}/src/instantiate/mxm_cpu_*.cpp
  ${PROJECT_SOURCE_DIR}/src/instantiate/dense_cpu_*.cpp ${PROJECT_SOURCE_DIR}/src/instantiate/dia_cpu_*.cpp)
# GCC would take pairs of diagonals two at a time and gather the second one's values, which lie side by side.
set_source_files_properties(${nonzero_mxm_units} PROPERTIES COMPILE_OPTIONS
  "-ffp-contract=off;$<$<CXX_COMPILER_ID:GNU>:-fno-loop-unroll-and-jam>")
file(GLOB nonzero_mxm_units ${PROJECT_SOURCE_DIR}/src/instantiate/mxm_cuda_*.cu
  ${PROJECT_SOURCE_DIR}/src/instantiate/dense_cuda_*.cu ${PROJECT_SOURCE_DIR}/src/instantiate/dia_cuda_*.cu)
set_source_files_properties(${nonzero_mxm_units} PROPERTIES COMPILE_OPTIONS -fmad=false)
# Their vectors of 64 bytes never leave a unit, so how they would be passed to another does not matter.
file(GLOB nonzero_mxv_units ${PROJECT_SOURCE_DIR}/src/instantiate/mxv_cpu_*.cpp)
set_source_files_properties(${nonzero_mxv_units} PROPERTIES COMPILE_OPTIONS -Wno-psabi)
