// Where a kernel's time goes, for a bench that asks (yang2015, table III): kernels that have phases tell when they begin and where each
// ends; as a rule nobody watches, and a mark costs one test.
#pragma once

#include <utility>

namespace nz::kernels {

/// common: forming products; sort: bringing them into the order of rows; scatter: adding them up where they belong, with forming them
/// where they go there at once.
enum class phase { begin, common, sort, scatter };

/// Told by the kernels that its thread calls, for as long as it lives; the last made is the one that is told.
class phase_watch {
public:
    phase_watch() : before_(std::exchange(current(), this)) {}
    virtual ~phase_watch() { current() = before_; }
    phase_watch(const phase_watch&) = delete;
    phase_watch& operator=(const phase_watch&) = delete;

    /// The phase has ended: on a GPU for what was put on the stream so far.
    virtual void ended(phase which) = 0;

    static void mark(phase which) {
        if (phase_watch* const watch = current()) watch->ended(which);
    }

private:
    static phase_watch*& current() {
        thread_local phase_watch* watch = nullptr;
        return watch;
    }
    phase_watch* before_;
};

}  // namespace nz::kernels
