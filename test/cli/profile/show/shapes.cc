// SPDX-License-Identifier: BSD-2-Clause
// A program in C++: namespaces, templates, overloads, a virtual function and inlined members.
#include <cstdio>
#include <vector>

namespace shapes {
struct shape {
    virtual ~shape() = default;
    virtual long area() const = 0;
};
struct box : shape {
    explicit box(long side) : side_(side) {}
    __attribute__((noinline)) long area() const override { return side_ * side_; }

private:
    long side_;
};
__attribute__((noinline)) long scale(int by) { return by * 3; }
__attribute__((noinline)) long scale(const char *text) { return text[0]; }
template <typename T> __attribute__((noinline)) T sum(const std::vector<T> &values)
{
    T total = 0;
    for (const T &value : values) {
        total += value;
    }
    return total;
}
}

int main(int argc, char **argv)
{
    const shapes::box box(argc);
    const shapes::shape &shape = box;
    const std::vector<long> longs(static_cast<size_t>(argc) + 3, 2);
    std::printf("%ld\n", shape.area() + shapes::scale(argc) + shapes::scale(argv[0]) + shapes::sum(longs));
    return 0;
}
