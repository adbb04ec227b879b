package io.nereid.server.metrics.exposition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page in Prometheus' text format, version 0.0.4, parsed strictly: it fails on anything that the
 * format's description does not allow, on a family that is begun twice or has no HELP and TYPE, on
 * a sample that occurs twice, and on histograms whose buckets decrease.
 */
public final class ParsedPage {
  private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");
  private static final Pattern SAMPLE =
      Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (\\S+)");
  private static final Pattern LABEL =
      Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\n]|\\\\[\\\\\"n])*)\"(,|$)");

  /** A sample of a family. */
  public record Sample(String name, Map<String, String> labels, double value) {}

  private final Map<String, String> types = new LinkedHashMap<>();
  private final Map<String, List<Sample>> families = new LinkedHashMap<>();
  private final Set<String> helped = new HashSet<>();

  public ParsedPage(String text) {
    assertThat(text).endsWith("\n");
    String family = "";
    for (String line : text.substring(0, text.length() - 1).split("\n", -1)) {
      if (line.startsWith("# HELP ")) {
        String[] words = line.split(" ", 4);
        assertThat(words[2]).matches(NAME);
        assertThat(words[3]).as("help of %s", words[2]).isNotBlank();
        assertThat(helped.add(words[2])).as("second HELP of %s", words[2]).isTrue();
      } else if (line.startsWith("# TYPE ")) {
        String[] words = line.split(" ", -1);
        assertThat(words).as(line).hasSize(4);
        family = words[2];
        assertThat(helped).as("TYPE without HELP: %s", family).contains(family);
        assertThat(words[3]).isIn("counter", "gauge", "histogram", "summary");
        assertThat(types.put(family, words[3])).as("second TYPE of %s", family).isNull();
        families.put(family, new ArrayList<>());
      } else {
        add(family, line);
      }
    }
    assertThat(types.keySet()).as("HELP without TYPE").containsAll(helped);
    types.forEach((name, type) -> check(type, Objects.requireNonNull(families.get(name))));
  }

  private void add(String family, String line) {
    Matcher sample = SAMPLE.matcher(line);
    assertThat(sample.matches()).as("sample: %s", line).isTrue();
    String type = types.getOrDefault(family, "");
    List<String> names =
        switch (type) {
          case "histogram" -> List.of(family + "_bucket", family + "_sum", family + "_count");
          case "summary" -> List.of(family, family + "_sum", family + "_count");
          default -> List.of(family);
        };
    assertThat(sample.group(1)).as("sample outside of its family: %s", line).isIn(names);
    Objects.requireNonNull(families.get(family))
        .add(new Sample(sample.group(1), labels(line, sample.group(2)), value(sample.group(3))));
  }

  private static Map<String, String> labels(String line, String text) {
    Map<String, String> labels = new TreeMap<>();
    if (text == null) {
      return labels;
    }
    Matcher label = LABEL.matcher(text);
    int end = 0;
    while (label.find() && label.start() == end) {
      assertThat(labels.put(label.group(1), label.group(2))).as("label twice: %s", line).isNull();
      end = label.end();
    }
    assertThat(end).as("labels: %s", line).isEqualTo(text.length());
    return labels;
  }

  private static double value(String text) {
    return text.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
  }

  private static void check(String type, List<Sample> samples) {
    Set<List<Object>> seen = new HashSet<>();
    for (Sample sample : samples) {
      assertThat(seen.add(List.of(sample.name(), sample.labels())))
          .as("twice: %s", sample)
          .isTrue();
      if (type.equals("counter")) {
        assertThat(sample.value()).as(sample.toString()).isNotNegative();
      }
    }
    if (type.equals("histogram")) {
      checkHistograms(samples);
    }
  }

  private static void checkHistograms(List<Sample> samples) {
    double bound = Double.NEGATIVE_INFINITY;
    double count = 0;
    for (Sample sample : samples) {
      if (sample.name().endsWith("_bucket")) {
        double next = value(Objects.requireNonNull(sample.labels().get("le")));
        assertThat(next).as("bounds ascend: %s", sample).isGreaterThan(bound);
        assertThat(sample.value()).as("counts ascend: %s", sample).isGreaterThanOrEqualTo(count);
        bound = next;
        count = sample.value();
      } else if (sample.name().endsWith("_count")) {
        assertThat(bound).as("the last bucket has all: %s", sample).isInfinite();
        assertThat(sample.value()).as(sample.toString()).isEqualTo(count);
        bound = Double.NEGATIVE_INFINITY;
        count = 0;
      }
    }
  }

  /** The types of the families. */
  public Map<String, String> types() {
    return Map.copyOf(types);
  }

  /** The samples of a family. */
  public List<Sample> samples(String family) {
    return List.copyOf(families.getOrDefault(family, List.of()));
  }

  /** The value of the only sample of a family. */
  public double value(String family, Map<String, String> labels) {
    return samples(family).stream()
        .filter(sample -> sample.labels().equals(labels))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no %s%s".formatted(family, labels)))
        .value();
  }
}
