// libFuzzer: any text is a descriptor of a Binsparse file or an error of the library. The HDF5 around it is libhdf5's to read,
// which does not withstand files that are damaged on purpose.
#include "io/binsparse_descriptor.hpp"

#include "fuzz/attempt.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace nz;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    fuzz::attempt([&] { io::binsparse::parse_descriptor(text, "fuzz"); });
    return 0;
}
