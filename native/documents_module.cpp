// Repeated and judged documents of ranked lists as part of the Python module.
#include "columns.hpp"

#include <vector>

#include "documents.hpp"

using namespace bindings;

namespace {

void require_places(const berrypick::NameColumn& names, const In<std::uint64_t>& place) {
    bool sound = true;
    for (std::size_t i = 0; i < place.shape(0); ++i) sound &= names.holds(place.data()[i]);
    require(sound, "a name lies outside of the column");
}

void require_codes(const std::int32_t* code, std::size_t count, std::size_t vocabulary) {
    for (std::size_t i = 0; i < count; ++i)
        require(code[i] >= 0 && std::size_t(code[i]) < vocabulary, "a document is out of range");
}

// which topics point to a document twice
void repeated_documents(In<Index> bounds, In<std::int32_t> document, std::size_t vocabulary, Out<bool> out) {
    require_apart(bounds, document, out);
    require_bounds(bounds, document.shape(0), "bounds lead from 0 to the number of rows");
    require_count(out.shape(0), bounds.shape(0) - 1, "out");
    const nb::gil_scoped_release released;
    require_codes(document.data(), document.shape(0), vocabulary);
    berrypick::repeated_documents(bounds.data(), out.shape(0), document.data(), vocabulary, out.data());
}

// which topics may point to a span twice: equal spans have equal fingerprints
template <class T>
void repeated_spans(In<Index> bounds, In<std::int32_t> document, In<T> start, In<T> end, Out<bool> out) {
    require_apart(bounds, document, start, end, out);
    require_bounds(bounds, document.shape(0), "bounds lead from 0 to the number of rows");
    require_count(start.shape(0), document.shape(0), "start");
    require_count(end.shape(0), document.shape(0), "end");
    require_count(out.shape(0), bounds.shape(0) - 1, "out");
    const nb::gil_scoped_release released;
    berrypick::repeated_spans(bounds.data(), out.shape(0), document.data(), start.data(), end.data(), out.data());
}

// Judged documents among the retrieved ones; see berrypick::judged_hits.
nb::tuple judged_hits(In<Index> from, In<Index> to, In<std::int32_t> document, In<Index> judged_bounds,
                      In<Index> judged, std::size_t vocabulary, Out<Index> retrieved) {
    require_apart(from, to, document, judged_bounds, judged, retrieved);
    const std::size_t topics = from.shape(0);
    require_count(to.shape(0), topics, "to");
    require_count(retrieved.shape(0), topics, "retrieved");
    require_count(judged_bounds.shape(0), topics + 1, "judged_bounds");
    require_bounds(judged_bounds, judged.shape(0), "judged_bounds lead from 0 to the number of judged documents");
    for (std::size_t i = 0; i < topics; ++i)
        require(from.data()[i] >= 0 && from.data()[i] <= to.data()[i] && std::size_t(to.data()[i]) <= document.shape(0),
                "the rows of a topic are rows of the run");
    for (std::size_t i = 0; i < judged.shape(0); ++i)
        require(judged.data()[i] >= -1 && judged.data()[i] < Index(vocabulary), "a judged document is out of range");
    std::vector<Index> row, rank;
    {
        const nb::gil_scoped_release released;
        require_codes(document.data(), document.shape(0), vocabulary);
        berrypick::judged_hits(from.data(), to.data(), topics, document.data(), judged_bounds.data(), judged.data(),
                               vocabulary, retrieved.data(), row, rank);
    }
    return nb::make_tuple(owned(std::move(row)), owned(std::move(rank)));
}

void repeated_names(In<Index> bounds, const berrypick::NameColumn& names, In<std::uint64_t> place, Out<bool> out) {
    require_apart(bounds, place, out);
    require_bounds(bounds, place.shape(0), "bounds");
    require_count(out.shape(0), bounds.shape(0) - 1, "out");
    require(place.shape(0) < (std::size_t(1) << 31), "too many rows");
    const nb::gil_scoped_release released;
    require_places(names, place);
    berrypick::repeated_names(bounds.data(), out.shape(0), names, place.data(), out.data());
}

void judged_names(berrypick::JudgedNames* at, In<Index> bounds, nb::list names) {
    require_apart(bounds);
    require(nb::len(names) < (std::size_t(1) << 31), "too many judged documents");
    require_bounds(bounds, nb::len(names), "bounds lead from 0 to the number of judged documents");
    new (at) berrypick::JudgedNames(bounds.data(), bounds.shape(0) - 1, utf8_of(names));
}

nb::tuple find_judged(const berrypick::JudgedNames& judged, In<Index> from, In<Index> to,
                      const berrypick::NameColumn& names, In<std::uint64_t> place, In<Index> moved,
                      In<Index> moved_from) {
    require_apart(from, to, place, moved, moved_from);
    const std::size_t others = moved.shape(0);
    require_count(moved_from.shape(0), others, "moved_from");
    for (std::size_t i = 0; i < others; ++i)
        require((i == 0 || moved.data()[i - 1] < moved.data()[i]) && moved_from.data()[i] >= 0 &&
                    std::size_t(moved_from.data()[i]) < place.shape(0),
                "rows that are moved rise, and come from rows of the run");
    const std::size_t topics = judged.topics();
    require_count(from.shape(0), topics, "from");
    require_count(to.shape(0), topics, "to");
    for (std::size_t i = 0; i < topics; ++i)
        require(from.data()[i] >= 0 && from.data()[i] <= to.data()[i] && std::size_t(to.data()[i]) <= place.shape(0),
                "the rows of a topic are rows of the run");
    std::vector<Index> row, rank;
    {
        const nb::gil_scoped_release released;
        require_places(names, place);
        judged.find(from.data(), to.data(), names, place.data(), {moved.data(), moved_from.data(), others}, row, rank);
    }
    return nb::make_tuple(owned(std::move(row)), owned(std::move(rank)));
}

}  // namespace

void bind_documents(nb::module_& m) {
    m.def("repeated_names", repeated_names, "bounds"_a.noconvert(), "names"_a, "place"_a.noconvert(),
          "out"_a.noconvert());
    nb::class_<berrypick::JudgedNames>(m, "JudgedNames")
        .def("__init__", judged_names, "bounds"_a.noconvert(), "names"_a)
        .def("find", find_judged, "from"_a.noconvert(), "to"_a.noconvert(), "names"_a, "place"_a.noconvert(),
             "moved"_a.noconvert(), "moved_from"_a.noconvert());
    m.def("repeated_documents", repeated_documents, "bounds"_a.noconvert(), "document"_a.noconvert(), "vocabulary"_a,
          "out"_a.noconvert());
    m.def("repeated_spans", repeated_spans<std::int32_t>, "bounds"_a.noconvert(), "document"_a.noconvert(), "start"_a.noconvert(),
          "end"_a.noconvert(), "out"_a.noconvert());
    m.def("repeated_spans", repeated_spans<Index>, "bounds"_a.noconvert(), "document"_a.noconvert(), "start"_a.noconvert(),
          "end"_a.noconvert(), "out"_a.noconvert());
    m.def("judged_hits", judged_hits, "from"_a.noconvert(), "to"_a.noconvert(), "document"_a.noconvert(),
          "judged_bounds"_a.noconvert(), "judged"_a.noconvert(), "vocabulary"_a, "retrieved"_a.noconvert());
}
