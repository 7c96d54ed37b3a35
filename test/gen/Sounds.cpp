// Synthesis and features; see the header.
#include "Sounds.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <complex>

using namespace mfc::gen;

static constexpr double kPi = 3.14159265358979323846;

/// 0 outside the sound, 1 inside, with raised-cosine flanks of 20 ms.
static double envelope(double t, double start, double length) {
  constexpr double flank = 0.02;
  double in = std::min(t - start, start + length - t);
  return in <= 0 ? 0 : in >= flank ? 1 : 0.5 - 0.5 * std::cos(kPi * in / flank);
}

namespace {
/// Sum of up to two gliding tones, gated by pulses.
struct Tones {
  double low = 0, high = 0;   ///< frequency at the start and at the end, Hz
  double second = 0;          ///< ratio of a second tone; 0: none
  int pulses = 0;             ///< 0: one long sound
};
} // namespace

static std::vector<double> playTones(const Tones &tones, double start, double length) {
  std::vector<double> sound(kSamples);
  double phase = 0;
  for (int i = 0; i < kSamples; ++i) {
    double t = double(i) / kSampleRate, position = std::clamp((t - start) / length, 0.0, 1.0);
    phase += 2 * kPi * (tones.low + (tones.high - tones.low) * position) / kSampleRate;
    double gate = envelope(t, start, length);
    if (tones.pulses) {
      double period = length / tones.pulses;
      double inPeriod = std::fmod(std::max(0.0, t - start), period);
      gate *= envelope(inPeriod, 0, period * 0.5);
    }
    sound[size_t(i)] = gate * (std::sin(phase) + (tones.second > 0 ? std::sin(phase * tones.second) : 0));
  }
  return sound;
}

static std::vector<double> playNoise(double start, double length, Random &random) {
  std::vector<double> sound(kSamples);
  double smooth = random.uniform(0, 0.6), state = 0;
  for (int i = 0; i < kSamples; ++i) {
    state = smooth * state + random.normal();
    sound[size_t(i)] = state * envelope(double(i) / kSampleRate, start, length);
  }
  return sound;
}

std::vector<double> mfc::gen::makeSound(int kind, Random &random) {
  double length = random.uniform(0.3, 0.46), start = random.uniform(0.01, 0.51 - length);
  double base = random.uniform(300, 1100), glide = random.uniform(1.9, 3);
  Tones tones;
  switch (kind) {
  case 0:
    tones = {base, base * glide};
    break;
  case 1:
    tones = {base * glide, base};
    break;
  case 2:
    base *= random.uniform(1, 2.5);
    tones = {base, base};
    break;
  case 3:
    tones = {base, base, random.uniform(1.8, 3)};
    break;
  case 4:
    base *= random.uniform(1, 2.5);
    tones = {base, base, 0, 3 + random.below(2)};
    break;
  default:
    assert(kind == 5);
  }
  std::vector<double> sound = kind == 5 ? playNoise(start, length, random) : playTones(tones, start, length);
  double loudness = random.uniform(0.1, 0.9), background = std::pow(10, -random.uniform(14, 34) / 20);
  for (double &sample : sound)
    sample = loudness * (sample + background * random.normal());
  return sound;
}

/// Radix-2 Fourier transform in place.
static void transform(std::array<std::complex<double>, kFrame> &x) {
  for (int i = 1, j = 0; i < kFrame; ++i) { // bit-reversed order
    int bit = kFrame >> 1;
    for (; j & bit; bit >>= 1)
      j ^= bit;
    j ^= bit;
    if (i < j)
      std::swap(x[size_t(i)], x[size_t(j)]);
  }
  for (int half = 1; half < kFrame; half *= 2) {
    for (int k = 0; k < half; ++k) {
      std::complex<double> turn(std::cos(kPi * k / half), -std::sin(kPi * k / half));
      for (int i = k; i < kFrame; i += 2 * half) {
        std::complex<double> odd = turn * x[size_t(i + half)];
        x[size_t(i + half)] = x[size_t(i)] - odd;
        x[size_t(i)] += odd;
      }
    }
  }
}

/// Energies of the frequencies of one frame, after a Hann window.
static std::array<double, kFrame / 2> frameEnergies(const double *samples) {
  std::array<std::complex<double>, kFrame> x;
  for (int i = 0; i < kFrame; ++i)
    x[size_t(i)] = samples[i] * (0.5 - 0.5 * std::cos(2 * kPi * i / kFrame));
  transform(x);
  std::array<double, kFrame / 2> energy;
  for (int bin = 0; bin < kFrame / 2; ++bin)
    energy[size_t(bin)] = std::norm(x[size_t(bin)]);
  return energy;
}

std::vector<double> mfc::gen::spectrogram(const std::vector<double> &sound) {
  constexpr double lowest = 200, highest = 3800;
  std::vector<double> result;
  for (int frame = 0; frame < kFrames; ++frame) {
    auto energy = frameEnergies(sound.data() + frame * kHop);
    for (int band = 0; band < kBands; ++band) {
      auto edge = [&](int b) { return lowest * std::pow(highest / lowest, double(b) / kBands) * kFrame / kSampleRate; };
      int first = int(edge(band)), last = std::max(first + 1, int(edge(band + 1)));
      double sum = 0;
      for (int bin = first; bin < last; ++bin)
        sum += energy[size_t(bin)];
      result.push_back(10 * std::log10(sum / (last - first) + 1e-12));
    }
  }
  double loudest = *std::max_element(result.begin(), result.end());
  for (double &value : result)
    value = std::clamp(value - loudest + kDecibels, 0.0, kDecibels);
  return result;
}
