// SPDX-License-Identifier: BSD-2-Clause
// Throws exceptions through frames with and without something to clean up.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noinline, noclone))

static volatile int sink;

NOINLINE static void work(int n)
{
    for (int i = 0; i < n; i++) {
        sink = sink + i;
    }
}

struct Guard {
    int n;
    explicit Guard(int k) : n(k) {}
    NOINLINE ~Guard() { work(n); }
};

NOINLINE static int plain(int n)
{
    work(n);
    if (n == 0) {
        throw std::runtime_error("bottom");
    }
    const int r = plain(n - 1);
    work(1);
    return r;
}

NOINLINE static int guarded(int n)
{
    const Guard g(n);
    work(2);
    const int r = n == 0 ? plain(3) : guarded(n - 1);
    work(3);
    return r;
}

NOINLINE static int catching(int n)
{
    try {
        work(4);
        return n % 2 ? plain(n) : guarded(n);
    } catch (const std::exception &e) {
        work(5);
        return e.what()[0];
    }
}

NOINLINE static int rethrowing(int n)
{
    try {
        const std::string text(static_cast<std::size_t>(n) + 20, 'x');
        return guarded(n) + static_cast<int>(text.size());
    } catch (...) {
        work(6);
        throw;
    }
}

int main()
{
    std::vector<int> seen;

    for (int i = 0; i < 6; i++) {
        seen.push_back(catching(i));
        try {
            seen.push_back(rethrowing(i));
        } catch (const std::runtime_error &) {
            work(7);
        }
    }
    std::printf("%zu\n", seen.size());
    return 0;
}
