// Host objects in this process: ORC session, JITLink, one slab of address space for all objects (so that
// they reach each other), page protections by section kind.
#include "mfc/Sim/HostRun.h"

#include "mfc/Support/ClassifiedError.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/MapperJITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/MemoryMapper.h"
#include "llvm/ExecutionEngine/Orc/ObjectFileInterface.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include <cstring>
#include <sys/mman.h>

using namespace mfc;
namespace orc = llvm::orc;

/// Address space, not memory: what the objects of one program may take together.
static constexpr size_t slabBytes = size_t(256) << 20;

struct HostProgram::State {
  std::unique_ptr<orc::ExecutionSession> session;
  std::unique_ptr<orc::ObjectLinkingLayer> layer;
  orc::JITDylib *library = nullptr;
  std::vector<std::string> problems; ///< reported by the session while it links

  ~State() {
    if (!session)
      return;
    if (llvm::Error error = session->endSession())
      llvm::consumeError(std::move(error)); // nothing is left to do about it
    layer.reset();
  }
};

HostProgram::HostProgram(std::unique_ptr<State> state) : state(std::move(state)) {}
HostProgram::~HostProgram() = default;

static llvm::Error cannotLoad(const llvm::Twine &why) {
  return makeError(ErrorClass::Internal, "cannot load the host object: " + why);
}

/// JITLink would link an object of another machine, too: it can run elsewhere.
static llvm::Error checkMachine(llvm::MemoryBufferRef object, const llvm::Triple &machine) {
  auto file = llvm::object::ObjectFile::createObjectFile(object);
  if (!file)
    return file.takeError();
  if ((*file)->getArch() != machine.getArch())
    return makeError(ErrorClass::Internal,
                     "it is for " + llvm::Triple::getArchTypeName((*file)->getArch()) +
                         ", this machine is " + machine.getArchName());
  return llvm::Error::success();
}

/// The names that one object defines, so that all of them can be linked at once.
static llvm::Expected<orc::SymbolLookupSet> addObjects(orc::ExecutionSession &session,
                                                       orc::ObjectLinkingLayer &layer,
                                                       orc::JITDylib &library,
                                                       llvm::ArrayRef<llvm::ArrayRef<char>> objects) {
  orc::SymbolLookupSet names;
  for (size_t i = 0; i < objects.size(); ++i) {
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
        llvm::StringRef(objects[i].data(), objects[i].size()), "object" + llvm::Twine(i));
    if (llvm::Error error = checkMachine(buffer->getMemBufferRef(), session.getTargetTriple()))
      return error;
    auto interface = orc::getObjectFileInterface(session, buffer->getMemBufferRef());
    if (!interface)
      return interface.takeError();
    for (const auto &[name, flags] : interface->SymbolFlags)
      if (name != interface->InitSymbol)
        names.add(name);
    if (llvm::Error error = layer.add(library, std::move(buffer), std::move(*interface)))
      return error;
  }
  names.removeDuplicates();
  return names;
}

llvm::Expected<std::unique_ptr<HostProgram>>
HostProgram::load(llvm::ArrayRef<llvm::ArrayRef<char>> objects) {
  auto state = std::make_unique<State>();
  auto control = orc::SelfExecutorProcessControl::Create();
  if (!control)
    return cannotLoad(llvm::toString(control.takeError()));
  state->session = std::make_unique<orc::ExecutionSession>(std::move(*control));
  State *raw = state.get();
  state->session->setErrorReporter([raw](llvm::Error error) {
    raw->problems.push_back(llvm::toString(std::move(error)));
  });
  auto memory = orc::MapperJITLinkMemoryManager::CreateWithMapper<orc::InProcessMemoryMapper>(
      slabBytes);
  if (!memory)
    return cannotLoad(llvm::toString(memory.takeError()));
  state->layer =
      std::make_unique<orc::ObjectLinkingLayer>(*state->session, std::move(*memory));
  state->library = &state->session->createBareJITDylib("model");

  auto names = addObjects(*state->session, *state->layer, *state->library, objects);
  if (!names)
    return cannotLoad(llvm::toString(names.takeError()));
  // Looking everything up links everything: an unresolved symbol is found now, not at the first call.
  auto found = state->session->lookup(
      orc::makeJITDylibSearchOrder(state->library, orc::JITDylibLookupFlags::MatchAllSymbols),
      std::move(*names));
  if (!found) {
    std::string text = llvm::toString(found.takeError());
    for (const std::string &problem : state->problems)
      text += "; " + problem;
    return cannotLoad(text);
  }
  return std::unique_ptr<HostProgram>(new HostProgram(std::move(state)));
}

void *HostProgram::lookup(llvm::StringRef name) {
  auto symbol = state->session->lookup({state->library}, state->session->intern(name));
  if (!symbol) {
    llvm::consumeError(symbol.takeError());
    return nullptr;
  }
  return symbol->getAddress().toPtr<void *>();
}

/// Fills the slack in front of a guarded buffer; a value that no kernel writes by habit.
static constexpr uint8_t slackPattern = 0xA5;

llvm::Expected<GuardedBuffer> GuardedBuffer::allocate(size_t bytes) {
  size_t page = llvm::sys::Process::getPageSizeEstimate();
  size_t usable = (bytes + page - 1) / page * page;
  GuardedBuffer buffer;
  buffer.mappingBytes = usable + 2 * page;
  void *mapping = mmap(nullptr, buffer.mappingBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    return makeError(ErrorClass::Usage, "cannot map " + llvm::Twine(buffer.mappingBytes) +
                                            " bytes of memory");
  buffer.mapping = static_cast<uint8_t *>(mapping);
  buffer.bytes = bytes;
  buffer.begin = buffer.mapping + page + (usable - bytes);
  if (usable == 0)
    return buffer;
  if (mprotect(buffer.mapping + page, usable, PROT_READ | PROT_WRITE) != 0)
    return makeError(ErrorClass::Usage, "cannot make memory writable");
  std::memset(buffer.mapping + page, slackPattern, usable - bytes);
  return buffer;
}

GuardedBuffer::GuardedBuffer(GuardedBuffer &&other) noexcept { *this = std::move(other); }

GuardedBuffer &GuardedBuffer::operator=(GuardedBuffer &&other) noexcept {
  std::swap(mapping, other.mapping);
  std::swap(mappingBytes, other.mappingBytes);
  std::swap(begin, other.begin);
  std::swap(bytes, other.bytes);
  return *this;
}

GuardedBuffer::~GuardedBuffer() {
  if (mapping)
    munmap(mapping, mappingBytes);
}

void GuardedBuffer::fill(uint8_t value) {
  if (bytes)
    std::memset(begin, value, bytes);
}

bool GuardedBuffer::frontIntact() const {
  const uint8_t *p = mapping + llvm::sys::Process::getPageSizeEstimate();
  for (; p < begin; ++p)
    if (*p != slackPattern)
      return false;
  return true;
}

llvm::Error GuardedBuffer::makeReadOnly() {
  size_t page = llvm::sys::Process::getPageSizeEstimate();
  if (mprotect(mapping + page, mappingBytes - 2 * page, PROT_READ) != 0)
    return makeError(ErrorClass::Internal, "cannot make memory read-only");
  return llvm::Error::success();
}
