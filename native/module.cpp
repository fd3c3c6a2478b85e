// The compiled kernels as a Python module. Everything that Python hands over is checked here, before the interpreter
// lock is released and the kernels run on plain memory. Results go into arrays that the caller has made.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "law.hpp"
#include "text.hpp"
#include "trees.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using berrypick::Index;

namespace {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void require_count(std::size_t count, std::size_t wanted, const char* what) {
    if (count != wanted)
        throw std::invalid_argument(std::string(what) + ": " + std::to_string(count) + " values, expected " +
                                    std::to_string(wanted));
}

// --- reach ---------------------------------------------------------------------------------------------------------

berrypick::Entries entries(const In<Index>& rank, const In<Index>& target, const In<double>& probability,
                           std::size_t targets) {
    require_count(target.shape(0), rank.shape(0), "target");
    require_count(probability.shape(0), rank.shape(0), "probability");
    const berrypick::Entries found{rank.data(), target.data(), probability.data(), rank.shape(0)};
    for (std::size_t i = 0; i < found.count; ++i) {
        require(found.target[i] >= 0 && std::size_t(found.target[i]) < targets, "a target is out of range");
        require(found.probability[i] >= 0.0 && found.probability[i] <= 1.0, "a probability lies in [0, 1]");
        require(i == 0 || found.rank[i - 1] < found.rank[i] ||
                    (found.rank[i - 1] == found.rank[i] && found.target[i - 1] < found.target[i]),
                "entries must be sorted by rank and target, each pair once");
    }
    return found;
}

// an array over the targets seen, 0 .. targets
std::size_t targets_of(std::size_t places, const char* what) {
    require(places >= 1 && places < (std::size_t(1) << 48), what);
    return places - 1;
}

void require_weights(const In<double>& weight, std::size_t wanted) {
    require_count(weight.shape(0), wanted, "weight");
    for (std::size_t i = 0; i < wanted; ++i)
        require(weight.data()[i] >= 0.0 && std::isfinite(weight.data()[i]), "weights are finite and not negative");
}

// 0: whichever is faster, 1: divide and conquer, 2: the plain form (for tests and benchmarks)
berrypick::Form form_of(int form) {
    require(form >= 0 && form <= 2, "form is 0, 1 or 2");
    return static_cast<berrypick::Form>(form);
}

void clear(double* out, std::size_t count) { std::fill(out, out + count, 0.0); }

void weighted_law(In<Index> rank, In<Index> target, In<double> probability, In<double> weight, Out<double> out,
                  int form) {
    const berrypick::Form chosen = form_of(form);
    const std::size_t targets = targets_of(out.shape(0), "out needs a place for each number of targets");
    const berrypick::Entries all = entries(rank, target, probability, targets);
    require_weights(weight, berrypick::number_of_events(all));
    const nb::gil_scoped_release released;
    clear(out.data(), out.size());
    berrypick::weighted_law(all, Index(targets), weight.data(), out.data(), chosen);
}

void law_over_events(In<Index> rank, In<Index> target, In<double> probability, Out2<double> out, int form) {
    const berrypick::Form chosen = form_of(form);
    const std::size_t targets = targets_of(out.shape(1), "out needs a place for each number of targets");
    const berrypick::Entries all = entries(rank, target, probability, targets);
    require_count(out.shape(0), berrypick::number_of_events(all), "rows of out");
    const nb::gil_scoped_release released;
    clear(out.data(), out.size());
    berrypick::law_over_events(all, Index(targets), out.data(), chosen);
}

void law_of_rows(In2<double> seen, In2<double> unseen, Out2<double> out) {
    const std::size_t rows = seen.shape(0), targets = seen.shape(1);
    require_count(unseen.shape(0), rows, "rows of unseen");
    require_count(unseen.shape(1), targets, "columns of unseen");
    require_count(out.shape(0), rows, "rows of out");
    require_count(out.shape(1), targets + 1, "columns of out");
    for (std::size_t i = 0; i < seen.size(); ++i)
        require(seen.data()[i] >= 0.0 && seen.data()[i] <= 1.0 && unseen.data()[i] >= 0.0 && unseen.data()[i] <= 1.0,
                "a probability lies in [0, 1]");
    const nb::gil_scoped_release released;
    clear(out.data(), out.size());
    berrypick::law_of_rows(seen.data(), unseen.data(), rows, targets, out.data());
}

void consulted(In<Index> rank, In<Index> target, In<double> probability, In<double> gap, bool exact,
               Out<double> fresh, Out<double> read, Out<double> last, int form) {
    const berrypick::Form chosen = form_of(form);
    const std::size_t targets = targets_of(last.shape(0), "last needs a place for each number of targets");
    const berrypick::Entries all = entries(rank, target, probability, targets);
    require_weights(gap, berrypick::number_of_events(all) + 1);
    require_count(fresh.shape(0), targets + 1, "fresh");
    require_count(read.shape(0), targets + 1, "read");
    const nb::gil_scoped_release released;
    clear(fresh.data(), fresh.size());
    clear(read.data(), read.size());
    clear(last.data(), last.size());
    berrypick::consulted(all, Index(targets), gap.data(), exact, {fresh.data(), read.data(), last.data()},
                         chosen);
}

// --- text ----------------------------------------------------------------------------------------------------------
// These return whether they could: whole positions too far out for 64-bit sums are left to the caller.

template <class T>
Index merge(In<T> start, In<T> end, Out<T> merged_start, Out<T> merged_end) {
    const std::size_t count = start.shape(0);
    require_count(end.shape(0), count, "end");
    require_count(merged_start.shape(0), count, "merged_start");
    require_count(merged_end.shape(0), count, "merged_end");
    const nb::gil_scoped_release released;
    return Index(berrypick::merge(start.data(), end.data(), count, merged_start.data(), merged_end.data()));
}

template <class T>
bool intersections(In<T> start, In<T> end, In<T> other_start, In<T> other_end, Out2<double> out) {
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
bool first_seen(In<Index> document, In<T> start, In<T> end, In<Index> known, In<Index> part, In<T> relevant_start,
                In<T> relevant_end, Out<double> fresh, Out<double> good) {
    const std::size_t count = document.shape(0), pieces = relevant_start.shape(0);
    require_count(start.shape(0), count, "start");
    require_count(end.shape(0), count, "end");
    require_count(fresh.shape(0), count, "fresh");
    require_count(good.shape(0), count, "good");
    require_count(relevant_end.shape(0), pieces, "relevant_end");
    require_count(part.shape(0), known.shape(0) + 1, "part");
    require(part.data()[0] == 0 && std::size_t(part.data()[known.shape(0)]) == pieces,
            "part must lead from 0 to the number of relevant intervals");
    for (std::size_t i = 0; i < known.shape(0); ++i) {
        require(i == 0 || known.data()[i - 1] < known.data()[i], "known documents must be sorted");
        require(part.data()[i] <= part.data()[i + 1], "part must not fall");
        for (Index j = part.data()[i]; j < part.data()[i + 1]; ++j) {
            require(j >= 0 && std::size_t(j) < pieces, "part is out of range");
            require(relevant_start.data()[j] < relevant_end.data()[j] &&
                        (j == part.data()[i] || relevant_end.data()[j - 1] <= relevant_start.data()[j]),
                    "relevant intervals must be disjoint and in order");
        }
    }
    const nb::gil_scoped_release released;
    for (const auto* positions : {&start, &end, &relevant_start, &relevant_end})
        if (!berrypick::measurable(positions->data(), positions->shape(0))) return false;
    berrypick::first_seen(document.data(), start.data(), end.data(), count, known.data(), known.shape(0), part.data(),
                          relevant_start.data(), relevant_end.data(), fresh.data(), good.data());
    return true;
}

// --- trees ---------------------------------------------------------------------------------------------------------

berrypick::Places places(const In<Index>& document, const In<Index>& start, const In<Index>& end) {
    require_count(start.shape(0), document.shape(0), "start");
    require_count(end.shape(0), document.shape(0), "end");
    for (std::size_t i = 0; i < start.shape(0); ++i)
        require(start.data()[i] < end.data()[i], "an element ends after its start");
    return {document.data(), start.data(), end.data(), document.shape(0)};
}

using Owned = nb::ndarray<nb::numpy, Index, nb::ndim<1>>;

Owned owned(std::vector<Index>&& values) {
    auto* kept = new std::vector<Index>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Index>*>(p); });
    return Owned(kept->data(), {kept->size()}, owner);
}

