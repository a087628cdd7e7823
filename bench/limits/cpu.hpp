// What a processor's memory delivers: the constants that the floor of every bench on a CPU is made of.
#pragma once

#include <cstddef>

namespace nz::bench {

/// Bytes a second that `threads` threads read from a block of 1 GiB on huge pages: the limit of every matvec.
double read_bandwidth(int threads);
/// The same on pages of 4 KiB.
double read_bandwidth_small_pages(int threads);
/// The same from a block of so many bytes, on huge pages, again and again: a cache may hold part of it.
double reread_bandwidth(int threads, std::size_t bytes);
/// Bytes read and bytes written a second, together, in a copy of 512 MiB on huge pages.
double copy_bandwidth(int threads);

/// Gathers of 8 (or 4) bytes a second from random places of a table, by `threads` threads.
double gather_rate(int threads, std::size_t table_bytes, int element_bytes = 8);
/// Products a second of entries that stream by (a place and a double, 12 bytes) with doubles at their random places in a
/// table: a core's gathers and its stream share the lines it can have under way, so this is less than either allows.
double product_rate(int threads, std::size_t table_bytes);

}  // namespace nz::bench
