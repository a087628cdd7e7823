// Spy plots: that a picture is written, of the right size, with dark where entries are.
#include "io/generate.hpp"
#include "nonzero/errors.hpp"
#include "nonzero/io.hpp"

#include <gtest/gtest.h>
#include <png.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace nz {
namespace {

namespace fs = std::filesystem;

struct decoded {
    int width = 0, height = 0;
    std::vector<std::uint8_t> bytes;  // red, green, blue
    int dark() const {
        int count = 0;
        for (std::size_t k = 0; k < bytes.size(); k += 3) count += bytes[k] < 20 && bytes[k + 2] > 90;
        return count;
    }
};

class Spy : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("nonzero_spy_" + std::to_string(::getpid()));
        fs::create_directory(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    decoded draw(const matrix& a, int pixels = 800) {
        const std::string path = folder_ / "a.png";
        save_spy(ctx_, a, path, pixels);
        EXPECT_EQ(files(), 1);
        std::ifstream file(path, std::ios::binary);
        char signature[8] = {};
        file.read(signature, 8);
        EXPECT_EQ(std::memcmp(signature, "\x89PNG\r\n\x1a\n", 8), 0);
        png_image image{};
        image.version = PNG_IMAGE_VERSION;
        EXPECT_TRUE(png_image_begin_read_from_file(&image, path.c_str()));
        image.format = PNG_FORMAT_RGB;
        decoded out{static_cast<int>(image.width), static_cast<int>(image.height), {}};
        out.bytes.resize(PNG_IMAGE_SIZE(image));
        EXPECT_TRUE(png_image_finish_read(&image, nullptr, out.bytes.data(), 0, nullptr));
        return out;
    }
    decoded draw(std::string_view spec, int pixels = 800) {
        return draw(io::generate(ctx_, spec, {}).matrix, pixels);
    }
    int files() const {
        return static_cast<int>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }

    context ctx_;
    fs::path folder_;
};

TEST_F(Spy, OfALargeMatrixIsAsLargeAsAskedForBesidesItsMargins) {
    for (int pixels : {200, 800}) {
        const decoded p = draw("rmat:12,8", pixels);
        EXPECT_GE(p.width, pixels);
        EXPECT_LE(p.width, std::max(pixels, 500) + 120);
        EXPECT_GE(p.height, pixels);
        EXPECT_LE(p.height, pixels + 140);
    }
}

TEST_F(Spy, KeepsTheProportionsOfARectangle) {
    const decoded p = draw("lp:2000,4000,30000");
    EXPECT_GE(p.width, 800);
    EXPECT_GE(p.height, 400);
    EXPECT_LE(p.height, 540);
    const decoded flat = draw("dense:2,100000"), tall = draw("dense:100000,2");
    EXPECT_GE(flat.dark(), 800 * 80);
    EXPECT_GE(tall.dark(), 800 * 80);
}

TEST_F(Spy, OfASmallMatrixHasOneSquareAnEntry) {
    EXPECT_EQ(draw("dense:1,1").dark(), 39 * 39);
    EXPECT_EQ(draw("banded:20,3").dark(), 58 * 39 * 39);
    EXPECT_EQ(draw("banded:200,1").dark(), 200 * 3 * 3);
    EXPECT_EQ(draw("banded:800,1").dark(), 800);
}

TEST_F(Spy, OfAMatrixWithoutEntriesIsAnEmptyFrame) {
    EXPECT_EQ(draw(matrix(ctx_, dtype::float64, 0, 0)).dark(), 0);
    EXPECT_EQ(draw(matrix(ctx_, dtype::float64, 0, 7)).dark(), 0);
    EXPECT_EQ(draw(matrix(ctx_, dtype::boolean, 5000, 70)).dark(), 0);
    EXPECT_EQ(draw(matrix(ctx_, dtype::boolean, 3, max_dimension)).dark(), 0);
}

TEST_F(Spy, LeavesASingleEntryOfALargeMatrixVisible) {
    matrix a(ctx_, dtype::float64, 1000000, 1000000);
    a.set(999999, 999999, 1.0);
    a.set(0, 0, 1.0);
    EXPECT_GE(draw(a).dark(), 2);
}

TEST_F(Spy, DoesNotDependOnTheNumberOfThreads) {
    context_options options;
    options.threads = 1;
    const matrix a = io::generate(ctx_, "powerlaw:30000", {}).matrix;
    const decoded many = draw(a);
    ctx_ = context(options);
    EXPECT_EQ(draw(a).bytes, many.bytes);
}

TEST_F(Spy, ReplacesAnOlderFile) {
    std::ofstream(folder_ / "a.png") << "something else";
    EXPECT_GT(draw("grid2d:3").width, 0);
}

TEST_F(Spy, ThatCannotBeWrittenLeavesNothingBehind) {
    const matrix a = io::generate(ctx_, "grid2d:3", {}).matrix;
    EXPECT_THROW(save_spy(ctx_, a, (folder_ / "missing" / "a.png").string()), error);
    fs::create_directory(folder_ / "folder.png");
    EXPECT_THROW(save_spy(ctx_, a, (folder_ / "folder.png").string()), error);
    EXPECT_EQ(files(), 1);
    try {
        save_spy(ctx_, a, "/nowhere/a.png");
    } catch (const error& e) {
        EXPECT_STREQ(e.what(), "/nowhere/a.png: cannot be created: No such file or directory");
    }
}

TEST_F(Spy, RefusesSizesThatNobodyCanRead) {
    const matrix a = io::generate(ctx_, "grid2d:3", {}).matrix;
    EXPECT_THROW(save_spy(ctx_, a, (folder_ / "a.png").string(), 0), domain_error);
    EXPECT_THROW(save_spy(ctx_, a, (folder_ / "a.png").string(), 1 << 20), domain_error);
    EXPECT_EQ(files(), 0);
}

}  // namespace
}  // namespace nz
