// The law of the number of targets seen, over all ranks at once, by divide and conquer over the ranks.
//
// The probability of having seen a target changes only at the ranks that reach it. Each stretch between two changes is
// handed to the O(log ranks) nodes of a balanced tree over the ranks that it covers wholly, and the factors of a node
// are multiplied once for all ranks under it:
//
//   visit  goes down the tree and arrives at every rank with its product;
//   fold   goes up the tree and adds up the products of all ranks. Deep nodes have few factors, hence short
//          polynomials, so a sum over ranks costs a fraction of visiting them.
//
// A factor is never divided out again: that is unstable. Recursion is as deep as the tree: at most 64 levels.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "polynomial.hpp"

namespace berrypick {

// Where both outcomes of a target are partly probable, (seen z + unseen), at the slots begin <= i < end.
struct Stretch {
    Index begin;
    Index end;
    Index target;
    Factor factor;
};

// Entries of reach, sorted by rank and then by target.
struct Entries {
    const Index* rank;
    const Index* target;
    const double* probability;
    std::size_t count;
};

inline std::size_t number_of_events(const Entries& entries) {
    std::size_t events = 0;
    for (std::size_t i = 0; i < entries.count; ++i) events += i == 0 || entries.rank[i] != entries.rank[i - 1];
    return events;
}

// --- twice the precision for what is common to all coefficients ----------------------------------------------------
//
// An error in the probability of having seen one target is an error of every coefficient, and a list in which all
// targets meet the same probabilities multiplies it by their number. Sums of two doubles keep it below half an ulp.

struct Twofold {
    double high;
    double low;
};

inline Twofold two_sum(double a, double b) {
    const double s = a + b, t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}

inline Twofold two_product(double a, double b) {
    constexpr double splitter = 134217729.0;  // 2^27 + 1 (Dekker)
    const double p = a * b, x = splitter * a, y = splitter * b;
    const double a1 = x - (x - a), b1 = y - (y - b), a2 = a - a1, b2 = b - b1;
    return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

inline Twofold times(Twofold a, Twofold b) {
    const Twofold p = two_product(a.high, b.high);
    return two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

inline Twofold plus(Twofold a, Twofold b) {
    const Twofold s = two_sum(a.high, b.high);
    return two_sum(s.high, s.low + (a.low + b.low));
}

// One target on its way through the list. seen += unseen p and unseen *= 1 - p: neither loses the digits of the other.
struct Progress {
    Twofold seen{0.0, 0.0};
    Twofold unseen{1.0, 0.0};
    Index since = 0;

    bool begun() const { return seen.high > 0.0; }
    bool certain() const { return unseen.high == 0.0; }
    Factor factor() const { return {seen.high, unseen.high}; }

    void meet(double p) {
        if (p == 1.0) {
            seen = {1.0, 0.0};
            unseen = {0.0, 0.0};
            return;
        }
        seen = plus(seen, times(unseen, {p, 0.0}));
        unseen = times(unseen, two_sum(1.0, -p));
        if (unseen.high <= 0.0) unseen = {0.0, 0.0};
        if (certain()) seen = {1.0, 0.0};
    }
};

// --- a list as stretches -------------------------------------------------------------------------------------------

// With lag 0, slot e is the state after event e. With lag 1, slot e is the state before event e without the targets
// that event e reaches, which are listed apart, and one slot more is the state after the last event.
struct Timeline {
    Index slots = 0;
    Index partial = 0;  // how many targets are ever partly seen
    std::vector<Stretch> stretches;
    std::vector<Index> certain;              // targets surely seen, at each slot
    std::vector<Cause> reached;              // lag 1: the targets that are reached and not yet surely seen
    std::vector<std::size_t> reached_start;  // lag 1: where those of each slot begin

    Timeline(const Entries& entries, Index targets, Index lag) {
        const Index events = Index(number_of_events(entries));
        slots = events + lag;
        certain.assign(std::size_t(slots), 0);
        stretches.reserve(entries.count);
        if (lag) reached.reserve(entries.count);
        std::vector<Progress> progress(static_cast<std::size_t>(targets));
        Index event = -1;
        for (std::size_t i = 0; i < entries.count; ++i) {
            if (i == 0 || entries.rank[i] != entries.rank[i - 1]) {
                ++event;
                if (lag) reached_start.push_back(reached.size());
            }
            const double p = entries.probability[i];
            Progress& x = progress[std::size_t(entries.target[i])];
            if (p == 0.0 || x.certain()) continue;
            if (lag) reached.push_back({x.seen.high, x.unseen.high, p});
            close(x, entries.target[i], event);
            const bool begun = x.begun();
            x.meet(p);
            if (!begun && !x.certain()) ++partial;
            x.since = event + lag;
            if (x.certain() && x.since < slots) ++certain[std::size_t(x.since)];
        }
        for (Index target = 0; target < targets; ++target) close(progress[std::size_t(target)], target, slots);
        for (Index i = 1; i < slots; ++i) certain[std::size_t(i)] += certain[std::size_t(i - 1)];
        if (lag) {
            reached_start.push_back(reached.size());
            reached_start.push_back(reached.size());
        }
    }

    const Cause* reached_at(Index slot) const { return reached.data() + reached_start[std::size_t(slot)]; }
    std::size_t reached_number(Index slot) const {
        return reached_start[std::size_t(slot) + 1] - reached_start[std::size_t(slot)];
    }

private:
    void close(const Progress& x, Index target, Index end) {
        if (x.begun() && !x.certain() && x.since < end) stretches.push_back({x.since, end, target, x.factor()});
    }
};

// --- the tree ------------------------------------------------------------------------------------------------------

// A balanced tree over the slots, numbered as a heap: 1 is the root, 2v and 2v + 1 are under v, leaves + i is slot i.
// Each stretch stands at the largest nodes that it covers wholly; those are found from the ends of the stretch.
class Tree {
public:
    explicit Tree(const Timeline& timeline) : slots(timeline.slots) {
        while (leaves < slots) leaves *= 2;
        start_.assign(std::size_t(2 * leaves) + 1, 0);
        for (const Stretch& s : timeline.stretches) at_nodes(s, [&](Index node) { ++start_[std::size_t(node) + 1]; });
        for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
        factors_.resize(start_.back());
        std::vector<std::size_t> next(start_);
        for (const Stretch& s : timeline.stretches)
            at_nodes(s, [&](Index node) { factors_[next[std::size_t(node)]++] = s.factor; });
    }

    void multiply(Band& band, Index node) const {
        const std::size_t from = start_[std::size_t(node)], to = start_[std::size_t(node) + 1];
        band.times(factors_.data() + from, to - from);
    }

    Index slots;
    Index leaves = 1;

private:
    template <class Do>
    void at_nodes(const Stretch& s, Do&& act) const {
        for (Index low = s.begin + leaves, high = s.end + leaves; low < high; low /= 2, high /= 2) {
            if (low & 1) act(low++);
            if (high & 1) act(--high);
        }
    }

    std::vector<std::size_t> start_;  // where the factors of each node begin
    std::vector<Factor> factors_;
};

// Down the tree: every slot with its product.
template <class Arrive>
class Visit {
public:
    Visit(const Timeline& timeline, Arrive& arrive) : tree_(timeline), arrive_(arrive) {
        if (tree_.slots == 0) return;
        level(0).constant(1.0, 0);
        down(1, 0, tree_.leaves, 0);
    }

private:
    Band& level(std::size_t depth) {
        while (levels_.size() <= depth) levels_.emplace_back();
        return levels_[depth];
    }

    // the node covers [begin, begin + width); its level holds the product of everything above it
    void down(Index node, Index begin, Index width, std::size_t depth) {
        tree_.multiply(levels_[depth], node);
        if (width == 1) {
            arrive_(begin, levels_[depth]);
            return;
        }
        const Index half = width / 2;
        for (Index side = 0; side < 2 && begin + side * half < tree_.slots; ++side) {
            Band& below = level(depth + 1);
            below.copy(levels_[depth]);
            down(2 * node + side, begin + side * half, half, depth + 1);
        }
    }

    const Tree tree_;
    Arrive& arrive_;
    std::vector<Band> levels_;
};

// Up the tree: the sums over all slots of (what ``leaf`` puts there) x (the slot's product), several at once.
template <std::size_t number, class Leaf>
class Fold {
public:
    using Bands = std::array<Band, number>;

    Fold(const Timeline& timeline, Leaf& leaf) : tree_(timeline), leaf_(leaf) {
        level(0);
        if (tree_.slots) up(1, 0, tree_.leaves, 0);
    }

    const Band& total(std::size_t i) const { return levels_[0][i]; }

private:
    Bands& level(std::size_t depth) {
        while (levels_.size() <= depth) levels_.emplace_back();
        return levels_[depth];
    }

    // leaves the sum over [begin, begin + width), times the factors of this node, at its level
    void up(Index node, Index begin, Index width, std::size_t depth) {
        if (width == 1) {
            leaf_(begin, levels_[depth]);
        } else {
            level(depth + 1);
            for (Band& sum : levels_[depth]) sum.clear();
            const Index half = width / 2;
            for (Index side = 0; side < 2 && begin + side * half < tree_.slots; ++side) {
                up(2 * node + side, begin + side * half, half, depth + 1);
                for (std::size_t i = 0; i < number; ++i) levels_[depth][i].add(levels_[depth + 1][i]);
            }
        }
        for (Band& sum : levels_[depth]) tree_.multiply(sum, node);
    }

    const Tree tree_;
    Leaf& leaf_;
    std::vector<Bands> levels_;
};

// The plain form: the product is made anew at every slot. Faster where few targets are partly seen at once.
template <class Arrive>
void visit_plainly(const Timeline& timeline, Index targets, Arrive& arrive) {
    std::vector<std::size_t> order(timeline.stretches.size());
    std::vector<std::size_t> start(std::size_t(timeline.slots) + 1, 0);
    for (const Stretch& s : timeline.stretches) ++start[std::size_t(s.begin) + 1];
    for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
    {
        std::vector<std::size_t> next(start);
        for (std::size_t i = 0; i < order.size(); ++i) order[next[std::size_t(timeline.stretches[i].begin)]++] = i;
    }
    std::vector<Index> until(std::size_t(targets), 0);
    std::vector<Factor> current(std::size_t(targets), Factor{0.0, 1.0});
    std::vector<Factor> factors;
    Band product;
    for (Index slot = 0; slot < timeline.slots; ++slot) {
        for (std::size_t i = start[std::size_t(slot)]; i < start[std::size_t(slot) + 1]; ++i) {
            const Stretch& s = timeline.stretches[order[i]];
            until[std::size_t(s.target)] = s.end;
            current[std::size_t(s.target)] = s.factor;
        }
        factors.clear();
        for (std::size_t x = 0; x < current.size(); ++x) {
            if (until[x] > slot) factors.push_back(current[x]);
        }
        product.constant(1.0, 0);
        product.times(factors.data(), factors.size());
        arrive(slot, product);
    }
}

// --- what the measures ask for -------------------------------------------------------------------------------------

enum class Form { measured, tree, plain };

// Where stretches are short, sharing their factors saves nothing: the product is made anew at every slot.
// Measured (benchmarks/README.md): the plain form wins while stretches last five slots or fewer on average and the
// products are short; beyond, the tree wins or is as fast.
constexpr Index short_stretch = 5;
constexpr Index short_product = 32;

inline bool plainly(const Timeline& timeline, Form form) {
    if (form != Form::measured) return form == Form::plain;
    return timeline.partial <= short_product &&
           timeline.partial * timeline.slots <= short_stretch * Index(timeline.stretches.size());
}

inline void add_to(double* out, const Band& band, Index shift, double weight) {
    const double* a = band.data();
    double* at = out + (band.low() + shift);
    for (std::size_t j = 0; j < band.count(); ++j) at[j] += weight * a[j];
}

// out[f] += sum over events of weight x P(F = f); out has targets + 1 places
inline void weighted_law(const Entries& entries, Index targets, const double* weight, double* out, Form form) {
    const Timeline timeline(entries, targets, 0);
    if (plainly(timeline, form)) {
        auto arrive = [&](Index slot, const Band& product) {
            add_to(out, product, timeline.certain[std::size_t(slot)], weight[slot]);
        };
        visit_plainly(timeline, targets, arrive);
        return;
    }
    auto leaf = [&](Index slot, std::array<Band, 1>& bands) {
        bands[0].constant(weight[slot], timeline.certain[std::size_t(slot)]);
    };
    const Fold<1, decltype(leaf)> fold(timeline, leaf);
    add_to(out, fold.total(0), 0, 1.0);
}

// out[event, f] = P(F = f); out has events x (targets + 1) places, zero before
inline void law_over_events(const Entries& entries, Index targets, double* out, Form form) {
    const Timeline timeline(entries, targets, 0);
    auto arrive = [&](Index slot, const Band& product) {
        add_to(out + slot * (targets + 1), product, timeline.certain[std::size_t(slot)], 1.0);
    };
    if (plainly(timeline, form)) {
        visit_plainly(timeline, targets, arrive);
    } else {
        Visit<decltype(arrive)> visit(timeline, arrive);
    }
}

// One row at a time, for probabilities that have nothing to do with each other.
inline void law_of_rows(const double* seen, const double* unseen, std::size_t rows, std::size_t targets, double* out) {
    std::vector<Factor> factors;
    Band product;
    for (std::size_t row = 0; row < rows; ++row) {
        factors.clear();
        Index certain = 0;
        for (std::size_t x = 0; x < targets; ++x) {
            const Factor f{seen[row * targets + x], unseen[row * targets + x]};
            if (f.seen == 1.0 && f.unseen == 0.0) {
                ++certain;
            } else if (!(f.seen == 0.0 && f.unseen == 1.0)) {
                factors.push_back(f);
            }
        }
        product.constant(1.0, certain);
        product.times(factors.data(), factors.size());
        add_to(out + row * (targets + 1), product, 0, 1.0);
    }
}

// --- PRUM ----------------------------------------------------------------------------------------------------------

// What equation 5 sums over the ranked part: by the number s of targets seen before,
// new[s] = sum over events of P(F = s and something new), read[s] = sum over slots of gap x P(F = s), and the last law.
struct Consulted {
    double* fresh;
    double* read;
    double* last;
};

// P(s of the reached targets were seen before, and something new is seen): two laws side by side, one for those who
// have met nothing new yet. The difference that the definition asks for is never formed, so nothing cancels.
class SomethingNew {
public:
    // both laws of the reached targets alone, in ascending powers
    void of(const Cause* reached, std::size_t number) {
        nothing.assign(number + 1, 0.0);
        fresh.assign(number + 1, 0.0);
        all.assign(number + 1, 0.0);
        nothing[0] = all[0] = 1.0;
        for (std::size_t i = 0; i < number; ++i) {
            const Cause x = reached[i];
            const double found = x.unseen * x.reach, still = x.unseen * (1.0 - x.reach);
            for (std::size_t s = i + 2; s-- > 0;) {
                const double below = s ? fresh[s - 1] : 0.0, none_below = s ? nothing[s - 1] : 0.0;
                const double all_below = s ? all[s - 1] : 0.0;
                fresh[s] = fresh[s] * x.unseen + below * x.seen + nothing[s] * found;
                nothing[s] = nothing[s] * still + none_below * x.seen;
                all[s] = all[s] * x.unseen + all_below * x.seen;
            }
        }
    }
    std::vector<double> nothing, fresh, all;
};

// Sums of products over ranks are all that the exact form needs, and equation 8 too where no rank reaches two targets.
inline void consulted_by_sums(const Timeline& timeline, const double* gap, Consulted out) {
    SomethingNew law;
    auto leaf = [&](Index slot, std::array<Band, 2>& bands) {
        law.of(timeline.reached_at(slot), timeline.reached_number(slot));
        const Index certain = timeline.certain[std::size_t(slot)];
        bands[0].assign(law.fresh, certain, 1.0);
        bands[1].assign(law.all, certain, gap[slot]);
    };
    const Fold<2, decltype(leaf)> fold(timeline, leaf);
    add_to(out.fresh, fold.total(0), 0, 1.0);
    add_to(out.read, fold.total(1), 0, 1.0);
}

// Equation 8 at one rank: each reached target is left out in turn. The product with all the others is made by halves:
// the factors of one half are multiplied in for the other half, down to single targets.
class EquationEight {
public:
    EquationEight(const Timeline& timeline, Index targets, const double* gap, Consulted out)
        : timeline_(timeline), gap_(gap), out_(out) {
        found_.assign(std::size_t(targets) + 2, 0.0);
        whole_.assign(std::size_t(targets) + 2, 0.0);
    }

    void operator()(Index slot, const Band& others) {
        const Cause* reached = timeline_.reached_at(slot);
        const std::size_t number = timeline_.reached_number(slot);
        const Index shift = timeline_.certain[std::size_t(slot)];
        if (number == 0) {
            add_to(out_.read, others, shift, gap_[slot]);
            if (slot == timeline_.slots - 1) add_to(out_.last, others, shift, 1.0);
            return;
        }
        if (!others.count()) return;
        const std::size_t low = std::size_t(others.low()), high = low + others.count() + number;
        std::fill(found_.begin() + Index(low), found_.begin() + Index(high), 0.0);
        std::fill(whole_.begin() + Index(low), whole_.begin() + Index(high), 0.0);
        level(0).copy(others);
        split(reached, number, 0);
        double* fresh = out_.fresh + shift;
        double* read = out_.read + shift;
        const double gap = gap_[slot];
        for (std::size_t s = low; s < high; ++s) {
            fresh[s] += whole_[s] * found_[s];
            read[s] += gap * whole_[s];
        }
    }

private:
    Band& level(std::size_t depth) {
        while (levels_.size() <= depth) levels_.emplace_back();
        return levels_[depth];
    }

    void split(const Cause* reached, std::size_t number, std::size_t depth) {
        if (number == 1) {
            const Band& others = levels_[depth];
            const std::size_t low = std::size_t(others.low());
            loops().cause(others.data(), found_.data() + low, whole_.data() + low, others.count() + 1, *reached);
            return;
        }
        const std::size_t half = number / 2;
        for (int side = 0; side < 2; ++side) {
            const Cause* inside = side ? reached + half : reached;
            const Cause* outside = side ? reached : reached + half;
            const std::size_t inside_number = side ? number - half : half;
            factors_.clear();
            for (std::size_t i = 0; i < number - inside_number; ++i)
                factors_.push_back({outside[i].seen, outside[i].unseen});
            Band& below = level(depth + 1);
            below.copy(levels_[depth]);
            below.times(factors_.data(), factors_.size());
            split(inside, inside_number, depth + 1);
        }
    }

    const Timeline& timeline_;
    const double* gap_;
    Consulted out_;
    std::vector<double> found_, whole_;
    std::vector<Factor> factors_;
    std::vector<Band> levels_;
};

inline void consulted(const Entries& entries, Index targets, const double* gap, bool exact, Consulted out, Form form) {
    const Timeline timeline(entries, targets, 1);
    bool single = true;
    for (Index slot = 0; slot < timeline.slots; ++slot) single = single && timeline.reached_number(slot) <= 1;
    if (exact || single) {
        consulted_by_sums(timeline, gap, out);
        // the last law on its own: the stretches that reach the end
        std::vector<Factor> factors;
        for (const Stretch& s : timeline.stretches)
            if (s.end == timeline.slots) factors.push_back(s.factor);
        Band product;
        product.constant(1.0, timeline.certain.back());
        product.times(factors.data(), factors.size());
        add_to(out.last, product, 0, 1.0);
        return;
    }
    EquationEight arrive(timeline, targets, gap, out);
    if (plainly(timeline, form)) {
        visit_plainly(timeline, targets, arrive);
    } else {
        Visit<EquationEight> visit(timeline, arrive);
    }
}

}  // namespace berrypick
