// Boxes on pages: what of each is new when they come in turn, and how much of that is relevant. A page is cut at every
// upper and lower edge into bands, a band at every left and right edge in it into cells, and a cell belongs to the first
// box that holds it. Bands, then cells, are added up in rising order, as the plain form does: the same digits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <vector>

#include "text.hpp"

namespace berrypick {

struct Box {
    double left, top, right, bottom;
    bool empty() const { return !(left < right && top < bottom); }
};

class PageCells {
public:
    // boxes in turn and relevant ones, by their places in the arrays
    void operator()(const std::size_t* own, std::size_t many, const std::size_t* wanted, std::size_t wanted_many,
                    const Box* box, const Box* relevant, double* fresh, double* good) {
        held_.clear();
        for (std::size_t i = 0; i < many; ++i) {
            fresh[own[i]] = good[own[i]] = 0.0;
            if (!box[own[i]].empty()) held_.push_back({box[own[i]], own[i], true});
        }
        if (held_.empty()) return;
        for (std::size_t i = 0; i < wanted_many; ++i)
            if (!relevant[wanted[i]].empty()) held_.push_back({relevant[wanted[i]], wanted[i], false});
        bands_.clear();
        edges_.clear();
        for (std::size_t i = 0; i < held_.size(); ++i) {
            bands_.push_back(held_[i].box.top);
            bands_.push_back(held_[i].box.bottom);
            edges_.push_back({held_[i].box.left, i, true});
            edges_.push_back({held_[i].box.right, i, false});
        }
        std::sort(bands_.begin(), bands_.end());
        bands_.erase(std::unique(bands_.begin(), bands_.end()), bands_.end());
        std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
        open_.assign(held_.size(), 0);
        by_top_.resize(edges_.size());
        for (std::size_t i = 0; i < by_top_.size(); ++i) by_top_[i] = i;
        std::sort(by_top_.begin(), by_top_.end(), [this](std::size_t a, std::size_t b) {
            const double one = held_[edges_[a].held].box.top, other = held_[edges_[b].held].box.top;
            return one < other || (one == other && a < b);
        });
        here_.clear();
        std::size_t next = 0;
        for (std::size_t b = 0; b + 1 < bands_.size(); ++b) {
            next = enter(bands_[b], next);
            if (!here_.empty()) band(bands_[b + 1] - bands_[b], fresh, good);
        }
    }

private:
    struct Held {
        Box box;
        std::size_t row;
        bool in_turn;
    };
    struct Edge {
        double at;
        std::size_t held;
        bool opens;
    };

    // The edges of a band, in their order: without boxes that have ended, with those that begin at its top. So a band
    // costs as much as the boxes in it, however many there are on the page.
    std::size_t enter(double top, std::size_t next) {
        here_.erase(std::remove_if(here_.begin(), here_.end(),
                                   [&](std::size_t edge) { return held_[edges_[edge].held].box.bottom <= top; }),
                    here_.end());
        const std::size_t old = here_.size();
        for (; next < by_top_.size() && held_[edges_[by_top_[next]].held].box.top <= top; ++next)
            here_.push_back(by_top_[next]);
        std::inplace_merge(here_.begin(), here_.begin() + static_cast<std::ptrdiff_t>(old), here_.end());
        return next;
    }

    void band(double height, double* fresh, double* good) {
        std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<std::size_t>> first;  // in turn
        std::size_t relevant = 0;
        double before = 0.0;
        bool any = false;
        for (const std::size_t which : here_) {
            const Edge& edge = edges_[which];
            const Held& held = held_[edge.held];
            while (!first.empty() && !open_[first.top()]) first.pop();
            if (any && edge.at > before && !first.empty()) {
                const double area = (edge.at - before) * height;
                const std::size_t row = held_[first.top()].row;
                fresh[row] += area;
                if (relevant) good[row] += area;
            }
            any = true;
            before = edge.at;
            if (!held.in_turn) {
                edge.opens ? ++relevant : --relevant;
            } else {
                open_[edge.held] = edge.opens;
                if (edge.opens) first.push(edge.held);
            }
        }
    }

    std::vector<Held> held_;
    std::vector<double> bands_;
    std::vector<Edge> edges_;
    std::vector<char> open_;
    std::vector<std::size_t> by_top_;  // edges by the tops of their boxes
    std::vector<std::size_t> here_;    // edges of the present band
};

// All pages, numbered as documents are.
inline void first_seen_areas(const Index* page, const double* box, std::size_t count, const Index* relevant_page,
                             const double* relevant_box, std::size_t relevant_count, double* fresh, double* good) {
    const Numbered pages(page, count);
    std::vector<std::size_t> rows, bounds, wanted, wanted_bounds(pages.code().size() + 1, 0);
    pages.group(rows, bounds);
    std::vector<std::size_t> number(relevant_count, Numbered::none);
    for (std::size_t i = 0; i < relevant_count; ++i) {
        number[i] = pages.number_of(relevant_page[i]);
        if (number[i] != Numbered::none) ++wanted_bounds[number[i] + 1];
    }
    for (std::size_t i = 1; i < wanted_bounds.size(); ++i) wanted_bounds[i] += wanted_bounds[i - 1];
    wanted.resize(wanted_bounds.back());
    std::vector<std::size_t> next(wanted_bounds.begin(), wanted_bounds.end() - 1);
    for (std::size_t i = 0; i < relevant_count; ++i)
        if (number[i] != Numbered::none) wanted[next[number[i]]++] = i;
    std::vector<Box> boxes(count), relevant(relevant_count);
    const auto boxed = [](const double* of, std::size_t i) {
        return Box{of[4 * i], of[4 * i + 1], of[4 * i + 2], of[4 * i + 3]};
    };
    for (std::size_t i = 0; i < count; ++i) boxes[i] = boxed(box, i);
    for (std::size_t i = 0; i < relevant_count; ++i) relevant[i] = boxed(relevant_box, i);
    PageCells one;
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i)
        one(rows.data() + bounds[i], bounds[i + 1] - bounds[i], wanted.data() + wanted_bounds[i],
            wanted_bounds[i + 1] - wanted_bounds[i], boxes.data(), relevant.data(), fresh, good);
}

}  // namespace berrypick
