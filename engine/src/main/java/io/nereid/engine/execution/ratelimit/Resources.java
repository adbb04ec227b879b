package io.nereid.engine.execution.ratelimit;

import static java.util.stream.Collectors.toMap;

import io.nereid.config.InstanceSettings;
import io.nereid.config.RateLimiterSettings.Resource;
import io.nereid.engine.execution.ratelimit.RateLimiter.ResourceLimit;
import io.nereid.error.InferenceException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The amounts of all resources, and how much of each is held. Without limits there is as much of a
 * resource as the largest demand of an instance. With limits there is what they say, and nothing of
 * any other resource. Used by one thread at a time.
 */
final class Resources {
  /**
   * A resource of a device or of the whole server.
   *
   * @param device empty if the resource is global
   */
  private record Key(String name, OptionalInt device) {
    /** Global ones first, then by device, then by name: the order in which Triton checks them. */
    static final Comparator<Key> ORDER =
        Comparator.comparingInt((Key key) -> key.device.orElse(Integer.MIN_VALUE))
            .thenComparing(Key::name);

    static Key of(Resource resource, InstanceSettings instance) {
      return new Key(
          resource.name(),
          resource.global() ? OptionalInt.empty() : OptionalInt.of(instance.deviceId()));
    }

    boolean isGlobal() {
      return device.isEmpty();
    }
  }

  /** The amount of one resource. */
  private static final class Stock {
    final Key key;

    /** The demand of each instance that needs it. */
    final List<Long> demands = new ArrayList<>();

    long available;
    long held;

    Stock(Key key) {
      this.key = key;
    }
  }

  /** The resources that an instance needs, and holds while it is allocated. */
  static final class Demand {
    private final Map<Stock, Long> counts = new HashMap<>();
  }

  private final List<ResourceLimit> limits;
  private final Map<Key, Stock> stocks = new HashMap<>();

  /**
   * Creates the resources of no instance.
   *
   * @param limits may be empty, see above
   */
  Resources(List<ResourceLimit> limits) {
    this.limits = List.copyOf(limits);
  }

  /**
   * Adds the demand of an instance.
   *
   * @throws InferenceException if a demand exceeds its limit, or a resource is both global and of a
   *     device; then nothing has changed
   */
  Demand add(InstanceSettings instance) {
    SortedMap<Key, Long> counts = new TreeMap<>(Key.ORDER);
    for (Resource resource : instance.rateLimiter().resources()) {
      counts.put(Key.of(resource, instance), resource.count());
    }
    checkLimits(counts);
    checkScopes(counts);
    var demand = new Demand();
    counts.forEach((key, count) -> {
      Stock stock = stocks.computeIfAbsent(key, Stock::new);
      stock.demands.add(count);
      stock.available = available(stock);
      demand.counts.put(stock, count);
    });
    return demand;
  }

  /** Removes the demand of an instance, which holds nothing. */
  void remove(Demand demand) {
    demand.counts.forEach((stock, count) -> {
      stock.demands.remove(count);
      if (stock.demands.isEmpty()) {
        stocks.remove(stock.key);
      } else {
        stock.available = available(stock);
      }
    });
  }

  /** Acquires all resources of a demand or none; returns false if one does not suffice. */
  boolean acquire(Demand demand) {
    for (Map.Entry<Stock, Long> entry : demand.counts.entrySet()) {
      if (entry.getKey().held + entry.getValue() > entry.getKey().available) {
        return false;
      }
    }
    demand.counts.forEach((stock, count) -> stock.held += count);
    return true;
  }

  /** Releases what {@link #acquire} acquired. */
  void release(Demand demand) {
    demand.counts.forEach((stock, count) -> stock.held -= count);
  }

  private void checkLimits(SortedMap<Key, Long> counts) {
    if (limits.isEmpty()) {
      return;
    }
    counts.forEach((key, count) -> {
      long limit = limit(key);
      if (count > limit) {
        throw InferenceException.invalid(
            ("Resource count for \"%s\" is limited to %d which will prevent scheduling of one or"
                    + " more model instances, the minimum required count is %d")
                .formatted(key.name(), limit, count));
      }
    });
  }

  private void checkScopes(SortedMap<Key, Long> counts) {
    for (Key key : counts.keySet()) {
      if (hasOtherScope(key, stocks) || hasOtherScope(key, counts)) {
        throw InferenceException.invalid(
            ("Resource \"%s\" is present as both global and device-specific resource in the model"
                    + " configuration.")
                .formatted(key.name()));
      }
    }
  }

  private static boolean hasOtherScope(Key key, Map<Key, ?> others) {
    return others.keySet().stream()
        .anyMatch(other -> other.name().equals(key.name()) && other.isGlobal() != key.isGlobal());
  }

  private long available(Stock stock) {
    return limits.isEmpty() ? Collections.max(stock.demands) : limit(stock.key);
  }

  /** The limit of a resource: of two for the same device, the lower one. */
  private long limit(Key key) {
    Map<OptionalInt, Long> byDevice =
        limits.stream()
            .filter(limit -> limit.name().equals(key.name()))
            .collect(toMap(ResourceLimit::device, ResourceLimit::count, Math::min));
    return byDevice.entrySet().stream()
        .filter(limit ->
            key.isGlobal() || limit.getKey().isEmpty() || limit.getKey().equals(key.device()))
        .mapToLong(Map.Entry::getValue)
        .max()
        .orElse(0);
  }
}
