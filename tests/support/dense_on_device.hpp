// Dense blocks of the tests in a GPU's memory.
#pragma once

#include "core/buffer.hpp"
#include "core/device.hpp"
#include "support/dense.hpp"

namespace nz::test {

/// A block's bytes on the GPU.
class block_there {
public:
    block_there(const context& ctx, dense_block& block)
        : ctx_(ctx), block_(block), memory_(ctx.device_memory(), block.bytes().size()) {
        ctx.gpu()->upload(memory_.data(), block.bytes().data(), memory_.bytes());
        ctx.gpu()->wait();
    }
    dense_output view() const { return block_.view_of(memory_.data()); }
    void bring_home() const { ctx_.gpu()->download(block_.bytes().data(), memory_.data(), memory_.bytes()); }

private:
    const context& ctx_;
    dense_block& block_;
    const buffer memory_;
};

}  // namespace nz::test
