#include "io/png.hpp"

#include "core/checks.hpp"

#include <png.h>

#include <algorithm>

namespace nz::io {
namespace {

constexpr int glyph_width = 5, glyph_height = 7;
constexpr int scale = picture::text_height / glyph_height;
constexpr int advance = (glyph_width + 1) * scale;

// Rows from the top; the highest of five bits is the leftmost pixel.
struct glyph {
    char letter;
    std::array<std::uint8_t, glyph_height> rows;
};

constexpr glyph font[] = {
    {'0', {0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110}},
    {'1', {0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110}},
    {'2', {0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111}},
    {'3', {0b01110, 0b10001, 0b00001, 0b00110, 0b00001, 0b10001, 0b01110}},
    {'4', {0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010}},
    {'5', {0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110}},
    {'6', {0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110}},
    {'7', {0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000}},
    {'8', {0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110}},
    {'9', {0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100}},
    {',', {0b00000, 0b00000, 0b00000, 0b00000, 0b00110, 0b00100, 0b01000}},
    {'%', {0b11001, 0b11001, 0b00010, 0b00100, 0b01000, 0b10011, 0b10011}},
    {'M', {0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001}},
    {'e', {0b00000, 0b00000, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110}},
    {'f', {0b00110, 0b01001, 0b01000, 0b11100, 0b01000, 0b01000, 0b01000}},
    {'i', {0b00100, 0b00000, 0b01100, 0b00100, 0b00100, 0b00100, 0b01110}},
    {'k', {0b10000, 0b10000, 0b10010, 0b10100, 0b11000, 0b10100, 0b10010}},
    {'l', {0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110}},
    {'n', {0b00000, 0b00000, 0b10110, 0b11001, 0b10001, 0b10001, 0b10001}},
    {'o', {0b00000, 0b00000, 0b01110, 0b10001, 0b10001, 0b10001, 0b01110}},
    {'r', {0b00000, 0b00000, 0b10110, 0b11001, 0b10000, 0b10000, 0b10000}},
    {'s', {0b00000, 0b00000, 0b01111, 0b10000, 0b01110, 0b00001, 0b11110}},
    {'t', {0b01000, 0b01000, 0b11100, 0b01000, 0b01000, 0b01001, 0b00110}},
    {'u', {0b00000, 0b00000, 0b10001, 0b10001, 0b10001, 0b10011, 0b01101}},
    {'x', {0b00000, 0b00000, 0b10001, 0b01010, 0b00100, 0b01010, 0b10001}},
    {'y', {0b00000, 0b00000, 0b10001, 0b10001, 0b01111, 0b00001, 0b01110}},
};

}  // namespace

picture::picture(int width, int height, colour background)
    : width_(width), height_(height), pixels_(static_cast<std::size_t>(width) * height, background) {}

void picture::fill(int x, int y, int width, int height, colour c) {
    const int left = std::max(x, 0), right = std::min(x + width, width_);
    if (left >= right) return;
    for (int row = std::max(y, 0); row < std::min(y + height, height_); ++row)
        std::fill_n(pixels_.begin() + static_cast<std::ptrdiff_t>(row) * width_ + left, right - left, c);
}

void picture::frame(int x, int y, int width, int height, colour c) {
    fill(x - 1, y - 1, width + 2, 1, c);
    fill(x - 1, y + height, width + 2, 1, c);
    fill(x - 1, y, 1, height, c);
    fill(x + width, y, 1, height, c);
}

void picture::text(int x, int y, std::string_view words, colour c) {
    for (const char letter : words) {
        const auto* g = std::ranges::find(font, letter, &glyph::letter);
        for (int row = 0; g != std::end(font) && row < glyph_height; ++row)
            for (int column = 0; column < glyph_width; ++column)
                if (g->rows[row] >> (glyph_width - 1 - column) & 1)
                    fill(x + column * scale, y + row * scale, scale, scale, c);
        x += advance;
    }
}

int picture::text_width(std::string_view words) {
    return words.empty() ? 0 : static_cast<int>(words.size()) * advance - scale;
}

std::vector<std::uint8_t> picture::png() const {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width_);
    image.height = static_cast<png_uint_32>(height_);
    image.format = PNG_FORMAT_RGB;
    std::vector<std::uint8_t> bytes(PNG_IMAGE_PNG_SIZE_MAX(image));
    png_alloc_size_t size = bytes.size();
    const int written = png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels_.data(), 0, nullptr);
    require<error>(written != 0, "PNG: {}", image.message);
    bytes.resize(size);
    return bytes;
}

}  // namespace nz::io
