#include "mfc/IR/Schedule.h"

#include <catch2/catch.hpp>

using namespace mfc;

TEST_CASE("schedules have short texts") {
  Schedule schedule;
  CHECK(scheduleText(schedule) == "plain");
  schedule.parts.scheduler = false;
  CHECK(scheduleText(schedule) == "no-sched");
  schedule.channelBlock = 4;
  CHECK(scheduleText(schedule) == "c4.no-sched");
  schedule.product = {2, 4, 4, WeightPacking::BytePairs, 0, 2};
  CHECK(scheduleText(schedule) == "p2c4k4.byte-pairs.rows2.no-sched");
  schedule.parts = {true, false};
  schedule.product = {1, 2, 1, WeightPacking::HalfPairs, 6, 4, {1, 0}};
  CHECK(scheduleText(schedule) == "p1c2.half-pairs6.rows4.ordered.no-lsr");
  schedule.product = {3, 2, 16};
  schedule.product.storesSums = true;
  CHECK(scheduleText(schedule) == "p3c2k16.stored-sums.no-lsr");
  schedule.product.unroll = 4;
  CHECK(scheduleText(schedule) == "p3c2k16.stored-sums.u4.no-lsr");
}
