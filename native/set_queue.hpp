// The queue of a best-first search over sets of candidates. kernels/set_queue.py has the plain form.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "list_bounds.hpp"

namespace berrypick {

// Sets of candidates, each in the best order known for it. The one whose extensions can score most comes first.
class SetQueue {
public:
    SetQueue() {
        sets_.push_back({kInfinity, 0.0, 0, kNone, kNone});
        best_known_[0] = 0;
        heap_.push_back({kInfinity, 0});
    }

    // What the extensions of all sets that are left can score.
    double bound() const {
        double found = -kInfinity;
        for (const Place& place : heap_) found = std::max(found, sets_[place.set].bound);
        return found;
    }

    // Takes the most promising set and expands it if that is still of use; false if none is left.
    template <class Promising, class Expand>
    bool step(Promising promising, Expand expand) {
        if (heap_.empty()) return false;
        std::pop_heap(heap_.begin(), heap_.end());
        const std::size_t set = heap_.back().set;
        heap_.pop_back();
        if (promising(sets_[set].bound) && !is_outdone(set)) expand(set);
        return true;
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
        sets_.push_back({bound, score, hash, parent, candidate});
        const auto found = best_known_.emplace(hash, sets_.size() - 1);
        if (!found.second && are_same(found.first->second, sets_.size() - 1)) {  // two sets may have one hash
            if (!(score > sets_[found.first->second].score)) {
                sets_.pop_back();
                return;
            }
            found.first->second = sets_.size() - 1;
        }
        heap_.push_back({coarse(bound), sets_.size() - 1});
        std::push_heap(heap_.begin(), heap_.end());
    }

private:
    static constexpr std::size_t kNone = std::size_t(-1);

    // A set: another one and a candidate, in this order, and what the ranks so far score.
    struct Set {
        double bound, score;
        std::uint64_t hash;
        std::size_t parent, candidate;
    };

    struct Place {
        double key;
        std::size_t set;

        bool operator<(const Place& other) const {
            return key < other.key || (key == other.key && set > other.set);
        }
    };

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

    // whether a better order of the set is known
    bool is_outdone(std::size_t set) const {
        const std::size_t known = best_known_.at(sets_[set].hash);
        return known != set && sets_[set].score < sets_[known].score && are_same(known, set);
    }

    std::vector<Set> sets_;
    std::vector<Place> heap_;
    std::unordered_map<std::uint64_t, std::size_t> best_known_;
};

}  // namespace berrypick
