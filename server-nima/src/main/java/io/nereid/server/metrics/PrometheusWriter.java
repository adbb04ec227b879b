package io.nereid.server.metrics;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.SortedMap;

/**
 * Writes metrics in Prometheus' text format: the head of a family, then its samples, each with its
 * labels sorted by name.
 */
final class PrometheusWriter {
  private final StringBuilder text = new StringBuilder();
  private String family = "";

  /** Begins a family of counters; {@code help} is one line without escapes. */
  void counter(String name, String help) {
    family("counter", name, help);
  }

  /** Begins a family of gauges. */
  void gauge(String name, String help) {
    family("gauge", name, help);
  }

  /** Writes a family of one gauge without labels. */
  void gauge(String name, String help, BigDecimal value) {
    gauge(name, help);
    sample(Collections.emptySortedMap(), value);
  }

  void gauge(String name, String help, long value) {
    gauge(name, help, BigDecimal.valueOf(value));
  }

  /** Begins a family of histograms. */
  void histogram(String name, String help) {
    family("histogram", name, help);
  }

  /** Begins a family of summaries. */
  void summary(String name, String help) {
    family("summary", name, help);
  }

  private void family(String type, String name, String help) {
    family = name;
    text.append("# HELP ").append(name).append(' ').append(help).append('\n');
    text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
  }

  /** Writes a sample of the family that was begun last. */
  void sample(SortedMap<String, String> labels, long value) {
    sample("", labels, Long.toString(value));
  }

  void sample(SortedMap<String, String> labels, BigDecimal value) {
    sample("", labels, value.toPlainString());
  }

  /** Writes a sample whose name is that of the family with a suffix. */
  void sample(String suffix, SortedMap<String, String> labels, String value) {
    text.append(family).append(suffix);
    String separator = "{";
    for (var label : labels.entrySet()) {
      text.append(separator).append(label.getKey()).append("=\"");
      escaped(label.getValue());
      text.append('"');
      separator = ",";
    }
    text.append(labels.isEmpty() ? " " : "} ").append(value).append('\n');
  }

  private void escaped(String value) {
    for (int i = 0; i < value.length(); i++) {
      char found = value.charAt(i);
      switch (found) {
        case '\\' -> text.append("\\\\");
        case '"' -> text.append("\\\"");
        case '\n' -> text.append("\\n");
        default -> text.append(found);
      }
    }
  }

  String text() {
    return text.toString();
  }
}
