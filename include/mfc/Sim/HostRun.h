// Runs compiled host objects in this process (JITLink), so that no host linker is needed.
//
// Constants end up in read-only pages and code in executable ones, as on a target: a store into a weight
// faults. Only the given objects are searched for symbols: an object that needs anything else does not load.
#ifndef MFC_SIM_HOSTRUN_H
#define MFC_SIM_HOSTRUN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstddef>
#include <cstdint>
#include <memory>

namespace mfc {

class HostProgram {
public:
  /// Links the objects with each other and places them in memory. The bytes are copied.
  static llvm::Expected<std::unique_ptr<HostProgram>>
  load(llvm::ArrayRef<llvm::ArrayRef<char>> objects);
  ~HostProgram();

  /// Address of a global symbol; null if no object defines it.
  void *lookup(llvm::StringRef name);
  template <typename Function> Function *function(llvm::StringRef name) {
    return reinterpret_cast<Function *>(lookup(name));
  }

private:
  struct State;
  explicit HostProgram(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

/// A buffer between two inaccessible pages. It ends exactly at the upper one, so that an access one byte
/// past the end faults. With alignment above 1 the address is a multiple of it only if the size is too.
/// The slack in front of the buffer is filled with a pattern that frontIntact() checks.
class GuardedBuffer {
public:
  static llvm::Expected<GuardedBuffer> allocate(size_t bytes);
  GuardedBuffer(GuardedBuffer &&other) noexcept;
  GuardedBuffer &operator=(GuardedBuffer &&other) noexcept;
  ~GuardedBuffer();

  uint8_t *data() const { return begin; }
  size_t size() const { return bytes; }
  void fill(uint8_t value);
  bool frontIntact() const;
  /// From now on a store into the buffer faults.
  llvm::Error makeReadOnly();

private:
  GuardedBuffer() = default;
  uint8_t *mapping = nullptr;
  size_t mappingBytes = 0;
  uint8_t *begin = nullptr;
  size_t bytes = 0;
};

} // namespace mfc
#endif
