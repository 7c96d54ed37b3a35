#include "ScheduleSource.h"

#include "mfc/Cost/RecordCache.h"

using namespace mfc;

std::optional<Goal> mfc::scheduleGoal(const CompileOptions &options) {
  if (options.schedules.source != ScheduleOptions::Source::Level)
    return std::nullopt;
  switch (options.level) {
  case OptLevel::O0:
  case OptLevel::O1:
    return std::nullopt;
  case OptLevel::O2:
  case OptLevel::O3:
    return Goal::Cycles;
  case OptLevel::Os:
    return Goal::Balanced;
  case OptLevel::Oz:
    return Goal::Bytes;
  }
  return std::nullopt;
}

std::string mfc::cacheFolder(const ScheduleOptions &schedules) {
  if (!schedules.cache)
    return "";
  return schedules.cacheFolder.empty() ? defaultCacheFolder() : schedules.cacheFolder;
}

std::string mfc::scheduleSourceText(const CompileOptions &options) {
  const ScheduleOptions &schedules = options.schedules;
  if (schedules.source == ScheduleOptions::Source::Number)
    return "number " + std::to_string(schedules.number) + " of every menu";
  if (!scheduleGoal(options))
    return "by rules of thumb";
  std::string folder = cacheFolder(schedules);
  std::string text = "by compiling candidates, " + std::to_string(schedules.threads) + " threads, ";
  if (folder.empty())
    return text + "no cache";
  return text + "cache " + folder + " with " + std::to_string(RecordCache::countRecords(folder)) + " records";
}
