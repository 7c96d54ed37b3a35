#include "mfc/Emit/BuildLibrary.h"
#include "mfc/Emit/CodeFacts.h"
#include "mfc/Emit/EntryPoints.h"
#include "mfc/Emit/ModelInfo.h"
#include "mfc/Emit/Writers.h"

#include "llvm/IR/Module.h"

using namespace mfc;

llvm::Error mfc::finishModule(llvm::Module &lowered, ModelInfo &info, bool withStatic) {
  // The data layout first: pointer sizes and structs of the entry points depend on it.
  if (llvm::Error error = prepareModule(lowered, info.target))
    return error;
  info.usesFloat = usesFloatingPoint(lowered);
  info.id = modelId(lowered, info);
  addMemoryForm(lowered, info);
  if (withStatic)
    addStaticForm(lowered, info);
  return llvm::Error::success();
}

llvm::Expected<std::vector<LibraryObject>>
mfc::buildLibrary(llvm::Module &finished, ModelInfo &info, const CodegenSwitches &switches) {
  CodeUses uses = collectUses(finished);
  auto model = compileToObject(finished, info.target, switches);
  if (!model)
    return model.takeError();
  std::unique_ptr<llvm::Module> statics = createStaticModule(finished.getContext(), info);
  auto wrapper = compileToObject(*statics, info.target, switches);
  if (!wrapper)
    return wrapper.takeError();
  std::vector<LibraryObject> objects;
  objects.push_back({info.name + "_model.o", std::move(*model)});
  objects.push_back({info.name + "_static.o", std::move(*wrapper)});
  const ObjectCode *codes[] = {&objects[0].code, &objects[1].code};
  if (llvm::Error error = addCodeFacts(info, uses, codes))
    return error;
  return objects;
}

llvm::Expected<std::vector<LibraryObject>> mfc::buildObject(llvm::Module &finished, ModelInfo &info,
                                                            const CodegenSwitches &switches) {
  CodeUses uses = collectUses(finished);
  auto code = compileToObject(finished, info.target, switches);
  if (!code)
    return code.takeError();
  std::vector<LibraryObject> objects;
  objects.push_back({info.name + ".o", std::move(*code)});
  const ObjectCode *codes[] = {&objects[0].code};
  if (llvm::Error error = addCodeFacts(info, uses, codes))
    return error;
  return objects;
}

llvm::Expected<LibraryFiles> mfc::writeLibrary(const ModelInfo &info,
                                               llvm::ArrayRef<LibraryObject> objects) {
  std::vector<ArchiveMember> members;
  for (const LibraryObject &object : objects)
    members.push_back({object.name, object.code.bytes});
  auto archive = writeArchive(members);
  if (!archive)
    return archive.takeError();
  return LibraryFiles{writeHeader(info), writeLinkerFragment(info), writeReport(info),
                      std::move(*archive)};
}
