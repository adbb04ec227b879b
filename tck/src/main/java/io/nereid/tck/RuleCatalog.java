package io.nereid.tck;

import java.lang.reflect.Method;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * All rules, read from {@code rules/*.tsv}: id, level, source and sentence, separated by tabs; an
 * untested rule has its reason in a fifth column. A line that begins with {@code #} is a comment.
 *
 * <p>Sources are public documents: the Open Inference Protocol of KServe, RFCs, the gRPC Health
 * Checking Protocol, files of the repositories {@code triton-inference-server/server}, {@code core}
 * and {@code common}, each by the repository's name and the path in it; or documents of this
 * repository: {@code docs/protocol.md}, which states where servers may differ from Triton, and the
 * Javadoc of {@code api-spi}.
 *
 * @param entries the rules by id, in the order of the files
 */
public record RuleCatalog(Map<String, Entry> entries) {
  private static final List<String> FILES =
      List.of(
          "http",
          "grpc",
          "repository",
          "statistics",
          "backend",
          "cache",
          "scheduler",
          "shared-memory");

  private static final Map<String, String> EXTENSIONS =
      TckFiles.text("rules/extensions.tsv")
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split("\t", -1))
          .collect(Collectors.toMap(columns -> columns[0], columns -> columns[1]));

  public RuleCatalog {
    entries = Collections.unmodifiableMap(entries);
  }

  /** How binding a rule is. */
  public enum Level {
    /** A server that violates it does not speak the protocol; a backend, the SPI. */
    REQUIRED,
    /** Of servers: what Triton does, in an extension or beside the protocol, or Nereid. */
    OPTIONAL,
    /** It holds, and no test verifies it; the catalog states why. */
    UNTESTED
  }

  /**
   * One rule.
   *
   * @param source the documents that state it, separated by {@code ", "}
   * @param reason why it has no test; empty if it has one
   */
  public record Entry(String id, Level level, String source, String sentence, String reason) {
    public Entry {
      if (id.isBlank() || source.isBlank() || sentence.isBlank()) {
        throw new IllegalArgumentException("a rule needs id, source and sentence: '" + id + "'");
      }
      if ((level == Level.UNTESTED) == reason.isBlank()) {
        throw new IllegalArgumentException(
            "rule %s: a reason belongs to an untested rule, and to no other".formatted(id));
      }
    }

    static Entry parse(String line) {
      String[] columns = line.split("\t", -1);
      if (columns.length != 4 && columns.length != 5) {
        throw new IllegalArgumentException("4 or 5 columns expected: " + line);
      }
      return new Entry(
          columns[0],
          Level.valueOf(columns[1]),
          columns[2],
          columns[3],
          columns.length == 5 ? columns[4] : "");
    }
  }

  /** The area of a rule: its id without the number, such as {@code HTTP-INFER}. */
  public static String areaOf(String id) {
    return id.replaceAll("-\\d+$", "");
  }

  /** The extension of the protocol that a rule is of, as server metadata names it, if it is. */
  public static Optional<String> extensionOf(String id) {
    return Optional.ofNullable(EXTENSIONS.get(areaOf(id)));
  }

  /** The ids of the rules that a test verifies; none if it is no test of rules. */
  public static List<String> rulesOf(Method test) {
    Rule rule = test.getAnnotation(Rule.class);
    if (rule != null) {
      return List.of(rule.value());
    }
    RuleCases cases = test.getAnnotation(RuleCases.class);
    if (cases != null) {
      return List.of(cases.value());
    }
    RuleTable table = test.getAnnotation(RuleTable.class);
    return table == null
        ? List.of()
        : RuleTableArguments.lines(table).map(line -> line.split(" ", 2)[0]).distinct().toList();
  }

  /** The ids of the rules that the tests nested in a class verify. */
  public static Set<String> rulesOf(Class<?> suite) {
    Set<String> rules = new HashSet<>();
    for (Class<?> nested : suite.getDeclaredClasses()) {
      for (Class<?> type = nested; type != null; type = type.getSuperclass()) {
        for (Method method : type.getDeclaredMethods()) {
          rules.addAll(rulesOf(method));
        }
      }
    }
    return rules;
  }

  /** The catalog that came with this jar. */
  public static RuleCatalog load() {
    return parse(
        FILES.stream()
            .map(file -> TckFiles.text("rules/" + file + ".tsv"))
            .collect(Collectors.joining("\n")));
  }

  static RuleCatalog parse(String text) {
    Map<String, Entry> entries = new LinkedHashMap<>();
    text.lines()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .map(Entry::parse)
        .forEach(entry -> {
          if (entries.put(entry.id(), entry) != null) {
            throw new IllegalArgumentException("rule " + entry.id() + " is listed twice");
          }
        });
    return new RuleCatalog(entries);
  }
}
