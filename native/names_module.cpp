// The names of topics and documents as part of the Python module: with codes, without, and by what is known.
#include "columns.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "documents.hpp"

using namespace bindings;

namespace {

nb::list all_names(const berrypick::Vocabulary& names) {
    nb::list found;
    for (std::size_t code = 0; code < names.size(); ++code) found.append(decoded(names.name(code)));
    return found;
}

nb::object one_name(const berrypick::Vocabulary& names, Index code) {
    if (code < 0 || std::size_t(code) >= names.size()) throw nb::index_error("no name has this code");
    return decoded(names.name(std::size_t(code)));
}

// The codes of texts, -1 for those that are not known. Some at a time, as in berrypick::Coder.
void find_names(const berrypick::Vocabulary& names, nb::list wanted, Out<Index> out) {
    require_apart(out);
    require_count(out.shape(0), nb::len(wanted), "out");
    constexpr std::size_t width = 32;
    berrypick::Token words[width];
    std::uint64_t hashes[width];
    const std::size_t count = nb::len(wanted);
    for (std::size_t from = 0; from < count; from += width) {
        const std::size_t some = std::min(width, count - from);
        for (std::size_t i = 0; i < some; ++i) {
            words[i] = utf8(wanted[from + i]);
            hashes[i] = berrypick::Vocabulary::hash(words[i]);
            names.prefetch_slot(hashes[i]);
        }
        for (std::size_t i = 0; i < some; ++i) names.prefetch_name(hashes[i]);
        for (std::size_t i = 0; i < some; ++i) out.data()[from + i] = names.find(words[i], hashes[i]);
    }
}

// --- names without codes -------------------------------------------------------------------------------------------

// The names of rows that are given as texts; None if one is no text that UTF-8 has a form for, or is too long.
nb::object name_column(nb::list names) {
    berrypick::NameColumn found;
    for (const nb::handle text : names) {
        Py_ssize_t size = 0;
        const char* const name = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
        if (!name) PyErr_Clear();
        if (!name || !found.add({name, std::size_t(size)})) return nb::none();
    }
    return nb::cast(new berrypick::NameColumn(std::move(found)), nb::rv_policy::take_ownership);
}

// Whether a text is one that may be a name: not empty, and printable as Python has it.
bool is_name(PyObject* text, const char* bytes, std::size_t size) {
    bool plain = size > 0;
    for (std::size_t i = 0; i < size; ++i) plain &= bytes[i] >= ' ' && bytes[i] <= '~';
    return plain || (size && !berrypick::is_ascii(bytes, size) &&
                     nb::cast<bool>(nb::borrow<nb::object>(text).attr("isprintable")()));
}

// A number as a double, nan for what is no float or whole number, or one that is not held exactly.
double plain_number(PyObject* value) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN(), largest = 9007199254740992.0;
    if (!PyFloat_CheckExact(value) && !PyLong_CheckExact(value)) return none;
    const double found = PyFloat_CheckExact(value) ? PyFloat_AsDouble(value) : PyLong_AsDouble(value);
    if (PyErr_Occurred()) PyErr_Clear();  // -1, for a whole number that is too large
    else if (found > -largest && found < largest) return found;
    return none;
}

// Dictionaries of documents to numbers: the names and the numbers of all rows, and where the rows of each begin and the
// last ones end. None if a name or a number has to be looked at in Python, or all names may be those of spans.
nb::object number_columns(nb::list given) {
    berrypick::NameColumn names;
    berrypick::Column<double> numbers;
    berrypick::Column<Index> bounds;
    bool spans = true;
    for (const nb::handle one : given) {
        bounds.push(Index(names.size()));
        if (!PyDict_CheckExact(one.ptr())) return nb::none();
        PyObject *name = nullptr, *value = nullptr;
        for (Py_ssize_t at = 0; PyDict_Next(one.ptr(), &at, &name, &value);) {
            if (!PyUnicode_CheckExact(name)) return nb::none();
            Py_ssize_t size = 0;
            const char* const bytes = PyUnicode_AsUTF8AndSize(name, &size);
            if (!bytes) PyErr_Clear();
            const double number = plain_number(value);
            if (!bytes || !(number == number) || !is_name(name, bytes, std::size_t(size))) return nb::none();
            if (!names.add({bytes, std::size_t(size)})) return nb::none();
            numbers.push(number);
            spans = spans && std::memchr(bytes, '#', std::size_t(size));
        }
    }
    if (spans) return nb::none();
    bounds.push(Index(names.size()));
    nb::object column = nb::cast(new berrypick::NameColumn(std::move(names)), nb::rv_policy::take_ownership);
    return nb::make_tuple(column, array(numbers), array(bounds));
}

// The memory of the column itself, which stays as long as the array does.
nb::object name_places(const berrypick::NameColumn& names) {
    static const std::uint64_t nothing = 0;
    const std::uint64_t* const found = names.size() ? names.places() : &nothing;
    return nb::cast(nb::ndarray<nb::numpy, const std::uint64_t, nb::ndim<1>>(found, {names.size()}, nb::find(names)));
}

nb::object name_at(const berrypick::NameColumn& names, std::uint64_t row) {
    require(row < names.size(), "no such row");
    return decoded(names.name(names.places()[row]));
}

bool has_any_name(const berrypick::NameColumn& names, nb::list wanted) {
    return berrypick::has_any(names, utf8_of(wanted));
}

bool has_more_names(const berrypick::NameColumn& names, std::size_t most) {
    require(most < (std::size_t(1) << 30), "that many names are not counted");
    const nb::gil_scoped_release released;
    return berrypick::has_more(names, most);
}

// whether any name is known, and the rows of those that may be but for their form
nb::tuple look(const berrypick::KnownNames& known, const berrypick::NameColumn& names) {
    std::vector<Index> near;
    bool any = false;
    {
        const nb::gil_scoped_release released;
        any = known.look(names, near);
    }
    return nb::make_tuple(any, owned(std::move(near)));
}

nb::tuple interned(const berrypick::NameColumn& names) {
    require(names.size() < std::size_t(std::numeric_limits<std::int32_t>::max()), "too many names");
    berrypick::Vocabulary found;
    berrypick::Column<std::int32_t> codes;
    {
        const nb::gil_scoped_release released;
        berrypick::intern(names, found, codes);
    }
    return nb::make_tuple(vocabulary(found), array(codes));
}

}  // namespace

void bind_names(nb::module_& m) {
    nb::class_<berrypick::Vocabulary>(m, "Vocabulary")
        .def("__len__", &berrypick::Vocabulary::size)
        .def("name", one_name, "code"_a)
        .def("names", all_names)
        .def("find", find_names, "names"_a, "out"_a.noconvert());
    nb::class_<berrypick::NameColumn>(m, "NameColumn")
        .def("__len__", &berrypick::NameColumn::size)
        .def("name", name_at, "row"_a)
        .def("places", name_places)
        .def("has_any", has_any_name, "names"_a)
        .def("has_more", has_more_names, "most"_a)
        .def("interned", interned);
    m.def("name_column", name_column, "names"_a);
    m.def("number_columns", number_columns, "given"_a);
    nb::class_<berrypick::KnownNames>(m, "KnownNames")
        .def("__init__", [](berrypick::KnownNames* at, nb::list names, nb::list prints) {
            new (at) berrypick::KnownNames(utf8_of(names), utf8_of(prints));
        }, "names"_a, "prints"_a)
        .def("look", look, "names"_a);
}
