// What the bindings share: arrays as Python hands them over, and what is asked of them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "polynomial.hpp"

namespace nb = nanobind;

namespace bindings {

using namespace nb::literals;
using berrypick::Index;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

inline void require_count(std::size_t count, std::size_t wanted, const char* what) {
    if (count != wanted)
        throw std::invalid_argument(std::string(what) + ": " + std::to_string(count) + " values, expected " +
                                    std::to_string(wanted));
}

// The memory of an array. What is aligned can be read as its type says.
struct Extent {
    std::uintptr_t from, to;
    bool written;
};

template <class T, class... Shape>
Extent extent(const nb::ndarray<T, Shape...>& array) {
    const auto from = reinterpret_cast<std::uintptr_t>(array.data());
    require(array.size() == 0 || from % alignof(T) == 0, "an array is not aligned");
    return {from, from + array.size() * sizeof(T), !std::is_const<T>::value};
}

// Results must not go where something else is read or written.
template <class... Arrays>
void require_apart(const Arrays&... arrays) {
    const Extent all[] = {extent(arrays)...};
    for (std::size_t i = 1; i < sizeof...(arrays); ++i)
        for (std::size_t j = 0; j < i; ++j)
            require(!(all[i].written || all[j].written) || all[i].to <= all[j].from || all[j].to <= all[i].from ||
                        all[i].from == all[i].to || all[j].from == all[j].to,
                    "arrays share their memory");
}

// Where each group of rows begins, and where the last one ends.
inline void require_bounds(const In<Index>& bounds, std::size_t rows, const char* what) {
    require(bounds.shape(0) >= 1 && bounds.data()[0] == 0 && std::size_t(bounds.data()[bounds.shape(0) - 1]) == rows,
            what);
    for (std::size_t i = 1; i < bounds.shape(0); ++i) require(bounds.data()[i - 1] <= bounds.data()[i], what);
}

using Owned = nb::ndarray<nb::numpy, Index, nb::ndim<1>>;

inline Owned owned(std::vector<Index>&& values) {
    auto* kept = new std::vector<Index>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Index>*>(p); });
    return Owned(kept->data(), {kept->size()}, owner);
}

}  // namespace bindings
