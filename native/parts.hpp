// A large file read by several threads: each takes the next part of it and reads the lines that begin there; what they
// found is put together in the order of the file, so that it is the same for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#define BERRYPICK_PARTS 1
#endif

#include "lines.hpp"

namespace berrypick {

// Some bytes of a file that is open for reading; false if they are not there.
inline bool read_at(int file, std::int64_t offset, char* out, std::size_t count) {
#if defined(BERRYPICK_PARTS)
    while (count) {
        const ssize_t got = pread(file, out, count, off_t(offset));
        if (got <= 0) return false;
        out += got;
        offset += got;
        count -= std::size_t(got);
    }
    return true;
#else
    (void)file, (void)offset, (void)out;
    return !count;
#endif
}

template <class Format>
class Parts {
public:
    // The content of a file from one byte to another, in parts of so many bytes.
    Parts(int file, std::int64_t begin, std::int64_t end, std::size_t part, std::size_t longest, Format& whole)
        : file_(file), begin_(begin), end_(end), part_(std::int64_t(part)), longest_(longest), whole_(whole) {}

    // false: the plain reader has to read this file, or somebody does not want to go on. That is asked between parts, in
    // the thread that calls.
    bool read(std::size_t threads, const std::function<bool()>& going_on) {
        std::vector<std::thread> others;
        others.reserve(threads);
        try {
            for (std::size_t i = 1; i < threads; ++i) others.emplace_back([this] { work([] { return true; }); });
        } catch (const std::system_error&) {  // the system gives no more of them
        }
        work(going_on);
        for (std::thread& other : others) other.join();
        if (error_) std::rethrow_exception(error_);
        return !failed_;
    }

private:
    void work(const std::function<bool()>& going_on) {
        try {
            std::vector<char> text(std::size_t(part_) + slack);
            do {
                if (!going_on()) return fail(nullptr);
            } while (!failed_ && one_part(next_++, text));
        } catch (...) {
            fail(std::current_exception());
        }
    }
    void fail(std::exception_ptr error) {
        const std::lock_guard<std::mutex> held(lock_);
        if (!error_) error_ = error;
        failed_ = true;
        turn_changed_.notify_all();
    }
    // Read a part, and add it when all parts before have been added; false if there is nothing more to do.
    bool one_part(std::int64_t number, std::vector<char>& text) {
        const std::int64_t from = begin_ + number * part_;
        if (from >= end_) return false;
        Format found(whole_.slow);
        found.is_part = true;
        Reader<Format> reader;
        std::size_t count = 0;
        const bool good = lines_from(from, text, count) && !std::memchr(text.data(), 0, count) &&
                          reader.feed(text.data(), count, found);
        std::unique_lock<std::mutex> held(lock_);
        turn_changed_.wait(held, [&] { return failed_ || turn_ == number; });
        if (failed_) return false;
        if (good && lines_ + reader.lines() <= std::numeric_limits<std::int32_t>::max() &&
            whole_.append(found, std::int32_t(lines_))) {
            lines_ += reader.lines();
            if (!turn_ && count) whole_.reserve(1.05 * double(end_ - begin_) / double(count));  // as the rest may be
            ++turn_;
        } else {
            failed_ = true;
        }
        turn_changed_.notify_all();
        return !failed_;
    }
    // The lines that begin in a part; the text has free bytes behind them.
    bool lines_from(std::int64_t from, std::vector<char>& text, std::size_t& count) const {
        const std::int64_t to = std::min(from + part_, end_);
        std::int64_t first = from, last = to;
        if (from > begin_ && !after_line_end(from - 1, first)) return false;
        if (!after_line_end(to - 1, last)) return false;
        count = first < to ? std::size_t(last - first) : 0;  // else no line begins here
        if (count > longest_) return false;
        if (text.size() < count + slack) text.resize(count + slack);
        return read_at(file_, first, text.data(), count);
    }
    // Where the line ends that holds a byte: after its line end, or at the end of the file.
    bool after_line_end(std::int64_t place, std::int64_t& found) const {
        char some[256];
        for (std::int64_t at = place; at < end_; at += std::int64_t(sizeof some)) {
            const std::size_t count = std::size_t(std::min(std::int64_t(sizeof some), end_ - at));
            if (std::size_t(at - place) > longest_ || !read_at(file_, at, some, count)) return false;
            if (const void* const stop = std::memchr(some, '\n', count)) {
                found = at + (static_cast<const char*>(stop) - some) + 1;
                return true;
            }
        }
        found = end_;
        return true;
    }

    const int file_;
    const std::int64_t begin_, end_, part_;
    const std::size_t longest_;
    Format& whole_;
    std::atomic<std::int64_t> next_{0};
    std::atomic<bool> failed_{false};
    std::mutex lock_;  // of all below, and of the whole
    std::condition_variable turn_changed_;
    std::int64_t turn_ = 0, lines_ = 0;
    std::exception_ptr error_;
};

}  // namespace berrypick
