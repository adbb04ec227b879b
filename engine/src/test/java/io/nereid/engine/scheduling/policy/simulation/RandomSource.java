package io.nereid.engine.scheduling.policy.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A deterministic source of random choices. */
final class RandomSource {
  private final SplittableRandom random;

  RandomSource(long seed) {
    random = new SplittableRandom(seed);
  }

  boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  /** A number from {@code least} to {@code most}, both inclusive. */
  int between(int least, int most) {
    return random.nextInt(least, most + 1);
  }

  /** A number from {@code least} to {@code most}, both inclusive. */
  long between(long least, long most) {
    return random.nextLong(least, most + 1);
  }

  @SafeVarargs
  final <T> T of(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  /** Distinct numbers from 1 to {@code most}, in random order. */
  List<Integer> numbers(int count, int most) {
    List<Integer> left = new ArrayList<>();
    for (int i = 1; i <= most; i++) {
      left.add(i);
    }
    List<Integer> drawn = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int index = random.nextInt(left.size());
      drawn.add(left.get(index));
      left.subList(index, index + 1).clear();
    }
    return drawn;
  }
}
