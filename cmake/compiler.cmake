# How our own targets are compiled: warnings, processor, sanitizers, ccache.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# Every file must be instrumented, or the sanitizer sees half of the story: hence flags for the whole tree, not per target.
if(NONZERO_SANITIZE STREQUAL "address")
  set(NONZERO_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(NONZERO_SANITIZE STREQUAL "thread")
  set(NONZERO_SANITIZE_FLAGS -fsanitize=thread -fno-omit-frame-pointer)
elseif(NOT NONZERO_SANITIZE STREQUAL "")
  message(FATAL_ERROR "NONZERO_SANITIZE is '${NONZERO_SANITIZE}'; it must be empty, address or thread")
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
  if(NONZERO_NATIVE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-march=native>)
  endif()
endfunction()
