// A problem of ideal lists, and scores of lists. ideal/list_problem.py and ideal/number_problem.py have the plain forms.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "gain_law.hpp"

namespace berrypick {

constexpr std::size_t kMostLevels = 40;

// Where any one target has the gain: for each candidate the sums that browsing to the first targets can cost, the share of
// readers of each sum, and the share who find nothing (kernels/first_browsing.py). No sums where one target is not enough.
struct FirstBrowsing {
    std::size_t sums = 0;
    Values cost, share, misses;
};

// One gain, or number of targets, and one objective. Scores are maximised: -E[ce], or E[1/ce].
struct ListProblem {
    Candidates candidates;
    Values outside;
    GainLaw upper, lower;
    bool inverse, certain;
    double most, floor;
    double ahead, origin;  // what the next rank costs, where that is known before; the score of nothing
    bool browses = false, equal = true;
    FirstBrowsing first;
    bool exact;  // the law of the gain is no bound but known
    std::vector<std::size_t> sure_ones;  // candidates that surely show a target

    ListProblem(Candidates all, Values outside_, GainLaw upper_, GainLaw lower_, bool inverse_, bool certain_, double most_,
                double floor_)
        : candidates(std::move(all)),
          outside(std::move(outside_)),
          upper(std::move(upper_)),
          lower(std::move(lower_)),
          inverse(inverse_),
          certain(certain_),
          most(most_),
          floor(floor_),
          ahead(lower.is_number ? 1.0 : 0.0),
          origin(lower.is_number && !inverse ? 1.0 : 0.0),
          exact(upper.counted == lower.counted) {
        for (std::size_t k = 0; k < outside.size(); ++k)
            browses = browses || (candidates.rows[k] > 0 && outside[k] > 0);
        for (std::size_t i = 0; i < candidates.count; ++i) {
            equal = equal && candidates.effort[i] == candidates.effort[0];
            const double* const row = candidates.row(i);
            if (std::find(row, row + targets(), 1.0) != row + targets()) sure_ones.push_back(i);
        }
    }

    std::size_t targets() const { return candidates.targets; }
    const Values& gains() const { return lower.gains; }
    bool is_number() const { return lower.is_number; }

    // A list up to some rank. Its score is that of the effort so far, whoever has the gain then; browsing is left out, save
    // that nobody has the gain below the floor.
    struct State {
        Values seen, unseen;
        double effort = 0.0, below = 1.0, reached = 0.0, score;

        State(std::size_t targets, double origin) : seen(targets, 0.0), unseen(targets, 1.0), score(origin) {}

        void see(const double* row) {
            for (std::size_t x = 0; x < seen.size(); ++x) {
                seen[x] = seen[x] + (1.0 - seen[x]) * row[x];
                unseen[x] = unseen[x] * (1.0 - row[x]);
            }
        }
    };

    State start() const { return {targets(), origin}; }

    // Appends a candidate; the law of what has then been seen.
    GainLaw::Tails append(State& state, std::size_t i, GainLaw::Scratch& scratch) const {
        see(state, i);
        const GainLaw::Tails tails = upper(state.seen.data(), state.unseen.data(), scratch);
        settle(state, tails);
        return tails;
    }

    // The same for up to kLists lists, each with a candidate of its own.
    void append_each(std::vector<State>& states, const std::size_t* which, GainLaw::Scratch& scratch,
                     GainLaw::Tails* tails) const {
        const double *seen[kLists], *unseen[kLists];
        for (std::size_t k = 0; k < states.size(); ++k) {
            see(states[k], which[k]);
            seen[k] = states[k].seen.data();
            unseen[k] = states[k].unseen.data();
        }
        upper.several(seen, unseen, states.size(), scratch, tails);
        for (std::size_t k = 0; k < states.size(); ++k) settle(states[k], tails[k]);
    }

    // What going to a larger effort adds where some have reached the gain before.
    double charge(const State& state, double larger) const {
        const double before = state.effort != 0.0 ? std::max(state.effort, floor) : 0.0, after = std::max(larger, floor);
        if (!inverse) return -(after - before) * state.below;
        return state.reached > 0 && after > before ? state.reached * (after - before) / (before * after) : 0.0;
    }

    // The score at the effort of the next rank, as far as that is known.
    double score_ahead(const State& state) const { return state.score + charge(state, state.effort + ahead); }

    // The score of a list that ends here.
    double finished(const State& state) const {
        if (!inverse) return lower.is_sure(state.unseen.data()) ? state.score : -kInfinity;
        const double rest = state.reached > 0 ? state.reached / std::max(state.effort + ahead, floor) : 0.0;
        return score_ahead(state) + rest;
    }

    // The scores at the effort of the next rank of a list with each of some others in the place of one candidate.
    void exchanged(const std::vector<Index>& order, std::size_t place, const std::vector<Index>& options, double* out) const {
        GainLaw::Scratch scratch;
        State before = start();
        for (std::size_t k = 0; k < place; ++k) append(before, std::size_t(order[k]), scratch);
        std::size_t which[kLists];
        GainLaw::Tails tails[kLists];
        for (std::size_t first = 0; first < options.size(); first += kLists) {
            std::vector<State> states(std::min(options.size() - first, kLists), before);
            std::copy_n(options.data() + first, states.size(), which);
            append_each(states, which, scratch, tails);
            for (std::size_t k = place + 1; k < order.size(); ++k) {
                std::fill_n(which, kLists, std::size_t(order[k]));
                append_each(states, which, scratch, tails);
            }
            for (std::size_t k = 0; k < states.size(); ++k) out[first + k] = score_ahead(states[k]);
        }
    }

