// libFuzzer: any bytes make a valid matrix or an error of the library, never anything else.
#include "io/nzb.hpp"

#include "fuzz/attempt.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace nz;
    const context& ctx = fuzz::limited_context();
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
    fuzz::attempt([&] { io::nzb::read(ctx, bytes, "fuzz", {}).matrix.validate(); });
    return 0;
}
