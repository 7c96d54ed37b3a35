// Synthetic sounds of six kinds, and the small spectrograms that the keyword model sees.
#ifndef MFC_TEST_GEN_SOUNDS_H
#define MFC_TEST_GEN_SOUNDS_H

#include "Random.h"

#include <string>
#include <vector>

namespace mfc::gen {

/// In the order of the model's outputs.
inline const std::vector<std::string> kSoundNames = {"rise", "fall", "tone", "two_tone", "beeps", "noise"};

constexpr int kSampleRate = 8000;
constexpr int kFrame = 256, kHop = 128;      ///< samples of a spectrum, and between two
constexpr int kFrames = 32, kBands = 16;     ///< the model's input: 32 moments, 16 frequency bands
constexpr int kSamples = (kFrames - 1) * kHop + kFrame; ///< about half a second
constexpr double kDecibels = 60;             ///< range of the input: 0 is 60 dB below the loudest point

/// One sound of a kind, with random pitch, length, place, loudness and background noise.
std::vector<double> makeSound(int kind, Random &random);

/// Log-energy spectrogram, kFrames x kBands, each value in [0, kDecibels].
std::vector<double> spectrogram(const std::vector<double> &sound);

} // namespace mfc::gen
#endif