nb::tuple nested_pairs(In<Index> document, In<Index> start, In<Index> end, In<Index> other_document,
                       In<Index> other_start, In<Index> other_end) {
    const berrypick::Places one = places(document, start, end), other = places(other_document, other_start, other_end);
    std::vector<Index> first, second;
    {
        const nb::gil_scoped_release released;
        berrypick::nested_pairs(one, other, first, second);
    }
    return nb::make_tuple(owned(std::move(first)), owned(std::move(second)));
}

void unseen_lengths(In<Index> document, In<Index> start, In<Index> end, In<double> length, Out<double> out) {
    const berrypick::Places element = places(document, start, end);
    require_count(length.shape(0), element.count, "length");
    require_count(out.shape(0), element.count, "out");
    const nb::gil_scoped_release released;
    berrypick::unseen_lengths(element, length.data(), out.data());
}

template <class T>
void text(nb::module_& m) {
    m.def("merge", merge<T>, "start"_a.noconvert(), "end"_a.noconvert(), "merged_start"_a.noconvert(),
          "merged_end"_a.noconvert());
    m.def("intersections", intersections<T>, "start"_a.noconvert(), "end"_a.noconvert(), "other_start"_a.noconvert(),
          "other_end"_a.noconvert(), "out"_a.noconvert());
    m.def("first_seen", first_seen<T>, "document"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert(),
          "known"_a.noconvert(), "part"_a.noconvert(), "relevant_start"_a.noconvert(), "relevant_end"_a.noconvert(),
          "fresh"_a.noconvert(), "good"_a.noconvert());
}

}  // namespace

