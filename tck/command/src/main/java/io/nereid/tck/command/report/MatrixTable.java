package io.nereid.tck.command.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.tck.support.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How many rules passed, failed and were skipped in each of several runs, by area and level, as a
 * table of Markdown.
 */
public final class MatrixTable {
  private static final String ALL = "all";
  private static final List<String> LEVELS = List.of("required", "optional");
  private static final List<Verdict> VERDICTS =
      List.of(Verdict.PASSED, Verdict.FAILED, Verdict.SKIPPED);

  /** How many rules of an area and a level have a verdict in a run. */
  private record Count(int run, String area, String level, String verdict) {}

  private final Map<Count, Integer> counts = new LinkedHashMap<>();

  private MatrixTable() {}

  /** The table of runs that are the texts of {@link JsonReport}. */
  public static String of(List<String> results) {
    List<Map<?, ?>> runs = new ArrayList<>();
    results.forEach(result -> runs.add(Json.object(result.getBytes(UTF_8))));
    var table = new MatrixTable();
    for (int run = 0; run < runs.size(); run++) {
      for (Object rule : Json.list(runs.get(run), "rules")) {
        table.add(run, rule);
      }
    }
    Stream<String> titles = runs.stream().map(MatrixTable::title);
    Stream<String> lines = Collections.nCopies(runs.size(), "---").stream();
    return Stream.of(
            Stream.of(row("passed / failed / skipped", titles), row("---", lines)),
            table.rows(runs.size()))
        .flatMap(rows -> rows)
        .collect(Collectors.joining("\n"));
  }

  private void add(int run, Object rule) {
    for (String area : List.of(ALL, Json.string(rule, "area"))) {
      var count = new Count(run, area, Json.string(rule, "level"), Json.string(rule, "verdict"));
      counts.merge(count, 1, Integer::sum);
    }
  }

  private Stream<String> rows(int runs) {
    List<String> areas = counts.keySet().stream().map(Count::area).distinct().toList();
    return areas.stream()
        .flatMap(area ->
            LEVELS.stream().filter(level -> has(area, level)).map(level -> row(area, level, runs)));
  }

  private boolean has(String area, String level) {
    return counts.keySet().stream()
        .anyMatch(count -> count.area().equals(area) && count.level().equals(level));
  }

  private String row(String area, String level, int runs) {
    Stream<Integer> numbers = Stream.iterate(0, run -> run + 1).limit(runs);
    return row(
        area + ", " + level,
        numbers.map(run ->
            VERDICTS.stream()
                .map(verdict -> new Count(run, area, level, verdict.word()))
                .map(count -> Integer.toString(counts.getOrDefault(count, 0)))
                .collect(Collectors.joining(" / "))));
  }

  private static String row(String first, Stream<String> others) {
    return Stream.concat(Stream.of(first), others).collect(Collectors.joining(" | ", "| ", " |"));
  }

  private static String title(Map<?, ?> run) {
    Object server = Json.member(run, "server");
    return new ReportedServer(
            Json.string(server, "name"),
            Json.string(server, "version"),
            List.of(),
            Json.string(server, "address"))
        .title();
  }
}
