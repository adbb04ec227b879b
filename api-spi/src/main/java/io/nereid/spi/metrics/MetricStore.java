package io.nereid.spi.metrics;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The metrics of all backends of a server: who opens backends has one, and reads it. Thread-safe; a
 * metric counts without its lock.
 */
public final class MetricStore {
  private static final int MAX_LINES = 10_000;

  /** What is behind the name of a histogram on the page. */
  private static final List<String> SUFFIXES = List.of("_bucket", "_sum", "_count");

  private record Family(Metric.Kind kind, String help, Map<Map<String, String>, Metric> metrics) {}

  private final Map<String, Family> families = new TreeMap<>();

  /** The lines of a backend on the page. */
  private final Map<String, Integer> lines = new HashMap<>();

  /** The backends that want more lines, and whether their log says so. */
  private final Map<String, Boolean> warned = new HashMap<>();

  /** How many loads of a version are open, by the labels of its metrics. */
  private final Map<Map<String, String>, Integer> open = new HashMap<>();

  /** A store without metrics. */
  public MetricStore() {}

  /**
   * The metrics of a backend.
   *
   * @param logger gets a warning if there are too many
   */
  public BackendMetrics of(String backend, System.Logger logger) {
    return new BackendMetrics(this, Owner.of(backend, logger));
  }

  Metric register(Owner owner, String name, String help, Map<String, String> own, Metric metric) {
    Metric registered = add(owner, name, help, own, metric);
    if (isToWarn(owner.backend())) {
      owner
          .logger()
          .log(
              Level.WARNING,
              "backend ''{0}'' has more metrics than the {1} lines that are shown of it",
              owner.backend(),
              Integer.toString(MAX_LINES));
    }
    return registered;
  }

  private synchronized boolean isToWarn(String backend) {
    return warned.replace(backend, false, true);
  }

  private synchronized Metric add(
      Owner owner, String name, String help, Map<String, String> own, Metric metric) {
    owner.requireName(name);
    Map<String, String> labels = owner.all(name, own);
    Family family = families.get(name);
    if (family == null) {
      requireNoOtherLines(owner, name, metric.kind());
    } else if (family.kind() != metric.kind()) {
      throw owner.refuse(
          name,
          "is a %s, and one of that name is a %s"
              .formatted(text(metric.kind()), text(family.kind())));
    } else if (family.metrics().containsKey(labels)) {
      return family.metrics().getOrDefault(labels, metric);
    }
    if (hasRoom(owner, metric)) {
      if (family == null) {
        family =
            new Family(
                metric.kind(), help.replaceAll("[\\\\\\p{Cntrl}]", " "), new LinkedHashMap<>());
        families.put(name, family);
      }
      family.metrics().put(labels, metric);
    }
    return metric;
  }

  private static String text(Metric.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /** A histogram has lines with names of its own. */
  private void requireNoOtherLines(Owner owner, String name, Metric.Kind kind) {
    for (String suffix : SUFFIXES) {
      if (kind == Metric.Kind.HISTOGRAM && families.containsKey(name + suffix)) {
        throw owner.refuse(
            name, "would have the lines of the metric '%s'".formatted(name + suffix));
      }
      if (name.endsWith(suffix)) {
        String histogram = name.substring(0, name.length() - suffix.length());
        Family other = families.get(histogram);
        if (other != null && other.kind() == Metric.Kind.HISTOGRAM) {
          throw owner.refuse(name, "has a name of the histogram '%s'".formatted(histogram));
        }
      }
    }
  }

  private boolean hasRoom(Owner owner, Metric metric) {
    int all = lines.getOrDefault(owner.backend(), 0) + lines(metric);
    if (all <= MAX_LINES) {
      lines.put(owner.backend(), all);
      return true;
    }
    warned.putIfAbsent(owner.backend(), false);
    return false;
  }

  private static int lines(Metric metric) {
    return metric instanceof Histogram histogram ? histogram.bounds().length + 3 : 1;
  }

  /** Notes that a version of a model is to be loaded; once for each {@link #end}. */
  public synchronized void begin(String backend, String model, long version) {
    open.merge(labels(backend, model, version), 1, Integer::sum);
  }

  /** Notes that a version is closed, or could not be loaded: its metrics are gone with the last. */
  public synchronized void end(String backend, String model, long version) {
    Map<String, String> labels = labels(backend, model, version);
    if (open.getOrDefault(labels, 0) > 1) {
      open.merge(labels, -1, Integer::sum);
      return;
    }
    open.remove(labels);
    families
        .values()
        .forEach(family ->
            family
                .metrics()
                .entrySet()
                .removeIf(each -> {
                  boolean isOf = each.getKey().entrySet().containsAll(labels.entrySet());
                  if (isOf) {
                    lines.merge(backend, -lines(each.getValue()), Integer::sum);
                  }
                  return isOf;
                }));
    families.values().removeIf(family -> family.metrics().isEmpty());
  }

  private static Map<String, String> labels(String backend, String model, long version) {
    return Map.of("backend", backend, "model", model, "version", Long.toString(version));
  }

  /** All metrics, by name. */
  public synchronized List<MetricFamily> families() {
    List<MetricFamily> all = new ArrayList<>();
    families.forEach((name, family) -> {
      List<MetricFamily.Sample> samples = new ArrayList<>();
      family
          .metrics()
          .forEach((labels, metric) -> samples.add(new MetricFamily.Sample(labels, metric)));
      all.add(new MetricFamily(family.kind(), name, family.help(), samples));
    });
    return all;
  }
}
