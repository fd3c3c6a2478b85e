// Ideal lists as part of the Python module.
#include "arrays.hpp"

#include <cmath>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include "gain_law.hpp"
#include "list_bounds.hpp"
#include "list_search.hpp"

using namespace bindings;

namespace {

void require_probabilities(const In2<double>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i)
        require(rows.data()[i] >= 0.0 && rows.data()[i] <= 1.0, "a probability lies in [0, 1]");
}

void dominated(In2<double> rows, Out2<std::uint8_t> out) {
    require_apart(rows, out);
    require_count(out.shape(0), rows.shape(0), "rows of out");
    require_count(out.shape(1), rows.shape(0), "columns of out");
    const nb::gil_scoped_release released;
    berrypick::dominated(rows.data(), rows.shape(0), rows.shape(1), out.data());
}

void level_bounds(In2<double> rows, In<double> unseen, Index r, int steps, Out<double> best, Out2<double> given,
                  Out2<double> table) {
    require_apart(rows, unseen, best, given, table);
    require_probabilities(rows);
    require_count(unseen.shape(0), rows.shape(1), "unseen");
    for (std::size_t x = 0; x < unseen.size(); ++x)
        require(unseen.data()[x] >= 0.0 && unseen.data()[x] <= 1.0, "a probability lies in [0, 1]");
    require(r >= 1 && std::size_t(r) <= rows.shape(1), "r is a number of targets");
    require_count(given.shape(0), best.shape(0), "rows of given");
    require_count(given.shape(1), rows.shape(0), "columns of given");
    const nb::gil_scoped_release released;
    std::vector<std::size_t> all(rows.shape(0));
    std::iota(all.begin(), all.end(), std::size_t(0));
    berrypick::level_bounds({rows.shape(0), rows.shape(1), rows.data(), {}}, all, unseen.data(), r, best.shape(0), steps,
                            table.shape(0), table.shape(1), best.data(), given.data(), table.data());
}

template <class T>
std::vector<T> copied(const In<T>& array) {
    return {array.data(), array.data() + array.size()};
}

void require_positive(const In<double>& values, const char* what) {
    double sum = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        require(values.data()[i] > 0.0, what);
        sum += values.data()[i];
    }
    require(std::isfinite(sum), what);
}

void require_targets(const In<Index>& order) {
    std::vector<bool> known(order.size(), false);
    for (std::size_t n = 0; n < order.size(); ++n) {
        const Index x = order.data()[n];
        require(x >= 0 && std::size_t(x) < order.size() && !known[std::size_t(x)], "every target has one place");
        known[std::size_t(x)] = true;
    }
}

// The law of a gain; which of its states lead where is checked.
void make_law(berrypick::GainLaw* self, In<Index> order, In<Index> states, In<Index> stay, In<Index> move,
              In<double> sums, In<double> counted, In<double> gains, double wanted) {
    require_apart(order, states, stay, move, sums, counted, gains);
    const std::size_t targets = order.shape(0);
    require_targets(order);
    require_count(states.shape(0), targets + 1, "states");
    require_count(move.shape(0), stay.shape(0), "move");
    require_count(sums.shape(0), stay.shape(0), "sums");
    require_count(counted.shape(0), targets, "counted");
    require_count(gains.shape(0), targets, "gains");
    require_positive(gains, "gains are above 0, their sum finite");
    require(std::isfinite(wanted), "a gain is finite");
    for (const In<double>& values : {sums, counted})
        for (std::size_t i = 0; i < values.size(); ++i)
            require(values.data()[i] >= 0.0 && std::isfinite(values.data()[i]), "sums of gains are not negative");
    require(states.data()[0] == 1, "a gain begins with one state");
    std::size_t at = 0;
    for (std::size_t x = 0; x < targets; ++x) {
        require(states.data()[x] >= 0 && states.data()[x + 1] >= 0, "a number of states is not negative");
        const std::size_t count = std::size_t(states.data()[x]);
        require(count <= stay.shape(0) - at, "states lead somewhere");
        for (std::size_t s = at; s < at + count; ++s)
            for (const Index to : {stay.data()[s], move.data()[s]})
                require(to >= berrypick::kMissed && to < states.data()[x + 1], "there is no such state");
        at += count;
    }
    require(at == stay.shape(0) && (!targets || states.data()[targets] == 0), "every state leads to an end");
    new (self) berrypick::GainLaw{copied(order), copied(states), copied(stay), copied(move),
                                  copied(sums), copied(counted), copied(gains), wanted};
}

