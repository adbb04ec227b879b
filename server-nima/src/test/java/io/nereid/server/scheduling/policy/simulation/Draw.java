package io.nereid.server.scheduling.policy.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Chance, the same each time for the same seed. */
final class Draw {
  private final SplittableRandom random;

  Draw(long seed) {
    random = new SplittableRandom(seed);
  }

  boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  /** Both ends are possible. */
  int between(int least, int most) {
    return random.nextInt(least, most + 1);
  }

  /** Both ends are possible. */
  long between(long least, long most) {
    return random.nextLong(least, most + 1);
  }

  @SafeVarargs
  final <T> T of(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  /** So many different numbers from 1 on, in any order. */
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
