#include "io/arrays.hpp"

#include "core/checks.hpp"
#include "io/npy.hpp"
#include "io/output_file.hpp"
#include "io/zip.hpp"

#include <fmt/format.h>

#include <iterator>

namespace nz::io {

void write_npz_arrays(const std::string& path, std::span<const named_array> arrays) {
    output_file file(path);
    zip_writer zip(file.temporary_path(), file.name());
    for (const named_array& a : arrays) {
        zip.begin(a.name + ".npy");
        const std::string header = npy_header(npy_name(a.type), fmt::format("({},)", a.count));
        zip.write(header.data(), header.size());
        zip.write(a.data, static_cast<std::size_t>(a.count) * size_of(a.type));
    }
    zip.finish();
    file.commit();
}

void write_text_columns(const std::string& path, std::span<const named_array> arrays) {
    constexpr std::size_t flush_at = 1 << 20;
    output_file file(path);
    fmt::memory_buffer text;
    text.push_back('#');
    for (const named_array& a : arrays) fmt::format_to(std::back_inserter(text), " {}", a.name);
    text.push_back('\n');
    const auto flush = [&] {
        file.write({text.data(), text.size()});
        text.clear();
    };
    for (offset_t row = 0; !arrays.empty() && row < arrays[0].count; ++row) {
        for (std::size_t k = 0; k < arrays.size(); ++k) {
            if (k) text.push_back(' ');
            dispatch(arrays[k].type, [&]<class T>(std::type_identity<T>) {
                const T x = static_cast<const T*>(arrays[k].data)[row];
                if constexpr (std::is_same_v<T, bool>)
                    text.push_back(x ? '1' : '0');
                else
                    fmt::format_to(std::back_inserter(text), "{}", x);
            });
        }
        text.push_back('\n');
        if (text.size() > flush_at) flush();
    }
    flush();
    file.commit();
}

}  // namespace nz::io
