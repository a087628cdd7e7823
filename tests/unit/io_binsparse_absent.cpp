// A build without libhdf5 says what it lacks.
#include "support/files.hpp"

#include <gtest/gtest.h>

namespace nz::test {
namespace {

TEST(BinsparseAbsent, reading_and_writing_name_the_library_that_is_missing) {
    const context ctx;
    const temporary_folder folder;
    const std::string path = folder.put("a.bsp.h5", "\x89HDF\r\n\x1a\n");
    EXPECT_NE(refusal<not_supported>([&] { load(ctx, path); }).find("libhdf5 was not found"),
              std::string::npos);
    const auto write = [&] { save(ctx, matrix(ctx, dtype::int8, 2, 2), folder.path("b.h5")); };
    EXPECT_NE(refusal<not_supported>(write).find("libhdf5 was not found"), std::string::npos);
    EXPECT_TRUE(refusal<not_supported>(write).starts_with(folder.path("b.h5") + ": "));
    const auto write_vector = [&] { save(ctx, vector(ctx, dtype::int8, 2), folder.path("b.h5")); };
    EXPECT_NE(refusal<not_supported>(write_vector).find("libhdf5 was not found"), std::string::npos);
    EXPECT_TRUE(refusal<not_supported>(write_vector).starts_with(folder.path("b.h5") + ": "));
    EXPECT_EQ(folder.names(), std::vector<std::string>{"a.bsp.h5"});
}

}  // namespace
}  // namespace nz::test
