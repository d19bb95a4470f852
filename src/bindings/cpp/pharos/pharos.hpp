/**
 * @file pharos.hpp
 * Pharos for C++17: the C interface with owners, spans and builders. Header only; link libpharos. No function here
 * throws but those that say so, and no exception is needed: calls return ph_status. Handles, records and thread rules
 * are those of <pharos/pharos.h>; get() of an owner gives the C handle for every call that has no member here.
 */
#ifndef PHAROS_PHAROS_HPP
#define PHAROS_PHAROS_HPP

#include <pharos/pharos.h>

#include <cstddef>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace pharos {

using status = ph_status;

/** Items of the library or the host, not owned; valid as long as their array. */
template <class T> class span {
public:
    constexpr span() noexcept = default;
    constexpr span(T *items, std::size_t count) noexcept : items_(items), count_(count) {}
    /** From std::vector, std::array and their like. */
    template <class Container, class = decltype(std::declval<Container &>().data())>
    constexpr span(Container &items) noexcept : items_(items.data()), count_(items.size()) {}

    constexpr T *data() const noexcept { return items_; }
    constexpr std::size_t size() const noexcept { return count_; }
    constexpr bool empty() const noexcept { return count_ == 0; }
    constexpr T *begin() const noexcept { return items_; }
    constexpr T *end() const noexcept { return items_ + count_; }
    constexpr T &operator[](std::size_t place) const noexcept { return items_[place]; }

private:
    T *items_ = nullptr;
    std::size_t count_ = 0;
};

/** Builds ph_attrs: each call gives one attribute. `attrs().at(100, 100).view(50)`. */
class attrs {
public:
    attrs &at(float x, float y) noexcept
    {
        value_.x = x;
        value_.y = y;
        return give(PH_X | PH_Y);
    }
    attrs &at(float x, float y, float z) noexcept
    {
        value_.z = z;
        return at(x, y).give(PH_Z);
    }
    attrs &kind(uint32_t kind) noexcept { return set(value_.kind, kind, PH_KIND); }
    attrs &view(float view) noexcept { return set(value_.view, view, PH_VIEW); }
    attrs &margin(float margin) noexcept { return set(value_.margin, margin, PH_MARGIN); }
    attrs &reach(float reach) noexcept { return set(value_.reach, reach, PH_REACH); }
    attrs &visible(float visible) noexcept { return set(value_.visible, visible, PH_VISIBLE); }
    attrs &layers(uint64_t layers) noexcept { return set(value_.layers, layers, PH_LAYERS); }
    attrs &sees(uint64_t sees) noexcept { return set(value_.sees, sees, PH_SEES); }
    attrs &cap(uint32_t cap) noexcept { return set(value_.cap, cap, PH_CAP); }
    attrs &priority(uint8_t priority) noexcept { return set(value_.priority, priority, PH_PRIORITY); }
    attrs &stealth(uint8_t stealth) noexcept { return set(value_.stealth, stealth, PH_STEALTH); }
    attrs &detect(uint8_t detect) noexcept { return set(value_.detect, detect, PH_DETECT); }
    attrs &global(bool global) noexcept { return set(value_.global, global, PH_GLOBAL); }
    attrs &veiled(bool veiled) noexcept { return set(value_.veiled, veiled, PH_VEILED); }
    attrs &ready(bool ready) noexcept { return set(value_.ready, ready, PH_READY); }
    attrs &remote(bool remote) noexcept { return set(value_.remote, remote, PH_REMOTE); }
    attrs &consumer(uint32_t consumer) noexcept { return set(value_.consumer, consumer, PH_CONSUMER); }
    attrs &instance(uint32_t instance) noexcept { return set(value_.instance, instance, PH_INSTANCE); }
    attrs &user_data(uint64_t user_data) noexcept { return set(value_.user_data, user_data, PH_USER_DATA); }

    operator const ph_attrs &() const noexcept { return value_; }

private:
    attrs &give(uint32_t bits) noexcept
    {
        value_.given |= bits;
        return *this;
    }
    template <class T> attrs &set(T &field, T value, uint32_t bit) noexcept
    {
        field = value;
        return give(bit);
    }

    ph_attrs value_ = {};
};

/** A ph_world_def with its classes. `def->world_size[0] = 500; def.add_class("player").view = 60;` */
class definition {
public:
    /** Every field at its default; throws std::bad_alloc. */
    definition() : value_(ph_world_def_default()), classes_(value_.classes, value_.classes + value_.class_count) {}

    ph_world_def *operator->() noexcept { return &value_; }
    /** The class of a kind; 0 is "default". */
    ph_class &class_at(uint32_t kind) noexcept { return classes_[kind]; }
    /** A further class; valid until the next one. Its kind is class_count() before the call; throws std::bad_alloc. */
    ph_class &add_class(const char *name) { return classes_.emplace_back(ph_class_default(name)); }
    uint32_t class_count() const noexcept { return static_cast<uint32_t>(classes_.size()); }

