// The queue of a best-first search over sets of candidates. ideal/set_queue.py has the plain form.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "list_bounds.hpp"

namespace berrypick {

// Sets of candidates, each in the best order known for it. The one whose extensions can score most comes first.
//
// The plain form bounds each extension of every set that it takes. Most of these are never taken, so a set may be put
// aside instead, with one bound for all of its extensions, until it comes first again. What is taken is the same, in the
// same order: among extensions that are not known yet there may be a better order of the set that is the next to take, or
// an earlier one that is as good, which the plain form would have kept instead of it; those are looked at before.
class SetQueue {
public:
    SetQueue() {
        sets_.push_back({kInfinity, 0.0, 0, kNone, kNone, kNone, 0, 0});
        last_[0] = 0;
        heap_.push_back({kInfinity, 0, 0});
    }

    // What the extensions of all sets that are left can score.
    template <class Search>
    double bound(Search& search) {
        std::vector<Place> first;  // their keys are equal, their bounds nearly
        while (!heap_.empty() && (first.empty() || heap_.front().key == first[0].key))
            if (is_next(search)) first.push_back(pop());
        double found = -kInfinity;
        for (const Place& place : first) {
            found = std::max(found, sets_[place.set].bound);
            push(place);
        }
        return found;
    }

    // Takes the most promising set and expands it if that is still of use; false if none is left.
    template <class Search>
    bool step(Search& search) {
        while (!heap_.empty()) {
            if (!is_next(search)) continue;
            const std::size_t set = pop().set;
            sets_[set].turn = ++turns_;
            if (search.promising(sets_[set].bound) && !is_outdone(set)) search.expand(set, nullptr);
            return true;
        }
        return false;
    }

    std::vector<Index> order_of(std::size_t set) const {
        std::vector<Index> found;
        for (; sets_[set].parent != kNone; set = sets_[set].parent) found.push_back(Index(sets_[set].candidate));
        std::reverse(found.begin(), found.end());
        return found;
    }

    // add a set unless an order of it is known that is as good
    void push(double bound, std::size_t parent, std::size_t candidate, double score) {
        const std::uint64_t hash = sets_[parent].hash + mixed(candidate);
        const std::size_t set = sets_.size();
        const auto found = last_.emplace(hash, set);
        const std::size_t before = found.second ? kNone : found.first->second;
        sets_.push_back({bound, score, hash, parent, candidate, before, sets_[parent].turn, 0});
        if (is_known(set)) {
            sets_.pop_back();
            return;
        }
        found.first->second = set;
        push({coarse(bound), sets_[set].since, set});
    }

    // Puts a set aside whose extensions score no more than `bound`; false if it is still the first.
    bool put_aside(std::size_t set, double bound, double goal) {
        if (asked_ == set || heap_.empty() || !(bound < kInfinity) || !(coarse(bound) < heap_.front().key)) return false;
        if (!aside_.emplace(sets_[set].hash, Aside{set, goal}).second) return false;  // another order of it is
        push({coarse(bound), 0, set});
        return true;
    }

private:
    static constexpr std::size_t kNone = std::size_t(-1);

    // A set: another one and a candidate, in this order, and what the ranks so far score. `same` has the same hash and was
    // pushed before; `turn` counts sets as they are taken, `since` is that of the other set.
    struct Set {
        double bound, score;
        std::uint64_t hash;
        std::size_t parent, candidate, same, since, turn;
    };

    // Of equal keys the set found first, and before all of them those that are put aside.
    struct Place {
        double key;
        std::size_t since, set;

        bool operator<(const Place& other) const {
            if (key != other.key) return key < other.key;
            return since > other.since || (since == other.since && set > other.set);
        }
    };

    struct Aside {
        std::size_t set;
        double goal;
    };

    void push(const Place& place) {
        heap_.push_back(place);
        std::push_heap(heap_.begin(), heap_.end());
    }

    Place pop() {
        std::pop_heap(heap_.begin(), heap_.end());
        const Place found = heap_.back();
        heap_.pop_back();
        return found;
    }

    // Whether the first set is the next one to take; if not, does what comes before.
    template <class Search>
    bool is_next(Search& search) {
        const std::size_t set = heap_.front().set;
        if (sets_[set].turn) {
            pop();
            const auto found = aside_.find(sets_[set].hash);
            if (found != aside_.end() && found->second.set == set) go_on(found, search);
            return false;
        }
        for (std::size_t s = set; sets_[s].parent != kNone; s = sets_[s].parent) {
            const auto found = aside_.find(sets_[set].hash - mixed(sets_[s].candidate));
            if (found == aside_.end() || !rivals(found->second.set, sets_[s].candidate, set, search)) continue;
            asked_ = found->second.set;
            go_on(found, search);
            return false;
        }
        if (!is_known(set)) return true;
        pop();
        return false;
    }

    // Whether a set that was put aside leads, with a candidate, to an order of another set that keeps it from being taken.
    template <class Search>
    bool rivals(std::size_t aside, std::size_t candidate, std::size_t set, Search& search) const {
        const double other = search.score_with(aside, candidate);
        return other > sets_[set].score || (other == sets_[set].score && sets_[aside].turn < sets_[set].since);
    }

    // Expands a set that was put aside.
    template <class Found, class Search>
    void go_on(Found found, Search& search) {
        const Aside aside = found->second;
        aside_.erase(found);
        search.expand(aside.set, &aside.goal);
    }

    static std::uint64_t mixed(std::uint64_t value) {
        value += 0x9e3779b97f4a7c15u;
        value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
        value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
        return value ^ (value >> 31);
    }

    bool are_same(std::size_t one, std::size_t other) const {
        std::vector<Index> first = order_of(one), second = order_of(other);
        std::sort(first.begin(), first.end());
        std::sort(second.begin(), second.end());
        return first == second;
    }

    // whether an order of the set that is as good was found before
    bool is_known(std::size_t set) const {
        return any_same(set, [&](const Set& other) {
            return other.since < sets_[set].since && other.score >= sets_[set].score;
        });
    }

    // whether a better order of the set is known
    bool is_outdone(std::size_t set) const {
        return any_same(set, [&](const Set& other) { return other.score > sets_[set].score; });
    }

    template <class Is>
    bool any_same(std::size_t set, Is is) const {
        for (std::size_t other = last_.at(sets_[set].hash); other != kNone; other = sets_[other].same)
            if (other != set && is(sets_[other]) && are_same(other, set)) return true;  // two sets may have one hash
        return false;
    }

    std::vector<Set> sets_;
    std::vector<Place> heap_;
    std::unordered_map<std::uint64_t, std::size_t> last_;  // the set pushed last, by its hash
    std::unordered_map<std::uint64_t, Aside> aside_;
    std::size_t turns_ = 0, asked_ = kNone;
};

}  // namespace berrypick
