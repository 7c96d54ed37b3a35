// mfc-quickstart-report X.json RUN.json: prints, for people, what X.json says about a compiled model (sizes, fused
// operators) and what mfc-sim's report says about a run.
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdio>

static std::optional<llvm::json::Object> readObject(const char *path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    std::fprintf(stderr, "mfc-quickstart-report: cannot read %s\n", path);
    return std::nullopt;
  }
  llvm::Expected<llvm::json::Value> value = llvm::json::parse((*buffer)->getBuffer());
  if (!value || !value->getAsObject()) {
    std::fprintf(stderr, "mfc-quickstart-report: %s is no JSON object\n", path);
    if (!value)
      llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  return std::move(*value->getAsObject());
}

static void printNumber(const char *what, std::optional<int64_t> value, const char *unit) {
  if (value)
    std::printf("  %-22s %9lld %s\n", what, static_cast<long long>(*value), unit);
  else
    std::printf("  %-22s %9s\n", what, "not known");
}

static std::string text(const llvm::json::Object &object, llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}

/// One line a kernel, then one a decision of the fusion pass: what was fused, and what was not and why.
static void printFusion(const llvm::json::Object &model) {
  const llvm::json::Array *layers = model.getArray("layers"), *decisions = model.getArray("decisions");
  std::printf("kernels\n");
  for (const llvm::json::Value &entry : layers ? *layers : llvm::json::Array())
    if (const llvm::json::Object *layer = entry.getAsObject())
      std::printf("  %-36s %6lld bytes of code, %6lld of constants\n", text(*layer, "kernel").c_str(),
                  static_cast<long long>(layer->getInteger("code_bytes").value_or(0)),
                  static_cast<long long>(layer->getInteger("const_bytes").value_or(0)));
  std::printf("fusion\n");
  for (const llvm::json::Value &entry : decisions ? *decisions : llvm::json::Array()) {
    const llvm::json::Object *decision = entry.getAsObject();
    if (decision && llvm::StringRef(text(*decision, "pass")).starts_with("fuse"))
      std::printf("  %s: %s\n", text(*decision, "subject").c_str(), text(*decision, "message").c_str());
  }
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: mfc-quickstart-report X.json RUN.json\n");
    return 1;
  }
  std::optional<llvm::json::Object> model = readObject(argv[1]), run = readObject(argv[2]);
  const llvm::json::Object *totals = model ? model->getObject("totals") : nullptr;
  if (!totals || !run) {
    std::fprintf(stderr, "mfc-quickstart-report: %s has no totals\n", argv[1]);
    return 1;
  }
  std::printf("one inference on %s\n", model->getString("target").value_or("?").str().c_str());
  printNumber("instructions", run->getInteger("instructions"), "(counted in QEMU)");
  printNumber("code", totals->getInteger("code_bytes"), "bytes of Flash");
  printNumber("constants", totals->getInteger("const_bytes"), "bytes of Flash");
  printNumber("arena", totals->getInteger("sram_bytes"), "bytes of SRAM, inputs and outputs included");
  printNumber("stack", totals->getInteger("stack_bytes"), "bytes");
  printFusion(*model);
  return 0;
}