    /** The definition for C calls, as long as this object is neither changed nor gone. */
    const ph_world_def &get() noexcept
    {
        value_.classes = classes_.data();
        value_.class_count = class_count();
        return value_;
    }

private:
    ph_world_def value_;
    std::vector<ph_class> classes_;
};

/** The changes of one observer: ph_change with its targets as spans. */
class change {
public:
    change(const ph_batch &batch, const ph_change &from) noexcept : batch_(&batch), change_(&from) {}

    uint64_t observer() const noexcept { return change_->observer; }
    uint64_t user_data() const noexcept { return change_->user_data; }
    /** The list begins anew: the enters are all of it. */
    bool fresh() const noexcept { return (change_->flags & PH_CHANGE_FRESH) != 0; }
    /** Targets wait for a later tick. */
    bool more() const noexcept { return (change_->flags & PH_CHANGE_MORE) != 0; }
    span<const ph_target> leaves() const noexcept { return {batch_->targets + change_->first, change_->leave_count}; }
    span<const ph_target> enters() const noexcept { return {batch_->targets + first_enter(), change_->enter_count}; }
    span<const uint16_t> leave_kinds() const noexcept { return {batch_->kinds + change_->first, change_->leave_count}; }
    span<const uint16_t> enter_kinds() const noexcept { return {batch_->kinds + first_enter(), change_->enter_count}; }
    /** Of ph_cause. */
    span<const uint8_t> leave_causes() const noexcept { return {batch_->causes + change_->first, change_->leave_count}; }
    /** Of ph_cause. */
    span<const uint8_t> enter_causes() const noexcept { return {batch_->causes + first_enter(), change_->enter_count}; }
    /** Where the targets of enters() are; empty if the definition has positions = false. */
    span<const ph_position> enter_positions() const noexcept
    {
        if (batch_->positions == nullptr) return {};
        return {batch_->positions + first_enter(), change_->enter_count};
    }

private:
    std::size_t first_enter() const noexcept { return std::size_t{change_->first} + change_->leave_count; }

    const ph_batch *batch_;
    const ph_change *change_;
};

/** A batch that was taken; given back when the object goes, at the latest before its consumer. */
class batch {
public:
    batch() noexcept = default;
    batch(const batch &) = delete;
    batch &operator=(const batch &) = delete;
    batch(batch &&other) noexcept { swap(other); }
    batch &operator=(batch &&other) noexcept
    {
        batch(std::move(other)).swap(*this);
        return *this;
    }
    ~batch() { give_back(); }

    explicit operator bool() const noexcept { return batch_ != nullptr; }
    const ph_batch *operator->() const noexcept { return batch_; }
    const ph_batch *get() const noexcept { return batch_; }
    std::size_t change_count() const noexcept { return batch_->change_count; }
    change change_at(std::size_t place) const noexcept { return {*batch_, batch_->changes[place]}; }
    span<const ph_delivery> deliveries() const noexcept { return {batch_->deliveries, batch_->delivery_count}; }
    span<const ph_update> updates() const noexcept { return {batch_->updates, batch_->update_count}; }
    span<const ph_edge> activations() const noexcept { return {batch_->activations, batch_->activation_count}; }
    span<const ph_edge> crossings() const noexcept { return {batch_->crossings, batch_->crossing_count}; }
    /** The message at `place` of a delivery. */
    const ph_message &message(const ph_delivery &of, std::size_t place) const noexcept
    {
        return batch_->messages[batch_->heard[of.first + place]];
    }
    std::string_view payload(const ph_message &message) const noexcept
    {
        return {reinterpret_cast<const char *>(batch_->payload + message.first), message.bytes};
    }
    /** The moved target at `place` of an update. */
    const ph_moved &moved(const ph_update &of, std::size_t place) const noexcept
    {
        return batch_->moved[batch_->due[of.first + place]];
    }
    /** Its band for the observer. */
    std::uint8_t band(const ph_update &of, std::size_t place) const noexcept { return batch_->bands[of.first + place]; }
    void give_back() noexcept
    {
        if (batch_ != nullptr) ph_batch_return(consumer_, batch_);
        batch_ = nullptr;
    }

private:
    friend class consumer;
    void swap(batch &other) noexcept
    {
        std::swap(consumer_, other.consumer_);
        std::swap(batch_, other.batch_);
    }

    ph_consumer consumer_ = {};
    const ph_batch *batch_ = nullptr;
};