NB_MODULE(_native, m) {
    m.doc() = "The compiled kernels; berrypick.kernels has them behind the same functions as their NumPy forms.";
    m.def("weighted_law", weighted_law, "rank"_a.noconvert(), "target"_a.noconvert(), "probability"_a.noconvert(),
          "weight"_a.noconvert(), "out"_a.noconvert(), "form"_a = 0);
    m.def("law_over_events", law_over_events, "rank"_a.noconvert(), "target"_a.noconvert(),
          "probability"_a.noconvert(), "out"_a.noconvert(), "form"_a = 0);
    m.def("law_of_rows", law_of_rows, "seen"_a.noconvert(), "unseen"_a.noconvert(), "out"_a.noconvert());
    m.def("consulted", consulted, "rank"_a.noconvert(), "target"_a.noconvert(), "probability"_a.noconvert(),
          "gap"_a.noconvert(), "exact"_a, "fresh"_a.noconvert(), "read"_a.noconvert(), "last"_a.noconvert(),
          "form"_a = 0);
    text<std::int64_t>(m);
    text<double>(m);
    m.def("nested_pairs", nested_pairs, "document"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert(),
          "other_document"_a.noconvert(), "other_start"_a.noconvert(), "other_end"_a.noconvert());
    m.def("unseen_lengths", unseen_lengths, "document"_a.noconvert(), "start"_a.noconvert(), "end"_a.noconvert(),
          "length"_a.noconvert(), "out"_a.noconvert());
}
