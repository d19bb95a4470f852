/* docs/recipes.md, "A C++ core": the area of interest of a map, with the two virtual calls that such cores have. */
#include <memory>
#include <pharos/pharos.hpp>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include <cstdio>

namespace
{

void check(pharos::status status)
{
    if (status != PH_OK) throw std::runtime_error(ph_status_text(status));
}

/* What the core has already: a thing on a map. */
class map_object
{
  public:
    explicit map_object(std::string its_name) : name(std::move(its_name))
    {
    }
    virtual ~map_object() = default;
    virtual void on_appear(map_object &target)
    {
        std::printf("%s: %s appears\n", name.c_str(), target.name.c_str());
    }
    virtual void on_disappear(map_object &target)
    {
        std::printf("%s: %s disappears\n", name.c_str(), target.name.c_str());
    }
    const std::string name;
};

class map
{
  public:
    map()
    {
        def_->world_size[0] = def_->world_size[1] = 1000;
        def_.class_at(PLAYER).view = 50;
        check(world_.create(def_));
        check(producer_.open(world_.get()));
        check(consumer_.open(world_.get(), 0));
    }

    uint64_t add(std::unique_ptr<map_object> object, float x, float y)
    {
        uint64_t id = ++last_id_;
        uint64_t data = reinterpret_cast<uintptr_t>(object.get()); /* comes back with each event */
        check(producer_.enter(id, pharos::attrs().at(x, y).kind(PLAYER).user_data(data)));
        objects_[id] = std::move(object);
        return id;
    }
    void move(uint64_t id, float x, float y)
    {
        check(producer_.move(id, x, y));
    }
    /* Events of this tick still name the object: it lives until they were read. */
    void remove(uint64_t id)
    {
        check(producer_.leave(id));
        leaving_.push_back(std::move(objects_[id]));
        objects_.erase(id);
    }

    void update()
    {
        pharos::batch batch;
        check(world_.tick());
        while (consumer_.take(batch) == PH_OK) {
            for (std::size_t i = 0; i < batch.change_count(); i++) {
                pharos::change change = batch.change_at(i);
                map_object &observer = object_of(change.user_data());
                for (const ph_target &target : change.leaves()) observer.on_disappear(object_of(target.user_data));
                for (const ph_target &target : change.enters()) observer.on_appear(object_of(target.user_data));
            }
        }
        leaving_.clear();
    }

  private:
    static constexpr uint32_t PLAYER = 0;
    static map_object &object_of(uint64_t data)
    {
        return *reinterpret_cast<map_object *>(uintptr_t(data));
    }

    pharos::definition def_;
    pharos::world world_; /* is destroyed last: members go from below to above */
    pharos::producer producer_;
    pharos::consumer consumer_;
    std::unordered_map<uint64_t, std::unique_ptr<map_object>> objects_;
    std::vector<std::unique_ptr<map_object>> leaving_;
    uint64_t last_id_ = 0;
};

} // namespace

int main()
{
    map meadow;
    meadow.add(std::make_unique<map_object>("Ann"), 100, 100);
    uint64_t bob = meadow.add(std::make_unique<map_object>("Bob"), 300, 100);
    meadow.update();
    meadow.move(bob, 90, 100);
    meadow.update();
    meadow.remove(bob);
    meadow.update();
    return 0;
}
