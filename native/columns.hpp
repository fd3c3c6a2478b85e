// Columns and names of the compiled readers as Python values, and texts of Python as UTF-8.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "lines.hpp"
#include "records.hpp"

namespace bindings {

template <class T>
nb::object array(berrypick::Column<T>& column) {
    const std::size_t size = column.size();
    T* const data = column.release();
    nb::capsule owner(data, [](void* p) noexcept { std::free(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

inline nb::object array(berrypick::PackedColumn<std::int64_t>& column) {
    return column.is_packed() ? array(column.narrow()) : array(column.wide());
}

// Numbers, or whole numbers and how many decimals of them are behind the point.
inline nb::object array(berrypick::PackedColumn<double>& column) {
    if (!column.is_packed()) return array(column.wide());
    return nb::make_tuple(array(column.narrow()), column.decimals());
}

// The numbers of lines, as a range where they are one.
inline nb::object array(berrypick::LineNumbers& given) {
    berrypick::LineNumbers lines = std::move(given);
    given = berrypick::LineNumbers();
    if (!lines.is_range()) return array(lines.numbers());
    return nb::module_::import_("builtins").attr("range")(lines.first(), lines.first() + Index(lines.size()));
}

inline nb::object vocabulary(berrypick::Vocabulary& names) {
    return nb::cast(new berrypick::Vocabulary(std::move(names)), nb::rv_policy::take_ownership);
}

inline nb::object decoded(const berrypick::Token& name) {
    PyObject* const text = PyUnicode_DecodeUTF8(name.at, Py_ssize_t(name.size), "strict");
    if (!text) throw nb::python_error();
    return nb::steal(text);
}

inline nb::object decoded(const std::string& text) { return decoded(berrypick::Token{text.data(), text.size()}); }

// A text as UTF-8; empty if it is no text, or one that UTF-8 has no form for: surely not among the names of a file.
inline berrypick::Token utf8(nb::handle text) {
    Py_ssize_t size = 0;
    const char* const found = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (found) return {found, std::size_t(size)};
    PyErr_Clear();
    return {"", 0};
}

inline std::vector<berrypick::Token> utf8_of(const nb::list& texts) {
    std::vector<berrypick::Token> found;
    found.reserve(nb::len(texts));
    for (const nb::handle text : texts) found.push_back(utf8(text));
    return found;
}

}  // namespace bindings