/** Owns a handle; the derived class says how it is closed. */
template <class Handle, status (*Close)(Handle)> class owner {
public:
    owner() noexcept = default;
    owner(const owner &) = delete;
    owner &operator=(const owner &) = delete;
    owner(owner &&other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
    owner &operator=(owner &&other) noexcept
    {
        if (this != &other) {
            close();
            handle_ = std::exchange(other.handle_, Handle{});
        }
        return *this;
    }
    ~owner() { close(); }

    explicit operator bool() const noexcept { return handle_.index1 != 0; }
    Handle get() const noexcept { return handle_; }
    /** Closes it now. PH_BUSY (a world in a tick): it stays open, and so it does when the object goes. */
    status close() noexcept
    {
        if (handle_.index1 == 0) return PH_OK;
        status result = Close(handle_);
        if (result != PH_BUSY) handle_ = Handle{};
        return result;
    }

protected:
    Handle handle_ = {};
};

/** Submits commands; one thread at a time. Closed when it goes. */
class producer : public owner<ph_producer, ph_producer_close> {
public:
    PH_NODISCARD status open(ph_world world) noexcept
    {
        close();
        return ph_producer_open(world, &handle_);
    }
    PH_NODISCARD status enter(uint64_t id, const ph_attrs &attrs) noexcept { return ph_enter(handle_, id, &attrs); }
    PH_NODISCARD status set(uint64_t id, const ph_attrs &attrs) noexcept { return ph_set(handle_, id, &attrs); }
    PH_NODISCARD status leave(uint64_t id) noexcept { return ph_leave(handle_, id); }
    PH_NODISCARD status move(uint64_t id, float x, float y, float z = 0) noexcept
    {
        return ph_move(handle_, id, x, y, z);
    }
    /** As many items as both spans have; *done (or null) gets the number queued or refused. */
    PH_NODISCARD status move(span<const uint64_t> ids, span<const ph_position> to, uint32_t *done = nullptr) noexcept
    {
        std::size_t count = ids.size() < to.size() ? ids.size() : to.size();
        return ph_move_many(handle_, static_cast<uint32_t>(count), ids.data(), to.data(), done);
    }
    PH_NODISCARD status broadcast(uint64_t source, std::string_view payload,
                                  const ph_broadcast_options *options = nullptr) noexcept
    {
        return ph_broadcast(handle_, source, payload.data(), static_cast<uint32_t>(payload.size()), options);
    }
    PH_NODISCARD status refusals(span<ph_refusal> room, uint32_t *count) noexcept
    {
        return ph_producer_refusals(handle_, room.data(), static_cast<uint32_t>(room.size()), count);
    }
};

/** Takes batches; one thread at a time. Closed when it goes; its batches go first. */
class consumer : public owner<ph_consumer, ph_consumer_close> {
public:
    PH_NODISCARD status open(ph_world world, uint32_t index) noexcept
    {
        close();
        return ph_consumer_open(world, index, &handle_);
    }
    /** The oldest batch; what `into` had is given back. PH_EMPTY, PH_PENDING: `into` has none. */
    PH_NODISCARD status take(batch &into) noexcept
    {
        into.give_back();
        into.consumer_ = handle_;
        return ph_batch_take(handle_, &into.batch_);
    }
};

/** A world; destroyed when it goes. Its producers, consumers and batches go first. */
class world : public owner<ph_world, ph_world_destroy> {
public:
    PH_NODISCARD status create(definition &def) noexcept { return create(def.get()); }
    PH_NODISCARD status create(const ph_world_def &def) noexcept
    {
        close();
        return ph_world_create(&def, &handle_);
    }
    PH_NODISCARD status tick(uint64_t *number = nullptr) noexcept { return ph_tick(handle_, number); }
    PH_NODISCARD status stats(ph_stats &stats) noexcept { return ph_world_stats(handle_, &stats); }

    /** All ids of the observer's list, ordered by kind, then id; throws std::bad_alloc. */
    PH_NODISCARD status list(uint64_t observer, std::vector<uint64_t> &ids)
    {
        return fill(ids, [&](uint64_t *at, uint32_t room, uint32_t *count) {
            return ph_list(handle_, observer, at, room, count);
        });
    }
    /** All hits of a query; throws std::bad_alloc. */
    PH_NODISCARD status find(const ph_query &query, std::vector<ph_hit> &hits)
    {
        return fill(hits, [&](ph_hit *at, uint32_t room, uint32_t *count) {
            return ph_find(handle_, &query, at, room, count);
        });
    }

private:
    /* Calls with the room that there is, and once more with enough. */
    template <class Item, class Call> static status fill(std::vector<Item> &items, Call call)
    {
        uint32_t count = 0;
        items.resize(items.capacity());
        status result = call(items.data(), static_cast<uint32_t>(items.size()), &count);
        if (result == PH_OK && count > items.size()) {
            items.resize(count);
            result = call(items.data(), count, &count);
        }
        items.resize(result == PH_OK && count <= items.size() ? count : 0);
        return result;
    }
};

} // namespace pharos

#endif
