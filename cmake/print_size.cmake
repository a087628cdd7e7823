# cmake -DFILE=... -P print_size.cmake: one line with the size of a file.
file(SIZE ${FILE} bytes)
math(EXPR kilobytes "(${bytes} + 1023) / 1024")
get_filename_component(name ${FILE} NAME)
message(STATUS "size of ${name}: ${kilobytes} KiB")
