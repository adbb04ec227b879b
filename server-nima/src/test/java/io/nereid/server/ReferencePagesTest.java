package io.nereid.server;

import static java.util.Comparator.comparing;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.faults.Fault;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The pages of options, metrics and faults are what there is. An option or a metric that a release
 * has had may not vanish or be renamed but as docs/releasing.md says.
 */
@Timeout(120)
class ReferencePagesTest {
  private static final String OPTIONS =
      """
      # Options

      Made of what `--help` prints, by `ReferencePagesTest`. A name may be shortened as long as it is the beginning of one only. Where to begin is in
      [operations](operations.md), what each limit protects in [limits](limits.md).
      """;

  private static final String METRICS =
      """
      # Metrics

      Made of a metrics page, by `ReferencePagesTest`. What to look at first is in [observe](observe.md#metrics). A server has those of its configuration: of the
      response cache, the access log and summaries only if it has these; here are not those of GPUs, of certificates and of a model's use of the cache.

      | metric | type | labels | |
      | --- | --- | --- | --- |
      """;

  private static final String FAULTS =
      """
      # Faults that the TCK sees

      Each is planted into a good server by a proxy, and fails the rule (`make server-faults`). Made of
      [the table](../server-nima/src/test/resources/io/nereid/server/faults/server-faults.tsv) by `ReferencePagesTest`.

      |rule|fault|
      |---|---|
      """;

  /**
   * The page in the repository is the one made now, which is left in {@code target} to be copied.
   */
  private static void assertPage(String name, String page) throws IOException {
    Files.writeString(Path.of("target", name), page);
    assertThat(page).isEqualTo(Files.readString(Path.of("..", "docs", name)));
  }

  private static String cell(String... text) {
    return String.join(" ", text).strip().replace("|", "\\|").replace("<", "\\<");
  }

  @Test
  void optionsAreThoseOfThePage() throws IOException {
    var page = new StringBuilder(OPTIONS);
    Map<String, CommandLine> commands = new TreeMap<>(Main.commandLine().getSubcommands());
    CommandSpec serve = requireNonNull(commands.remove("serve")).getCommandSpec();
    commands.values().removeIf(command -> command.getCommandSpec().usageMessage().hidden());
    topics(serve)
        .forEach((topic, options) ->
            page.append("\n## ").append(topic).append("\n\n").append(table(options)));
    commands.forEach((name, command) -> {
      page.append("\n## The command `").append(name).append("`\n\n");
      List<OptionSpec> own = new ArrayList<>(command.getCommandSpec().options());
      var shared =
          own.stream()
              .map(OptionSpec::longestName)
              .filter(serve.optionsMap()::containsKey)
              .toList();
      own.removeIf(option -> shared.contains(option.longestName()));
      if (shared.size() == serve.options().size()) {
        page.append("All options of `serve`.\n");
      } else if (!shared.isEmpty()) {
        page.append("Of `serve`: `").append(String.join("`, `", shared)).append("`.\n");
      }
      if (!own.isEmpty()) {
        page.append(shared.isEmpty() ? "" : "\n").append(table(own));
      }
    });

    assertPage("options.md", page.toString());
  }

  /** The options of the command in the order and by the headings of its help. */
  private static Map<String, List<OptionSpec>> topics(CommandSpec command) {
    Map<String, List<OptionSpec>> topics = new LinkedHashMap<>();
    List<OptionSpec> others = new ArrayList<>(command.options());
    topics.put("General", others);
    for (CommandSpec mixin : command.mixins().values()) {
      mixin
          .mixins()
          .forEach((heading, topic) -> {
            topics.put(heading, topic.options());
            others.removeAll(topic.options());
          });
    }
    return topics;
  }

  private static String table(List<OptionSpec> options) {
    return options.stream()
        .filter(option -> !option.hidden())
        .sorted(comparing(OptionSpec::longestName))
        .map(option ->
            "| `%s` | %s |\n"
                .formatted(
                    String.join("`, `", option.names()) + value(option),
                    cell(option.description())))
        .collect(joining("", "| option | |\n| --- | --- |\n", ""));
  }

  private static String value(OptionSpec option) {
    return option.arity().max() == 0 ? "" : " " + option.paramLabel();
  }

  @Test
  void faultsOfServersAreThoseOfThePage() throws IOException {
    Map<String, List<String>> sentences = new LinkedHashMap<>();
    for (Fault fault : Fault.all()) {
      sentences.computeIfAbsent(fault.rule(), _ -> new ArrayList<>()).add(fault.sentence());
    }
    var page = new StringBuilder(FAULTS);
    sentences.forEach(
        (rule, faults) -> page.append("|%s|%s|\n".formatted(rule, cell(String.join(" ", faults)))));

    assertPage("tck-faults.md", page.toString());
  }

  @Test
  void metricsAreThoseOfThePage(@TempDir Path directory) throws IOException {
    var options =
        LocalServer.options(
            Path.of("..", "examples", "models"),
            "--model-control-mode=explicit",
            "--load-model=simple",
            "--load-model=identity_fp32",
            "--cache-config=local,size=1048576",
            "--access-log=" + directory.resolve("access.log"),
            "--metrics-config=summary_latencies=true",
            "--metrics-config=histogram_latencies=true",
            "--allow-metrics=true",
            "--metrics-port=0");
    try (var server = new LocalServer(options, new CheckedBufferPool());
        var wire = new HttpWire(server.metrics())) {
      server.infer( // a histogram without values has no labels
          "identity_fp32",
          "{\"inputs\":[{\"name\":\"INPUT0\",\"shape\":[1],\"datatype\":\"FP32\",\"data\":[1]}]}");
      String text = wire.send("GET", "/metrics", new byte[0], Map.of()).text();

      assertPage(
          "metrics.md",
          Pattern.compile("# HELP (\\S+) (.*)\n# TYPE \\S+ (\\S+)")
              .matcher(text)
              .results()
              .map(each ->
                  "| `%s` | %s | %s | %s |\n"
                      .formatted(
                          each.group(1),
                          each.group(3),
                          labels(text, each.group(1)),
                          cell(each.group(2))))
              .sorted()
              .collect(joining("", METRICS, "")));
    }
  }

  /** The names of a metric's labels, but for those of its type. */
  private static String labels(String page, String metric) {
    return Pattern.compile("(?m)^%s(?:_bucket|_sum)?\\{(.*)\\} ".formatted(metric))
        .matcher(page)
        .results()
        .limit(1)
        .flatMap(sample -> Pattern.compile("(\\w+)=\"").matcher(sample.group(1)).results())
        .map(label -> label.group(1))
        .filter(label -> !label.equals("le") && !label.equals("quantile"))
        .map("`%s`"::formatted)
        .collect(joining(", "));
  }
}
