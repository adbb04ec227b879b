package io.nereid.server.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.nereid.client.NereidClient;
import io.nereid.server.NereidCommand;
import io.nereid.server.NereidServer;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.Thread.UncaughtExceptionHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command {@code bench}, of a server by both protocols. */
@Timeout(120)
class BenchCommandTest {
  private static final Path EXAMPLES = Path.of("..", "examples", "models");

  @TempDir private static Path repository;

  private static NereidServer server;

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws IOException {
    ColumnModel.in(repository);
    ColumnModel.strictIn(repository);
    server =
        NereidServer.builder()
            .repository(repository)
            .repository(EXAMPLES)
            .withoutMetrics()
            .http(0)
            .grpc(0)
            .option("http-address", "127.0.0.1")
            .option("grpc-address", "127.0.0.1")
            .option("server-warmup", "0")
            .option("backend-config", "java,allow=true")
            .start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String url(String scheme) {
    int port = scheme.equals("grpc") ? server.grpcPort() : server.httpPort();
    return "%s://127.0.0.1:%d".formatted(scheme, port);
  }

  private int bench(String model, String scheme, String... options) {
    List<String> words =
        new ArrayList<>(
            List.of("bench", model, "--server", url(scheme), "--seconds=0.3", "--warmup=0.1"));
    words.addAll(List.of(options));
    return NereidCommand.run(out, err, words.toArray(String[]::new));
  }

  private JsonObject report() throws IOException {
    return JsonParser.parseString(Files.readString(folder.resolve("report.json")))
        .getAsJsonObject();
  }

  private String toReport() {
    return "--report=" + folder.resolve("report.json");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void closedAndOpenLoopsOfDataFromMetadataAreMeasured(String scheme) throws IOException {
    int status = bench("columns", scheme, "--batch=2", "--inflight=1,3", "--rate=50", toReport());

    assertThat(status).as("%s%s", out, err).isZero();
    assertThat(out.toString().lines().toList()).hasSize(4).first().asString().contains("p99.9 ms");
    JsonObject report = report();
    assertThat(report.get("model").getAsString()).isEqualTo("columns");
    assertThat(report.get("rows_of_request").getAsInt()).isEqualTo(2);
    List<JsonElement> runs = report.getAsJsonArray("runs").asList();
    assertThat(runs)
        .extracting(run -> run.getAsJsonObject().get("loop").getAsString())
        .containsExactly("closed", "closed", "open");
    assertThat(runs)
        .extracting(run -> run.getAsJsonObject().get("in_flight").getAsInt())
        .containsExactly(1, 3, 256);
    for (JsonElement each : runs) {
      JsonObject run = each.getAsJsonObject();
      assertThat(run.get("failed").getAsInt()).isZero();
      assertThat(run.get("requests").getAsInt()).isPositive();
      assertThat(run.get("batch_rows").getAsDouble()).isEqualTo(2);
      assertThat(run.get("p50_ms").getAsDouble())
          .isPositive()
          .isLessThanOrEqualTo(run.get("p99_9_ms").getAsDouble());
      assertThat(run.get("compute_ms").getAsDouble()).isPositive();
    }
    assertThat(report.has("saturation")).isFalse();
  }

  @Test
  void withoutOptionsSaturationIsFoundAndLoadsBelowItAreMeasured() throws IOException {
    assertThat(bench("simple", "http", "--max-inflight=2", toReport()))
        .as("%s%s", out, err)
        .isZero();

    JsonObject report = report();
    double rate = report.getAsJsonObject("saturation").get("requests_per_s").getAsDouble();
    assertThat(rate).isPositive();
    List<JsonElement> runs = report.getAsJsonArray("runs").asList();
    assertThat(runs).hasSize(5);
    assertThat(runs.get(2).getAsJsonObject().get("offered_per_s").getAsDouble())
        .isCloseTo(rate / 2, within(0.1));
    assertThat(out.toString().lines().toList())
        .last()
        .asString()
        .contains("saturated at ", " with ");
  }

  @Test
  void rowsOfAFileAreSentInTurn() throws IOException {
    Path csv = folder.resolve("rows.csv");
    Files.writeString(csv, "age,city\n1,a\n2,b\n3,c\n");

    assertThat(bench("columns", "grpc", "--csv=" + csv, "--inflight=2"))
        .as("%s%s", out, err)
        .isZero();
    assertThat(out.toString().lines()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"http, HTTP status 400: {", "grpc, gRPC status INVALID_ARGUMENT: "})
  void theFirstFailureIsShownAsTheServerSaysIt(String scheme, String begin) throws IOException {
    Path csv = folder.resolve("rows.csv");
    Files.writeString(csv, "age,city\n1,a\n2,B52\n");

    assertThat(bench("columns", scheme, "--csv=" + csv, "--inflight=1")).isOne();
    assertThat(out.toString())
        .contains("requests failed, the first: " + begin)
        .contains("no city 'B52'");
  }

  /** The second row, of more than are sent, is due in the warm-up. */
  @Test
  void aFailureOfTheWarmUpIsNoneOfTheMeasurement() throws IOException {
    Path csv = folder.resolve("rows.csv");
    Files.writeString(csv, "age,city\n1,a\n2,B52\n" + "3,c\n".repeat(1000));

    assertThat(bench("columns", "http", "--csv=" + csv, "--rate=100", "--warmup=1"))
        .as("%s%s", out, err)
        .isZero();
    assertThat(out.toString())
        .contains("  1 requests of the warm-up failed, the first: HTTP status 400: {");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "columns|--inflight=0|2|nereid: --inflight must be 1 or more, got [0]",
        "columns|--rate=0|2|nereid: --rate must be above 0, got [0.0]",
        "columns|--shape=x=2|2|nereid: --shape: model 'columns' has no input 'x'; it has age, city",
        "columns|--shape=age=2|2|nereid: --shape: got [2] for the input 'age' of the shape [-1, 1]",
        "columns|--shape=age=a|2|nereid: --shape: expected age=<d1,d2>, got 'a'",
        "columns|--batch=3|1|nereid: infer of model 'columns' at http",
        "nothing|--batch=1|1|nereid: metadata of model 'nothing' at http",
      })
  void whatIsWrongIsSaidBeforeALoadBegins(
      String model, String option, int status, String sentence) {
    assertThat(bench(model, "http", option)).as(err.toString()).isEqualTo(status);
    assertThat(err.toString()).startsWith(sentence).hasLineCount(1);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aBatchOfMoreRowsThanTheFileHasIsRefused() throws IOException {
    Path csv = folder.resolve("rows.csv");
    Files.writeString(csv, "age,city\n1,A\n2,B\n");

    assertThat(bench("columns", "http", "--csv=" + csv, "--batch=3")).isEqualTo(2);
    assertThat(err.toString())
        .isEqualTo(
            "nereid: --batch is 3, and the file has 2 rows: requests of it would have no more%n"
                .formatted());
    assertThat(bench("columns", "http", "--csv=" + csv, "--batch=2", "--inflight=1")).isZero();
  }

  @Test
  void textsThatAModelDoesNotTakeAreSaidToBeMadeUp() {
    assertThat(bench("strict", "http", "--inflight=1")).isOne();
    assertThat(err.toString())
        .contains(": no city '", "; its texts were made up: --csv or --json gives rows to send");
  }

  private static long answered(String model) {
    try (NereidClient client = NereidClient.connect(url("http"))) {
      return client.models().statistics(model).getFirst().inferenceCount();
    }
  }

  /** Interrupts it after a number of requests, and returns its status. */
  private int stopped(String... options) throws InterruptedException {
    AtomicInteger status = new AtomicInteger(-1);
    Thread command = new Thread(() -> status.set(bench("simple", "http", options)));
    long first = answered("simple");
    command.start();
    while (answered("simple") < first + 20) {
      Thread.onSpinWait();
    }
    command.interrupt();
    command.join();
    return status.get();
  }

  @Test
  void whatIsStoppedPrintsWhatItHasMeasured() throws Exception {
    assertThat(stopped("--inflight=1", "--seconds=600", "--warmup=0", toReport())).isOne();
    assertThat(out.toString().lines().toList())
        .hasSize(3)
        .last()
        .asString()
        .contains("stopped after 0.");
    assertThat(err.toString()).isEqualTo("nereid: interrupted%n".formatted());
    JsonElement run = report().getAsJsonArray("runs").get(0);
    assertThat(run.getAsJsonObject().get("requests").getAsInt()).isPositive();
  }

  @Test
  void aWarmUpThatIsStoppedEndsQuietly() throws Exception {
    List<Throwable> uncaught = new CopyOnWriteArrayList<>();
    UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((_, thrown) -> uncaught.add(thrown));
    try {
      assertThat(stopped("--inflight=1", "--warmup=600", toReport())).isOne();
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
    assertThat(uncaught).isEmpty();
    assertThat(out.toString().lines()).hasSize(1);
    assertThat(report().getAsJsonArray("runs")).isEmpty();
  }

  @Test
  void theHelpSaysWhatEachColumnIs() {
    assertThat(bench("simple", "http", "--inflight=1")).as(err.toString()).isZero();
    String header = out.toString().lines().findFirst().orElseThrow();
    out.getBuffer().setLength(0);

    assertThat(NereidCommand.run(out, err, "bench", "--help")).isZero();
    assertThat(out.toString())
        .contains("  p50 ms to p99.9 ms    latency that so many % of the requests did not exceed")
        .contains(Stream.of(header.split(" {2,}")).filter(each -> !each.startsWith("p")).toList());
  }

  @Test
  void aFolderHasNoServerToMeasure() {
    assertThat(NereidCommand.run(out, err, "bench", "./model")).isEqualTo(2);
    assertThat(err.toString())
        .isEqualTo("nereid: bench measures a server: ./nereid serve starts one%n".formatted());
  }
}
