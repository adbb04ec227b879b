package io.nereid.tck.repository;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A model that was loaded, or failed to load. */
final class PlainModel {
  /** Reasons of versions that are unavailable, and "" for those that are ready. */
  private final Map<Long, String> versions = new TreeMap<>();

  PlainConfig config = new PlainConfig("");
  boolean overridden;
  boolean failed;
  Map<String, Long> files = Map.of();
  long inferences;

  boolean isReady() {
    return versions.containsValue("");
  }

  boolean isReady(long version) {
    return "".equals(versions.get(version));
  }

  long newest() {
    return ready().getLast();
  }

  List<Long> ready() {
    return versions.keySet().stream().filter(this::isReady).toList();
  }

  /** Replaces what serves. */
  void serve(Collection<Long> selected, boolean keepsOthers) {
    if (!keepsOthers) {
      unload();
    }
    versions.values().removeIf(reason -> !reason.isEmpty() && !reason.equals("unloaded"));
    selected.forEach(version -> versions.put(version, ""));
  }

  void fail(Collection<Long> selected, String reason) {
    selected.forEach(version -> versions.put(version, reason));
  }

  void unload() {
    versions.replaceAll((_, reason) -> reason.isEmpty() ? "unloaded" : reason);
  }

  boolean isKnown(long version) {
    return versions.containsKey(version);
  }

  /** The rows of the index. */
  String rows(String name, boolean readyOnly, Defect defect) {
    return versions.keySet().stream()
        .filter(version -> !readyOnly || isReady(version) || defect == Defect.IGNORES_READY)
        .sorted((one, other) ->
            defect == Defect.SORTS_VERSIONS_AS_TEXT
                ? one.toString().compareTo(other.toString())
                : one.compareTo(other))
        .map(version -> row(name, version, defect))
        .collect(Collectors.joining(","));
  }

  private String row(String name, long version, Defect defect) {
    String reason = versions.getOrDefault(version, "");
    return "{\"name\":\"%s\",\"version\":\"%d\",\"state\":\"%s\"%s}"
        .formatted(
            name,
            version,
            reason.isEmpty() ? "READY" : "UNAVAILABLE",
            reason.isEmpty() || (failed && defect == Defect.HIDES_REASONS_OF_FAILURES)
                ? ""
                : ",\"reason\":\"" + reason + "\"");
  }
}
