package io.nereid.engine.execution.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.InstanceSettings;
import io.nereid.config.RateLimiterSettings.Resource;
import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter.Permit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@link ExecutionCountLimiter} compared with a reference model at each step of random schedules,
 * in which instances are added, staged, released and removed.
 */
class RandomLimiterTest {
  private static final int STEPS = 2_000;
  private static final int MOST_INSTANCES = 12;
  private static final List<String> NAMES = List.of("R", "S", "G");

  private final Map<Instance, Permit> permits = new HashMap<>();
  private final List<Instance> allocated = new ArrayList<>();

  static LongStream seeds() {
    return LongStream.range(0, 40);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void allocatesAsTheReferenceModelDoes(long seed) {
    var random = new Random(seed);
    boolean explicit = random.nextBoolean();
    var reference = new ReferenceLimiter(explicit ? OptionalLong.of(5) : OptionalLong.empty());
    var limiter =
        new ExecutionCountLimiter(
            explicit ? NAMES.stream().map(name -> Samples.limit(name, 5)).toList() : List.of());
    int allocations = 0;
    for (int step = 0; step < STEPS; step++) {
      act(random, limiter, reference);
      List<Instance> expected = reference.allocate();
      assertThat(allocated).as("allocated by step %d", step).isEqualTo(expected);
      assertThat(reference.instances)
          .as("instances after step %d", step)
          .allSatisfy(instance ->
              assertThat(permit(instance).isAllocated())
                  .isEqualTo(instance.state == State.ALLOCATED));
      allocations += allocated.size();
      allocated.clear();
    }
    assertThat(allocations).isGreaterThan(STEPS / 10);
  }

  private Permit permit(Instance instance) {
    return Objects.requireNonNull(permits.get(instance));
  }

  private void act(Random random, ExecutionCountLimiter limiter, ReferenceLimiter reference) {
    if (reference.instances.isEmpty()
        || (reference.instances.size() < MOST_INSTANCES && random.nextInt(20) == 0)) {
      var instance = new Instance(settings(random));
      reference.instances.add(instance);
      permits.put(instance, limiter.register(instance.settings, () -> allocated.add(instance)));
      return;
    }
    Instance instance = reference.instances.get(random.nextInt(reference.instances.size()));
    Permit permit = permit(instance);
    if (random.nextInt(40) == 0) {
      reference.instances.remove(instance);
      permit.close();
      return;
    }
    switch (instance.state) {
      case STAGED -> permit.stage(); // without effect
      case AVAILABLE -> {
        reference.stage(instance);
        permit.stage();
      }
      case ALLOCATED -> end(random.nextInt(4), instance, permit, reference);
    }
  }

  private static void end(int how, Instance instance, Permit permit, ReferenceLimiter reference) {
    instance.state = State.AVAILABLE;
    instance.executions += how == 0 ? 0 : 1; // an unused allocation does not count
    switch (how) {
      case 0 -> permit.releaseUnused();
      case 1 -> permit.release(false);
      default -> {
        reference.stage(instance);
        permit.release(true);
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
    return Samples.instance(
        random.nextInt(2), random.nextInt(4), resources.toArray(Resource[]::new));
  }

  private enum State {
    AVAILABLE,
    STAGED,
    ALLOCATED
  }

  private static final class Instance {
    final InstanceSettings settings;
    State state = State.AVAILABLE;
    long executions;
    long position;

    Instance(InstanceSettings settings) {
      this.settings = settings;
    }

    long score() {
      return executions * Math.max(1, settings.rateLimiter().priority());
    }

    List<Resource> resources() {
      return settings.rateLimiter().resources();
    }
  }

  /** The reference model: keeps lists and sums up. Names of global resources begin with G. */
  private static final class ReferenceLimiter {
    /** The amount of each resource on each device; empty: the largest demand. */
    private final OptionalLong limit;

    final List<Instance> instances = new ArrayList<>();
    private long stagings;

    ReferenceLimiter(OptionalLong limit) {
      this.limit = limit;
    }

    List<Instance> all(State state) {
      return instances.stream().filter(instance -> instance.state == state).toList();
    }

    void stage(Instance instance) {
      instance.state = State.STAGED;
      instance.position = stagings++;
    }

    /** Allocates while resources suffice; returns the instances in order. */
    List<Instance> allocate() {
      List<Instance> allocated = new ArrayList<>();
      while (true) {
        var first =
            all(State.STAGED).stream()
                .min(
                    Comparator.comparingLong(Instance::score)
                        .thenComparingLong(instance -> instance.position));
        if (first.isEmpty() || !fits(first.get())) {
          return allocated;
        }
        first.get().state = State.ALLOCATED;
        allocated.add(first.get());
      }
    }

    private boolean fits(Instance instance) {
      return instance.resources().stream()
          .allMatch(resource -> {
            int device = instance.settings.deviceId();
            long held =
                counts(all(State.ALLOCATED).stream(), resource, device).sum() + resource.count();
            long amount =
                limit.orElseGet(
                    () -> counts(instances.stream(), resource, device).max().orElseThrow());
            return held <= amount;
          });
    }

    private static LongStream counts(Stream<Instance> instances, Resource resource, int device) {
      return instances
          .filter(instance -> resource.global() || instance.settings.deviceId() == device)
          .flatMap(instance -> instance.resources().stream())
          .filter(each -> each.name().equals(resource.name()))
          .mapToLong(Resource::count);
    }
  }
}
