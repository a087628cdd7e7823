// Pieces of one step that need not follow one another on a GPU.
#pragma once

#include "core/device.hpp"

#include <memory>
#include <mutex>

namespace nz::device {

/// Streams beside a session's own. Safe for several threads: their pieces come to wait for one another, no more.
class side_streams {
public:
    /// `main`: a cudaStream_t that outlives this.
    explicit side_streams(void* main) : main_(main) {}
    side_streams(const side_streams&) = delete;
    side_streams& operator=(const side_streams&) = delete;
    ~side_streams();

    std::unique_ptr<fork> open(int pieces);

private:
    class open_fork;
    static constexpr int most = 7;

    void make();

    void* const main_;
    std::mutex mutex_;
    bool made_ = false;
    void* streams_[most] = {};  // cudaStream_t
    void* begin_ = nullptr;     // cudaEvent_t: what the pieces come after
    void* done_[most] = {};     // cudaEvent_t: what each stream has
};

}  // namespace nz::device