void make_number_law(berrypick::GainLaw* self, Index targets, Index number) {
    require(targets >= 0 && number >= 0 && number < Index(1) << 53 && targets < Index(1) << 32, "a number of targets");
    new (self) berrypick::GainLaw(berrypick::GainLaw::of_number(std::size_t(targets), std::size_t(number)));
}

void walk_law(const berrypick::GainLaw& law, In2<double> seen, In2<double> unseen, Out<double> below, Out<double> reached,
              Out<double> expected) {
    require_apart(seen, unseen, below, reached, expected);
    require_probabilities(seen);
    require_probabilities(unseen);
    require_count(seen.shape(1), law.targets(), "columns of seen");
    require_count(unseen.shape(0), seen.shape(0), "rows of unseen");
    require_count(unseen.shape(1), seen.shape(1), "columns of unseen");
    for (const Out<double>* const out : {&below, &reached, &expected})
        require_count(out->shape(0), seen.shape(0), "results");
    const nb::gil_scoped_release released;
    berrypick::GainLaw::Scratch scratch;
    for (std::size_t n = 0; n < seen.shape(0); ++n) {
        const auto found = law(seen.data() + n * law.targets(), unseen.data() + n * law.targets(), scratch);
        below.data()[n] = found.below;
        reached.data()[n] = found.reached;
        expected.data()[n] = found.expected;
    }
}

void gains_of_sets(const berrypick::GainLaw& law, In2<double> rows, Out<double> below, Out<double> reached,
                   Out<std::uint8_t> done) {
    require_apart(rows, below, reached, done);
    require_probabilities(rows);
    require(rows.shape(0) <= 24, "too many candidates to list their sets");
    require_count(rows.shape(1), law.targets(), "columns of rows");
    const std::size_t sets = std::size_t(1) << rows.shape(0);
    require_count(below.shape(0), sets, "below");
    require_count(reached.shape(0), sets, "reached");
    require_count(done.shape(0), sets, "done");
    const nb::gil_scoped_release released;
    berrypick::gains_of_sets(rows.data(), unsigned(rows.shape(0)), law, below.data(), reached.data(), done.data());
}

void best_order(In<double> weight, In<double> effort, bool inverse, Out<double> best, Out<Index> step,
                    In<std::uint8_t> done, unsigned count) {
    require_apart(weight, effort, best, step, done);
    require(count <= 24, "too many candidates to list their sets");
    const std::size_t sets = std::size_t(1) << count;
    require_count(weight.shape(0), sets, "weight");
    require_count(effort.shape(0), sets, "effort");
    require_count(best.shape(0), sets, "best");
    require_count(step.shape(0), sets, "step");
    require_count(done.shape(0), sets, "done");
    const nb::gil_scoped_release released;
    berrypick::best_order(weight.data(), effort.data(), inverse, best.data(), step.data(), done.data(), count);
}

void make_problem(berrypick::ListProblem* self, In2<double> rows, In<double> effort, In2<double> outside,
                  const berrypick::GainLaw& upper, const berrypick::GainLaw& lower, bool inverse, bool certain,
                  double most, double floor) {
    require_apart(rows, effort, outside);
    require_probabilities(rows);
    require_count(effort.shape(0), rows.shape(0), "effort");
    require_positive(effort, "effort is above 0, its sum finite");
    require_count(outside.shape(0), rows.shape(0), "rows of outside");
    require_count(outside.shape(1), rows.shape(1), "columns of outside");
    for (std::size_t i = 0; i < outside.size(); ++i)
        require(outside.data()[i] >= 0.0 && std::isfinite(outside.data()[i]), "effort outside is not negative");
    require_count(upper.targets(), rows.shape(1), "targets of the upper law");
    require_count(lower.targets(), rows.shape(1), "targets of the lower law");
    require(upper.is_number == lower.is_number, "both laws are of a number, or none is");
    if (lower.is_number) {
        require(upper.wanted == lower.wanted && lower.wanted >= 1.0 && lower.wanted <= double(rows.shape(1)),
                "r is a number of targets");
        for (std::size_t i = 0; i < effort.size(); ++i) require(effort.data()[i] == 1.0, "a rank costs 1");
        for (std::size_t i = 0; i < outside.size(); ++i) require(outside.data()[i] == 0.0, "browsing costs nothing");
    }
    require(most >= 0.0 && most <= 1.0, "a probability lies in [0, 1]");
    require(floor >= 0.0 && std::isfinite(floor), "a floor is not negative");
    new (self) berrypick::ListProblem({rows.shape(0), rows.shape(1), rows.data(), copied(effort)},
                                      {outside.data(), outside.data() + outside.size()}, upper, lower, inverse, certain,
                                      most, floor);
}

