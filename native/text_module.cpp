// Intervals of text and areas of pages as part of the Python module: what each result shows, and shows first.
#include "arrays.hpp"

#include <nanobind/stl/pair.h>

#include <utility>
#include <vector>

#include "areas.hpp"
#include "text.hpp"

using namespace bindings;

namespace {

// These return whether they could: whole positions too far out for 64-bit sums are left to the caller.

template <class T>
Index merge(In<T> start, In<T> end, Out<T> merged_start, Out<T> merged_end) {
    require_apart(start, end, merged_start, merged_end);
    const std::size_t count = start.shape(0);
    require_count(end.shape(0), count, "end");
    require_count(merged_start.shape(0), count, "merged_start");
    require_count(merged_end.shape(0), count, "merged_end");
    const nb::gil_scoped_release released;
    return Index(berrypick::merge(start.data(), end.data(), count, merged_start.data(), merged_end.data()));
}

template <class T>
bool intersections(In<T> start, In<T> end, In<T> other_start, In<T> other_end, Out2<double> out) {
    require_apart(start, end, other_start, other_end, out);
    const std::size_t count = start.shape(0), others = other_start.shape(0);
    require_count(end.shape(0), count, "end");
    require_count(other_end.shape(0), others, "other_end");
    require_count(out.shape(0), count, "rows of out");
    require_count(out.shape(1), others, "columns of out");
    const nb::gil_scoped_release released;
    for (const auto* positions : {&start, &end, &other_start, &other_end})
        if (!berrypick::measurable(positions->data(), positions->shape(0))) return false;
    berrypick::intersections(start.data(), end.data(), count, other_start.data(), other_end.data(), others,
                             out.data());
    return true;
}

template <class T>
berrypick::RelevantText<T> relevant_text(const In<Index>& code, const In<Index>& part, const In<T>& start,
                                         const In<T>& end) {
    const std::size_t pieces = start.shape(0);
    require_count(end.shape(0), pieces, "relevant_end");
    require_count(part.shape(0), code.shape(0) + 1, "part");
    require(part.data()[0] == 0 && std::size_t(part.data()[code.shape(0)]) == pieces,
            "part must lead from 0 to the number of relevant intervals");
    for (std::size_t i = 0; i < code.shape(0); ++i) {
        require(part.data()[i] <= part.data()[i + 1], "part must not fall");
        for (Index j = part.data()[i]; j < part.data()[i + 1]; ++j) {
            require(j >= 0 && std::size_t(j) < pieces, "part is out of range");
            require(start.data()[j] < end.data()[j] &&
                        (j == part.data()[i] || end.data()[j - 1] <= start.data()[j]),
                    "relevant intervals must be disjoint and in order");
        }
    }
    return {code.data(), code.shape(0), part.data(), start.data(), end.data()};
}

template <class T>
bool first_seen(In<Index> document, In<T> start, In<T> end, In<Index> known, In<Index> part, In<T> relevant_start,
                In<T> relevant_end, Out<double> fresh, Out<double> good) {
    require_apart(document, start, end, known, part, relevant_start, relevant_end, fresh, good);
    const std::size_t count = document.shape(0);
    require_count(start.shape(0), count, "start");
    require_count(end.shape(0), count, "end");
    require_count(fresh.shape(0), count, "fresh");
    require_count(good.shape(0), count, "good");
    const berrypick::RelevantText<T> text = relevant_text(known, part, relevant_start, relevant_end);
    for (std::size_t i = 1; i < known.shape(0); ++i)
        require(known.data()[i - 1] < known.data()[i], "known documents must be sorted");
    const nb::gil_scoped_release released;
    for (const auto* positions : {&start, &end, &relevant_start, &relevant_end})
        if (!berrypick::measurable(positions->data(), positions->shape(0))) return false;
    berrypick::FirstSeenOfList<T>()({document.data(), count}, start.data(), end.data(), text, fresh.data(), good.data());
    return true;
}

void read_lists(In<Index> bounds, In<Index> document, In<Index> start, In<Index> end, In<Index> from, In<Index> to,
                In<Index> code, In<Index> part, In<Index> relevant_start, In<Index> relevant_end, Out<double> fresh,
                Out<double> good, Out<Index> number, Out<Index> place) {
    require_apart(bounds, document, start, end, from, to, code, part, relevant_start, relevant_end, fresh, good, number,
                  place);
    const std::size_t count = document.shape(0);
    require_bounds(bounds, count, "bounds");
    const std::size_t topics = bounds.shape(0) - 1;
    for (const auto* column : {&start, &end}) {
        require_count(column->shape(0), count, "positions");
        require(berrypick::measurable(column->data(), count), "positions are too far out");
    }
    for (const auto* column : {&fresh, &good}) require_count(column->shape(0), count, "lengths");
    for (const auto* column : {&number, &place}) require_count(column->shape(0), count, "numbers");
    require_count(from.shape(0), topics, "from");
    require_count(to.shape(0), topics, "to");
    for (std::size_t i = 0; i < topics; ++i)
        require(from.data()[i] >= 0 && from.data()[i] <= to.data()[i] && std::size_t(to.data()[i]) <= code.shape(0),
                "the relevant text of a topic is out of range");
    const berrypick::RelevantText<Index> text = relevant_text(code, part, relevant_start, relevant_end);
    for (const auto* column : {&relevant_start, &relevant_end})
        require(berrypick::measurable(column->data(), column->shape(0)), "positions are too far out");
    const nb::gil_scoped_release released;
    berrypick::read_lists(bounds.data(), topics, document.data(), start.data(), end.data(), from.data(), to.data(), text,
                          fresh.data(), good.data(), number.data(), place.data());
}

void best_precision(In<Index> bounds, In<double> fresh, In<double> good, In<double> total, In<double> hundredth,
                    Out2<double> out) {
    require_apart(bounds, fresh, good, total, hundredth, out);
    require_bounds(bounds, fresh.shape(0), "bounds");
    const std::size_t topics = bounds.shape(0) - 1, levels = hundredth.shape(0);
    require_count(good.shape(0), fresh.shape(0), "good");
    require_count(total.shape(0), topics, "total");
    require_count(out.shape(0), topics, "rows of out");
    require_count(out.shape(1), levels, "columns of out");
    const nb::gil_scoped_release released;
    berrypick::best_precision(bounds.data(), topics, fresh.data(), good.data(), total.data(), hundredth.data(), levels,
                              out.data());
}

void first_seen_areas(In<Index> page, In2<double> box, In<Index> relevant_page, In2<double> relevant_box,
                      Out<double> fresh, Out<double> good) {
    require_apart(page, box, relevant_page, relevant_box, fresh, good);
    const std::size_t count = page.shape(0), relevant = relevant_page.shape(0);
    require_count(box.shape(0), count, "box");
    require_count(relevant_box.shape(0), relevant, "relevant_box");
    require(box.shape(1) == 4 && relevant_box.shape(1) == 4, "a box has four edges");
    require_count(fresh.shape(0), count, "fresh");
    require_count(good.shape(0), count, "good");
    const nb::gil_scoped_release released;
    berrypick::first_seen_areas(page.data(), box.data(), count, relevant_page.data(), relevant_box.data(), relevant,
                                fresh.data(), good.data());
}

nb::tuple numbered_documents(In<Index> document) {
    require_apart(document);
    std::vector<Index> number, code;
    {
        const nb::gil_scoped_release released;
        const berrypick::Numbered found(document.data(), document.shape(0));
        number = found.number();
        code = found.code();
    }
    return nb::make_tuple(owned(std::move(number)), owned(std::move(code)));
}

// -1 where positions are too far out for 64-bit sums
double covered(In<Index> document, In<Index> start, In<Index> end) {
    require_apart(document, start, end);
    const std::size_t count = document.shape(0);
    require_count(start.shape(0), count, "start");
    require_count(end.shape(0), count, "end");
    const nb::gil_scoped_release released;
    // sums of so many lengths stay below 2^62
    const Index most = berrypick::furthest / Index(count + 1);
    for (std::size_t i = 0; i < count; ++i)
        if (start.data()[i] < -most || end.data()[i] > most) return -1.0;
    return berrypick::covered(document.data(), start.data(), end.data(), count);
}

void interpolate(nb::list lines, In<Index> line, In<double> position, Out<double> out) {
    require_apart(line, position, out);
    require_count(position.shape(0), line.shape(0), "position");
    require_count(out.shape(0), line.shape(0), "out");
    std::vector<std::pair<In<double>, In<double>>> corners;
    corners.reserve(lines.size());
    for (nb::handle one : lines) {
        corners.push_back(nb::cast<std::pair<In<double>, In<double>>>(one, false));
        const auto& [x, y] = corners.back();
        require_apart(x, out);
        require_apart(y, out);
        require(x.shape(0) > 0, "a line has a corner");
        require_count(y.shape(0), x.shape(0), "corners");
    }
    for (std::size_t i = 0; i < line.shape(0); ++i) {
        require(line.data()[i] >= 0 && std::size_t(line.data()[i]) < corners.size(), "a line is out of range");
        const auto& [x, y] = corners[std::size_t(line.data()[i])];
        out.data()[i] = berrypick::height(x.data(), y.data(), x.shape(0), position.data()[i]);
    }
}

template <class T>
void bind_positions(nb::module_& m) {
    m.def("merge", merge<T>, "start"_a.noconvert(), "end"_a.noconvert(), "merged_start"_a.noconvert(),
          "merged_end"_a.noconvert());
    m.def("intersections", intersections<T>, "start"_a.noconvert(), "end"_a.noconvert(), "other_start"_a.noconvert(),
          "other_end"_a.noconvert(), "out"_a.noconvert());
    m.def("first_seen", first_seen<T>, "document"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert(),
          "known"_a.noconvert(), "part"_a.noconvert(), "relevant_start"_a.noconvert(), "relevant_end"_a.noconvert(),
          "fresh"_a.noconvert(), "good"_a.noconvert());
}

}  // namespace

