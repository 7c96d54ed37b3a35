#include "CoreTiming.h"

using namespace mfc;
using namespace mfc::cost;

const CoreTiming *cost::findCore(llvm::StringRef cpu) {
  static const CoreTiming *const cores[] = {
      &cortexM0,  &cortexM0Plus, &cortexM23, &cortexM3, &cortexM4, &cortexM33, &cortexM7,
      &cortexM55, &cortexM85,    &hazard3,   &scr1,     &rocket,   &sifive7};
  for (const CoreTiming *core : cores)
    for (const char *name : core->cpus)
      if (cpu == name)
        return core;
  return nullptr;
}