// Any one target has the gain: what browsing to the first ones costs.
void decide_problem(berrypick::ListProblem& problem, In2<double> cost, In2<double> share, In<double> misses) {
    require_apart(cost, share, misses);
    require(!problem.is_number(), "browsing costs nothing");
    require_count(cost.shape(0), problem.candidates.count, "rows of cost");
    require_count(share.shape(0), problem.candidates.count, "rows of share");
    require_count(share.shape(1), cost.shape(1), "columns of share");
    require_count(misses.shape(0), problem.candidates.count, "misses");
    require_probabilities(share);
    for (std::size_t i = 0; i < cost.size(); ++i)
        require(cost.data()[i] >= 0.0 && std::isfinite(cost.data()[i]), "what browsing costs is not negative");
    for (std::size_t i = 0; i < misses.size(); ++i)
        require(misses.data()[i] >= 0.0 && misses.data()[i] <= 1.0, "a probability lies in [0, 1]");
    problem.first = {cost.shape(1),
                     {cost.data(), cost.data() + cost.size()},
                     {share.data(), share.data() + share.size()},
                     {misses.data(), misses.data() + misses.size()}};
}

// Lists as rows, each filled up with a number beyond the candidates.
void list_scores(const berrypick::ListProblem& problem, In2<Index> lists, Out<double> out) {
    require_apart(lists, out);
    require_count(out.shape(0), lists.shape(0), "out");
    for (std::size_t k = 0; k < lists.size(); ++k)
        require(lists.data()[k] >= 0 && std::size_t(lists.data()[k]) <= problem.candidates.count, "no such candidate");
    const nb::gil_scoped_release released;
    berrypick::GainLaw::Scratch scratch;
    for (std::size_t n = 0; n < lists.shape(0); ++n)
        out.data()[n] = problem.score(lists.data() + n * lists.shape(1), lists.shape(1), scratch);
}

// A list of candidates, each at most once.
std::vector<Index> required_list(const Index* list, std::size_t size, std::size_t count) {
    std::vector<bool> known(count, false);
    for (std::size_t k = 0; k < size; ++k) {
        const Index i = list[k];
        require(i >= 0 && std::size_t(i) < count && !known[std::size_t(i)], "a list holds candidates, each once");
        known[std::size_t(i)] = true;
    }
    return {list, list + size};
}

std::vector<Index> required_list(const In<Index>& list, std::size_t count) {
    return required_list(list.data(), list.size(), count);
}

nb::list python_list(const std::vector<Index>& list) {
    nb::list found;
    for (const Index i : list) found.append(i);
    return found;
}

nb::list cut_list(const berrypick::ListProblem& problem, In<Index> list) {
    require_apart(list);
    std::vector<Index> found = required_list(list, problem.candidates.count);
    {
        const nb::gil_scoped_release released;
        berrypick::GainLaw::Scratch scratch;
        found = problem.cut(found, scratch);
    }
    return python_list(found);
}

// Scores of a list with each of some candidates in the place of another, at the effort of the next rank.
void exchanged_scores(const berrypick::ListProblem& problem, In<Index> list, std::size_t place, In<Index> options,
                      Out<double> out) {
    require_apart(list, options, out);
    const std::vector<Index> order = required_list(list, problem.candidates.count);
    const std::vector<Index> others = required_list(options, problem.candidates.count);
    require(place < order.size(), "no such place");
    require_count(out.shape(0), others.size(), "out");
    const nb::gil_scoped_release released;
    problem.exchanged(order, place, others, out.data());
}