void bind_text(nb::module_& m) {
    bind_positions<std::int64_t>(m);
    bind_positions<double>(m);
    m.def("read_lists", read_lists, "bounds"_a.noconvert(), "document"_a.noconvert(), "start"_a.noconvert(),
          "end"_a.noconvert(), "from"_a.noconvert(), "to"_a.noconvert(), "code"_a.noconvert(), "part"_a.noconvert(),
          "relevant_start"_a.noconvert(), "relevant_end"_a.noconvert(), "fresh"_a.noconvert(), "good"_a.noconvert(),
          "number"_a.noconvert(), "place"_a.noconvert());
    m.def("best_precision", best_precision, "bounds"_a.noconvert(), "fresh"_a.noconvert(), "good"_a.noconvert(),
          "total"_a.noconvert(), "hundredth"_a.noconvert(), "out"_a.noconvert());
    m.def("numbered_documents", numbered_documents, "document"_a.noconvert());
    m.def("covered", covered, "document"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert());
    m.def("first_seen_areas", first_seen_areas, "page"_a.noconvert(), "box"_a.noconvert(),
          "relevant_page"_a.noconvert(), "relevant_box"_a.noconvert(), "fresh"_a.noconvert(), "good"_a.noconvert());
    m.def("interpolate", interpolate, "lines"_a, "line"_a.noconvert(), "position"_a.noconvert(), "out"_a.noconvert());
}
