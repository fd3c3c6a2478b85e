// Distributions of the number of targets seen, and the greedy lists of all recall values, as part of the Python module.
#include "arrays.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "greedy.hpp"
#include "joint_bounds.hpp"
#include "law.hpp"

using namespace bindings;

namespace {

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
    require_apart(rank, target, probability, weight, out);
    const berrypick::Form chosen = form_of(form);
    const std::size_t targets = targets_of(out.shape(0), "out needs a place for each number of targets");
    const berrypick::Entries all = entries(rank, target, probability, targets);
    require_weights(weight, berrypick::number_of_events(all));
    const nb::gil_scoped_release released;
    clear(out.data(), out.size());
    berrypick::weighted_law(all, Index(targets), weight.data(), out.data(), chosen);
}

void weighted_bounds(In<Index> rank, In<Index> target, In<double> probability, In<double> weight, bool high,
                     Out<double> out) {
    require_apart(rank, target, probability, weight, out);
    const std::size_t targets = targets_of(out.shape(0), "out needs a place for each number of targets");
    const berrypick::Entries all = entries(rank, target, probability, targets);
    require_weights(weight, berrypick::number_of_events(all));
    const nb::gil_scoped_release released;
    clear(out.data(), out.size());
    berrypick::weighted_bounds(all, Index(targets), weight.data(), high, out.data());
}

void law_over_events(In<Index> rank, In<Index> target, In<double> probability, Out2<double> out, int form) {
    require_apart(rank, target, probability, out);
    const berrypick::Form chosen = form_of(form);
    const std::size_t targets = targets_of(out.shape(1), "out needs a place for each number of targets");
    const berrypick::Entries all = entries(rank, target, probability, targets);
    require_count(out.shape(0), berrypick::number_of_events(all), "rows of out");
    const nb::gil_scoped_release released;
    clear(out.data(), out.size());
    berrypick::law_over_events(all, Index(targets), out.data(), chosen);
}

void law_of_rows(In2<double> seen, In2<double> unseen, Out2<double> out) {
    require_apart(seen, unseen, out);
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
    require_apart(rank, target, probability, gap, fresh, read, last);
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

// The greedy lists of all recall values, one after the other, and where each begins; their values go into arrays.
nb::tuple greedy_lists(In<Index> rank, In<Index> target, In<double> probability, Index candidates, Out<double> length,
                       Out<double> inverse, Out<double> reached) {
    require_apart(rank, target, probability, length, inverse, reached);
    const std::size_t targets = length.shape(0);
    require_count(inverse.shape(0), targets, "inverse");
    require_count(reached.shape(0), targets, "reached");
    const berrypick::Entries all = entries(rank, target, probability, targets);
    require(candidates >= 0 && (all.count == 0 || (all.rank[0] >= 0 && all.rank[all.count - 1] < candidates)),
            "a candidate is out of range");
    std::vector<Index> lists, bounds;
    {
        const nb::gil_scoped_release released;
        berrypick::Greedy found(all, std::size_t(candidates), {length.data(), inverse.data(), reached.data(), targets});
        lists.swap(found.lists);
        bounds.swap(found.bounds);
    }
    return nb::make_tuple(owned(std::move(lists)), owned(std::move(bounds)));
}

}  // namespace

void bind_reach(nb::module_& m) {
    m.def("weighted_law", weighted_law, "rank"_a.noconvert(), "target"_a.noconvert(), "probability"_a.noconvert(),
          "weight"_a.noconvert(), "out"_a.noconvert(), "form"_a = 0);
    m.def("weighted_bounds", weighted_bounds, "rank"_a.noconvert(), "target"_a.noconvert(),
          "probability"_a.noconvert(), "weight"_a.noconvert(), "high"_a, "out"_a.noconvert());
    m.def("law_over_events", law_over_events, "rank"_a.noconvert(), "target"_a.noconvert(),
          "probability"_a.noconvert(), "out"_a.noconvert(), "form"_a = 0);
    m.def("law_of_rows", law_of_rows, "seen"_a.noconvert(), "unseen"_a.noconvert(), "out"_a.noconvert());
    m.def("consulted", consulted, "rank"_a.noconvert(), "target"_a.noconvert(), "probability"_a.noconvert(),
          "gap"_a.noconvert(), "exact"_a, "fresh"_a.noconvert(), "read"_a.noconvert(), "last"_a.noconvert(),
          "form"_a = 0);
    m.def("greedy_lists", greedy_lists, "rank"_a.noconvert(), "target"_a.noconvert(), "probability"_a.noconvert(),
          "candidates"_a, "length"_a.noconvert(), "inverse"_a.noconvert(), "reached"_a.noconvert());
}