    // of a whole list; a number that is no candidate stands for nothing
    double score(const Index* order, std::size_t ranks, GainLaw::Scratch& scratch) const {
        State state = start();
        Values paid(targets(), 0.0);
        double nothing = 1.0;  // the share of readers who have seen no target
        for (std::size_t k = 0; k < ranks; ++k) {
            const std::size_t i = std::size_t(order[k]);
            if (i >= candidates.count) continue;
            if (is_number())
                append(state, i, scratch);
            else
                pay(state, paid, nothing, i, scratch);
        }
        if (is_number()) return finished(state);
        return inverse || lower.is_sure(state.unseen.data()) ? state.score : -kInfinity;
    }

    // A list up to where it surely suffices; where it does not, sure candidates follow, and for the inverse of a number then
    // any others.
    std::vector<Index> cut(const std::vector<Index>& order, GainLaw::Scratch& scratch) const {
        std::vector<Index> made;
        State state = start();
        std::size_t next = 0, greedy = 0;
        while (!lower.is_sure(state.unseen.data())) {
            Index i = next < order.size() ? order[next++] : next_sure(made, state.unseen);
            if (i < 0 && is_number() && inverse && greedy++ < kMostLevels) i = next_greedy(made, state, scratch);
            if (i < 0) break;
            made.push_back(i);
            state.see(candidates.row(std::size_t(i)));
        }
        return made;
    }

private:
    // what is seen and charged with one more candidate
    void see(State& state, std::size_t i) const {
        const double larger = state.effort + candidates.effort[i];
        state.score += charge(state, larger);
        state.effort = larger;
        state.see(candidates.row(i));
    }

    // by the law of what has then been seen
    void settle(State& state, const GainLaw::Tails& tails) const {
        state.below = tails.below;
        state.reached = tails.reached;
        if (is_number()) return;
        if (lower.is_sure(state.unseen.data())) state.reached = 1.0;
        state.below = 1.0 - state.reached;
    }

    // Appends a candidate with what browsing from it costs.
    void pay(State& state, Values& paid, double& nothing, std::size_t i, GainLaw::Scratch& scratch) const {
        const double* const row = candidates.row(i);
        for (std::size_t x = 0; x < targets(); ++x)
            paid[x] = paid[x] + state.unseen[x] * row[x] * outside[i * targets() + x];
        state.see(row);
        state.effort += candidates.effort[i];
        const double reached = lower.is_sure(state.unseen.data())
                                   ? 1.0
                                   : lower(state.seen.data(), state.unseen.data(), scratch).reached;
        state.score += first.sums ? add_first(state, nothing, i) : add_paid(state, paid, reached);
        state.reached = std::max(reached, state.reached);
    }

    // What the readers add who reach the gain at this rank.
    double add_paid(const State& state, const Values& paid, double reached) const {
        double spent = state.effort;
        for (std::size_t x = 0; x < targets(); ++x) {
            const double share = std::max(state.seen[x], reached);
            spent += share > 0 ? paid[x] / share : 0.0;
        }
        const double added = std::max(reached - state.reached, 0.0);
        return inverse ? (added > 0 ? added / spent : 0.0) : -added * spent;
    }

    // The same where any one target has the gain.
    double add_first(const State& state, double& nothing, std::size_t i) const {
        const double *const cost = first.cost.data() + i * first.sums, *const share = first.share.data() + i * first.sums;
        double total = 0.0;
        for (std::size_t k = 0; k < first.sums; ++k) {
            const double spent = state.effort + cost[k];
            total += inverse ? (share[k] > 0 ? share[k] / spent : 0.0) : -share[k] * spent;
        }
        const double added = nothing * total;
        nothing *= first.misses[i];
        return added;
    }

    // The sure candidate that is the cheapest for what it adds; for a number, the one of the target that is least seen.
    Index next_sure(const std::vector<Index>& made, const Values& unseen) const {
        if (inverse && !certain && !is_number()) return -1;
        Index best = -1;
        double most_gained = 0.0;
        for (const std::size_t i : sure_ones) {
            if (std::find(made.begin(), made.end(), Index(i)) != made.end()) continue;
            double gained = 0.0;
            for (std::size_t x = 0; x < targets(); ++x) {
                if (candidates.row(i)[x] != 1.0 || !(unseen[x] > 0)) continue;
                gained = is_number() ? std::max(gained, unseen[x]) : gained + std::min(gains()[x], lower.wanted);
            }
            if (!is_number()) gained /= candidates.effort[i];
            if (gained > most_gained) {
                most_gained = gained;
                best = Index(i);
            }
        }
        return best;
    }

    // the candidate with the largest E[min(gain, wanted)], the first of equals
    Index next_greedy(const std::vector<Index>& made, const State& state, GainLaw::Scratch& scratch) const {
        Values expected(candidates.count, 0.0);
        State after = state;
        for (std::size_t i = 0; i < candidates.count; ++i) {
            after = state;
            after.see(candidates.row(i));
            expected[i] = lower(after.seen.data(), after.unseen.data(), scratch).expected;
        }
        for (const Index i : made) expected[std::size_t(i)] = -1.0;
        const auto most = std::max_element(expected.begin(), expected.end());
        if (most == expected.end() || *most < 0.0) return -1;
        const double least = *most * (1 - 1e-12);
        return Index(std::find_if(expected.begin(), expected.end(), [&](double e) { return e >= least; }) - expected.begin());
    }
};

}  // namespace berrypick
