// Catch2's main(), alone in its file: it is by far the slowest part of the tests to compile.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
