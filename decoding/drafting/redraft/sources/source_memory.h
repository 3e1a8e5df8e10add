#pragma once

#include <memory>
#include <typeindex>
#include <unordered_map>

namespace redraft {

// The data that sources keep from request to request. Each source has its own type, which nothing
// else needs to know. Used by one thread at a time.
class SourceMemory {
 public:
  // The only object of type Part, created on the first call.
  template <typename Part>
  Part& part() {
    std::shared_ptr<void>& part = parts_[typeid(Part)];
    if (!part) part = std::make_shared<Part>();
    return *static_cast<Part*>(part.get());
  }

 private:
  std::unordered_map<std::type_index, std::shared_ptr<void>> parts_;
};

}  // namespace redraft
