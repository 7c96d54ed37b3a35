// Which schedules a compile takes, from its options.
#ifndef MFC_LIB_DRIVER_SCHEDULESOURCE_H
#define MFC_LIB_DRIVER_SCHEDULESOURCE_H

#include "mfc/Driver/CompileOptions.h"
#include "mfc/Tuning/ScheduleSearch.h"
#include <optional>

namespace mfc {

/// What the search is after; nothing where there is none.
std::optional<Goal> scheduleGoal(const CompileOptions &options);

/// Where measurements are kept; empty: nowhere.
std::string cacheFolder(const ScheduleOptions &schedules);

/// For -###: "by compiling candidates, 2 threads, cache /home/me/.cache/mfc with 12 records".
std::string scheduleSourceText(const CompileOptions &options);

} // namespace mfc
#endif
