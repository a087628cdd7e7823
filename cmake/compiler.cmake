# How our own targets are compiled: warnings, processor, sanitizers, ccache.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# Every file must be instrumented, or the sanitizer sees half of the story: hence flags for the whole tree, not per target.
# The checks of each pointer that is followed double the time to compile, and a null one is found without: they are left to
# NONZERO_SANITIZE=undefined.
if(NONZERO_SANITIZE STREQUAL "address")
  set(NONZERO_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize=null,alignment,vptr,object-size
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(NONZERO_SANITIZE STREQUAL "undefined")
  set(NONZERO_SANITIZE_FLAGS -fsanitize=undefined -fno-sanitize-recover=all)
elseif(NONZERO_SANITIZE STREQUAL "thread")
  set(NONZERO_SANITIZE_FLAGS -fsanitize=thread -fno-omit-frame-pointer)
elseif(NOT NONZERO_SANITIZE STREQUAL "")
  message(FATAL_ERROR "NONZERO_SANITIZE is '${NONZERO_SANITIZE}'; it must be empty, address, undefined or thread")
endif()
if(NONZERO_BUILD_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "NONZERO_BUILD_FUZZ needs clang (libFuzzer); use the preset 'fuzz'")
  endif()
  set(NONZERO_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${NONZERO_SANITIZE_FLAGS}>")
add_link_options(${NONZERO_SANITIZE_FLAGS})

# Warnings and processor flags are private to our targets: nothing of them reaches a user's build.
# No -ffast-math anywhere: results are the same bit for bit, and NaN and infinity are values.
function(nonzero_compile_options target)
  target_compile_options(${target} PRIVATE
    # The library is position-independent; without the last flag gcc would not inline its own exported functions then.
    "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-fno-semantic-interposition>"
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # gcc 12 warns falsely about std::string's own memcpy when strings are joined (gcc bug 105329).
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Under sanitizers, at -O1, clang says of every loop marked simd that it stayed a loop.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-pass-failed>)
  endif()
  if(NONZERO_NATIVE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-march=native>)
  endif()
endfunction()

# The files of a folder are compiled together, eight at a time: the headers are read once, and what is inline in them is
# compiled once, so that the whole takes a third of the time. Names in a file's unnamed namespace are therefore unique in
# their folder. NONZERO_UNITY=OFF compiles each file alone, which is quicker where one file changes.
function(nonzero_compile_together target)
  if(NOT NONZERO_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(folder MATCHES "${ARGN}")
      string(MAKE_C_IDENTIFIER ${folder} folder)
      math(EXPR count_${folder} "0${count_${folder}} + 1")
      math(EXPR batch "(${count_${folder}} - 1) / 8")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
    endif()
  endforeach()
endfunction()

# For programs whose work is done in the library: half the time to compile, and as fast.
function(nonzero_compile_lightly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