// The first of some lists of the same length that, once cut, scores more than a goal: its number, or -1, it and its score.
nb::tuple better_list(const berrypick::ListProblem& problem, In2<Index> lists, double goal) {
    require_apart(lists);
    std::vector<std::vector<Index>> orders;
    for (std::size_t n = 0; n < lists.shape(0); ++n)
        orders.push_back(required_list(lists.data() + n * lists.shape(1), lists.shape(1), problem.candidates.count));
    std::vector<Index> found;
    Index number = -1;
    double score = goal;
    {
        const nb::gil_scoped_release released;
        berrypick::GainLaw::Scratch scratch;
        for (std::size_t n = 0; n < orders.size() && number < 0; ++n) {
            found = problem.cut(orders[n], scratch);
            score = problem.score(found.data(), found.size(), scratch);
            if (score > goal) number = Index(n);
        }
    }
    return nb::make_tuple(number, python_list(found), score);
}

// Which candidates follow which others, and a list to begin with.
berrypick::ListSearch* start_search(const berrypick::ListProblem& problem, In2<std::uint8_t> follows, In<Index> best,
                                    double goal) {
    require_apart(follows, best);
    const std::size_t count = problem.candidates.count;
    require_count(follows.shape(0), count, "rows of follows");
    require(follows.shape(1) == 0 || follows.shape(1) == count, "each candidate follows some or none");
    for (std::size_t k = 0; k < follows.size(); ++k) require(follows.data()[k] <= 1, "a candidate follows or not");
    require(std::isfinite(goal) && (problem.inverse ? goal >= 0.0 : goal <= 0.0), "a list scores something");
    return new berrypick::ListSearch(problem, {follows.data(), follows.data() + follows.size()},
                                     required_list(best, count), goal);
}

bool search_step(berrypick::ListSearch& search) {
    const nb::gil_scoped_release released;
    return search.step();
}

double search_bound(berrypick::ListSearch& search) {
    const nb::gil_scoped_release released;
    return search.bound();
}

}  // namespace

void bind_lists(nb::module_& m) {
    m.def("dominated", dominated, "rows"_a.noconvert(), "out"_a.noconvert());
    m.def("level_bounds", level_bounds, "rows"_a.noconvert(), "unseen"_a.noconvert(), "r"_a, "steps"_a,
          "best"_a.noconvert(), "given"_a.noconvert(), "table"_a.noconvert());
    m.def("best_order", best_order, "weight"_a.noconvert(), "effort"_a.noconvert(), "inverse"_a,
          "best"_a.noconvert(), "step"_a.noconvert(), "done"_a.noconvert(), "count"_a);
    nb::class_<berrypick::GainLaw>(m, "GainLaw")
        .def("__init__", make_law, "order"_a.noconvert(), "states"_a.noconvert(), "stay"_a.noconvert(),
             "move"_a.noconvert(), "sums"_a.noconvert(), "counted"_a.noconvert(), "gains"_a.noconvert(), "wanted"_a)
        .def("__init__", make_number_law, "targets"_a, "number"_a)
        .def("walk", walk_law, "seen"_a.noconvert(), "unseen"_a.noconvert(), "below"_a.noconvert(),
             "reached"_a.noconvert(), "expected"_a.noconvert())
        .def("of_sets", gains_of_sets, "rows"_a.noconvert(), "below"_a.noconvert(), "reached"_a.noconvert(),
             "done"_a.noconvert());
    nb::class_<berrypick::ListProblem>(m, "ListProblem")
        .def("__init__", make_problem, "rows"_a.noconvert(), "effort"_a.noconvert(), "outside"_a.noconvert(), "upper"_a,
             "lower"_a, "inverse"_a, "certain"_a, "most"_a, "floor"_a)
        .def("decide", decide_problem, "cost"_a.noconvert(), "share"_a.noconvert(), "misses"_a.noconvert())
        .def("scores", list_scores, "lists"_a.noconvert(), "out"_a.noconvert())
        .def("cut", cut_list, "list"_a.noconvert())
        .def("exchanged", exchanged_scores, "list"_a.noconvert(), "place"_a, "options"_a.noconvert(),
             "out"_a.noconvert())
        .def("better", better_list, "lists"_a.noconvert(), "goal"_a)
        .def("search", start_search, "follows"_a.noconvert(), "best"_a.noconvert(), "goal"_a,
             nb::rv_policy::take_ownership, nb::keep_alive<0, 1>());
    nb::class_<berrypick::ListSearch>(m, "ListSearch")
        .def("step", search_step)
        .def("best", [](const berrypick::ListSearch& search) { return python_list(search.best()); })
        .def("bound", search_bound);
}
