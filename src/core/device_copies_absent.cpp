// A build without CUDA has no session to copy beside (left out of the others).
#include "core/checks.hpp"
#include "core/device_copies.hpp"

namespace nz::device {

std::shared_ptr<memory_resource> pinned_memory() { fail<not_supported>("{}", why_absent()); }
std::unique_ptr<copies> copies_beside(session&) { fail<not_supported>("{}", why_absent()); }

}  // namespace nz::device
