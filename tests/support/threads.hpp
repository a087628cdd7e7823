// The same from several threads at once.
#pragma once

#include <thread>
#include <vector>

namespace nz::test {

/// work(n) for n in [0, count), each in a thread of its own; returns when all have ended.
template <class Work>
void in_threads(int count, Work&& work) {
    std::vector<std::thread> threads;
    for (int n = 0; n < count; ++n) threads.emplace_back([&work, n] { work(n); });
    for (auto& thread : threads) thread.join();
}

}  // namespace nz::test
