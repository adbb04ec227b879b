package io.nereid.server.execution.ratelimit;

import io.nereid.config.InstanceSettings;
import io.nereid.config.RateLimiterSettings.Resource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A rate limiter that keeps lists and adds up: what {@link ExecutionCountLimiter} is compared with.
 * Resources are global if their names begin with G.
 */
final class NaiveLimiter {
  /** What an instance does. */
  enum Doing {
    RESTING,
    WAITING,
    RUNNING
  }

  static final class Instance {
    final int id;
    final InstanceSettings settings;
    Doing doing = Doing.RESTING;
    long executions;
    long place;

    Instance(int id, InstanceSettings settings) {
      this.id = id;
      this.settings = settings;
    }

    long score() {
      return executions * Math.max(1, settings.rateLimiter().priority());
    }

    List<Resource> resources() {
      return settings.rateLimiter().resources();
    }
  }

  /** How much there is of each resource at each place; empty: as much as the largest demand. */
  private final OptionalLong limit;

  private final List<Instance> instances = new ArrayList<>();
  private long places;

  NaiveLimiter(OptionalLong limit) {
    this.limit = limit;
  }

  List<Instance> all(Doing doing) {
    return instances.stream().filter(instance -> instance.doing == doing).toList();
  }

  List<Instance> all() {
    return instances;
  }

  void add(Instance instance) {
    instances.add(instance);
  }

  void remove(Instance instance) {
    instances.remove(instance);
  }

  void stage(Instance instance) {
    instance.doing = Doing.WAITING;
    instance.place = places++;
  }

  /** Has those run who can; in this order. */
  List<Instance> grant() {
    List<Instance> granted = new ArrayList<>();
    while (true) {
      var first =
          all(Doing.WAITING).stream()
              .min(
                  Comparator.comparingLong(Instance::score)
                      .thenComparingLong(instance -> instance.place));
      if (first.isEmpty() || !fits(first.get())) {
        return granted;
      }
      first.get().doing = Doing.RUNNING;
      granted.add(first.get());
    }
  }

  private boolean fits(Instance instance) {
    return instance.resources().stream()
        .allMatch(resource -> {
          int device = instance.settings.deviceId();
          long held =
              counts(all(Doing.RUNNING).stream(), resource, device).sum() + resource.count();
          long there =
              limit.orElseGet(
                  () -> counts(instances.stream(), resource, device).max().orElseThrow());
          return held <= there;
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
