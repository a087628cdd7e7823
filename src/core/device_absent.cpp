// The device half of the core in a build without CUDA (left out of the others).
#include "core/checks.hpp"
#include "core/device.hpp"

namespace nz::device {

std::string why_absent() { return "this build has no CUDA backend"; }

std::shared_ptr<session> open(void*, int) {
    fail<not_supported>("{}: use --backend cpu, or auto, which takes the CPU here", why_absent());
}

}  // namespace nz::device
