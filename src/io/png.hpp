// A picture in memory: rectangles, text in a small font of our own, and PNG out.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace nz::io {

struct colour {
    std::uint8_t red, green, blue;
};

class picture {
public:
    picture(int width, int height, colour background);

    int width() const { return width_; }
    int height() const { return height_; }
    /// Parts outside the picture are left out.
    void fill(int x, int y, int width, int height, colour c);
    /// Lines of one pixel just outside the rectangle.
    void frame(int x, int y, int width, int height, colour c);
    /// Text with its upper left corner at (x, y). Characters that the font lacks stay blank.
    void text(int x, int y, std::string_view words, colour c);

    static int text_width(std::string_view words);
    static constexpr int text_height = 14;

    /// The bytes of a PNG file.
    std::vector<std::uint8_t> png() const;

private:
    int width_, height_;
    std::vector<colour> pixels_;
};

}  // namespace nz::io
