package io.nereid.server.execution.ratelimit;

import static java.util.stream.Collectors.toMap;

import io.nereid.config.InstanceSettings;
import io.nereid.config.RateLimiterSettings.Resource;
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
 * What there is of each resource, and how much of it is held. There is as much as the instance asks
 * for that asks for most, unless limits are given: then there is what they say, and nothing of
 * anything else. By one thread at a time.
 */
final class Resources {
  /**
   * A resource where it is.
   *
   * @param device empty if the server has it, and no device
   */
  private record Key(String name, OptionalInt device) {
    /** Global ones first, then by device, then by name: so Triton checks them. */
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

  /** So much of it is there. */
  private static final class Stock {
    final Key key;

    /** What each instance asks for. */
    final List<Long> asked = new ArrayList<>();

    long available;
    long held;

    Stock(Key key) {
      this.key = key;
    }
  }

  /** What one instance asks for, and holds while it runs. */
  static final class Demand {
    private final Map<Stock, Long> counts = new HashMap<>();
  }

  private final List<ResourceLimit> limits;
  private final Map<Key, Stock> stocks = new HashMap<>();

  /**
   * No instance asks for anything yet.
   *
   * @param limits empty: there is what instances ask for
   */
  Resources(List<ResourceLimit> limits) {
    this.limits = List.copyOf(limits);
  }

  /**
   * There is another instance.
   *
   * @throws InferenceException if it asks for more than there is, or for a resource that is global
   *     here and a device's there; then nothing has changed
   */
  Demand add(InstanceSettings instance) {
    SortedMap<Key, Long> counts = new TreeMap<>(Key.ORDER);
    for (Resource resource : instance.rateLimiter().resources()) {
      counts.put(Key.of(resource, instance), resource.count());
    }
    checkLimits(counts);
    checkPlaces(counts);
    var demand = new Demand();
    counts.forEach((key, count) -> {
      Stock stock = stocks.computeIfAbsent(key, Stock::new);
      stock.asked.add(count);
      stock.available = available(stock);
      demand.counts.put(stock, count);
    });
    return demand;
  }

  /** An instance is gone, and holds nothing. */
  void remove(Demand demand) {
    demand.counts.forEach((stock, count) -> {
      stock.asked.remove(count);
      if (stock.asked.isEmpty()) {
        stocks.remove(stock.key);
      } else {
        stock.available = available(stock);
      }
    });
  }

  /** Takes all that an instance asks for, or nothing; false if there is not enough of it. */
  boolean take(Demand demand) {
    for (Map.Entry<Stock, Long> entry : demand.counts.entrySet()) {
      if (entry.getKey().held + entry.getValue() > entry.getKey().available) {
        return false;
      }
    }
    demand.counts.forEach((stock, count) -> stock.held += count);
    return true;
  }

  /** Gives back what {@link #take} took. */
  void giveBack(Demand demand) {
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

  private void checkPlaces(SortedMap<Key, Long> counts) {
    for (Key key : counts.keySet()) {
      if (isElsewhere(key, stocks) || isElsewhere(key, counts)) {
        throw InferenceException.invalid(
            ("Resource \"%s\" is present as both global and device-specific resource in the model"
                    + " configuration.")
                .formatted(key.name()));
      }
    }
  }

  private static boolean isElsewhere(Key key, Map<Key, ?> others) {
    return others.keySet().stream()
        .anyMatch(other -> other.name().equals(key.name()) && other.isGlobal() != key.isGlobal());
  }

  private long available(Stock stock) {
    return limits.isEmpty() ? Collections.max(stock.asked) : limit(stock.key);
  }

  /** What the limits say; of two for the same place the lower one counts. */
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
