package io.nereid.server.execution.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.InstanceSettings;
import io.nereid.config.RateLimiterSettings.Resource;
import io.nereid.server.execution.ratelimit.NaiveLimiter.Doing;
import io.nereid.server.execution.ratelimit.NaiveLimiter.Instance;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Instances that come, run and go at random, compared at every step with a limiter that adds up: no
 * more is granted than there is, nobody waits who could run, and all in the same order.
 */
class RandomLimiterTest {
  private static final int STEPS = 2_000;
  private static final int MOST_INSTANCES = 12;
  private static final List<String> NAMES = List.of("R", "S", "G");

  private final Map<Instance, RankedPermit> handles = new HashMap<>();
  private final List<Instance> granted = new ArrayList<>();

  static LongStream seeds() {
    return LongStream.range(0, 40);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void grantsWhatANaiveLimiterGrants(long seed) {
    var random = new Random(seed);
    boolean explicit = random.nextBoolean();
    var naive = new NaiveLimiter(explicit ? OptionalLong.of(5) : OptionalLong.empty());
    var limiter =
        new ExecutionCountLimiter(
            explicit ? NAMES.stream().map(name -> Limited.limit(name, 5)).toList() : List.of());
    int grants = 0;
    for (int step = 0; step < STEPS; step++) {
      act(random, step, limiter, naive);
      List<Instance> expected = naive.grant();
      assertThat(granted).as("granted by step %d", step).isEqualTo(expected);
      assertThat(naive.all())
          .as("instances after step %d", step)
          .allSatisfy(instance ->
              assertThat(handle(instance).isGranted()).isEqualTo(instance.doing == Doing.RUNNING));
      grants += granted.size();
      granted.clear();
    }
    assertThat(grants).isGreaterThan(STEPS / 10);
  }

  private RankedPermit handle(Instance instance) {
    return Objects.requireNonNull(handles.get(instance));
  }

  private void act(Random random, int step, ExecutionCountLimiter limiter, NaiveLimiter naive) {
    if (naive.all().isEmpty() || (naive.all().size() < MOST_INSTANCES && random.nextInt(20) == 0)) {
      var instance = new Instance(step, settings(random));
      naive.add(instance);
      handles.put(instance, limiter.register(instance.settings, () -> granted.add(instance)));
      return;
    }
    Instance instance = naive.all().get(random.nextInt(naive.all().size()));
    RankedPermit handle = handle(instance);
    if (random.nextInt(40) == 0) {
      naive.remove(instance);
      handle.close();
      return;
    }
    switch (instance.doing) {
      case WAITING -> handle.stage(); // without effect
      case RESTING -> {
        naive.stage(instance);
        handle.stage();
      }
      case RUNNING -> end(random.nextInt(4), instance, handle, naive);
    }
  }

  private static void end(int how, Instance instance, RankedPermit handle, NaiveLimiter naive) {
    instance.doing = Doing.RESTING;
    switch (how) {
      case 0 -> handle.giveBack();
      case 1 -> {
        instance.executions++;
        handle.release(false);
      }
      default -> {
        instance.executions++;
        naive.stage(instance);
        handle.release(true);
      }
    }
  }

  private static InstanceSettings settings(Random random) {
    List<Resource> resources = new ArrayList<>();
    for (String name : NAMES) {
      if (random.nextBoolean()) {
        resources.add(new Resource(name, name.startsWith("G"), random.nextInt(6)));
      }
    }
    return Limited.instance(
        random.nextInt(2), random.nextInt(4), resources.toArray(Resource[]::new));
  }
}
