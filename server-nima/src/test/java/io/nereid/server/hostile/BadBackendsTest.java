package io.nereid.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.engine.model.control.lifecycle.HostileBackend;
import io.nereid.engine.model.control.lifecycle.SpiCall;
import io.nereid.engine.model.control.lifecycle.SpiCall.Deed;
import io.nereid.engine.model.control.lifecycle.SpiCall.When;
import io.nereid.server.support.ServerProcess;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A backend that breaks its contract in one call, in the process of a server, beside steady good
 * requests. {@code -Dnereid.bad.backends=} selects cases by a pattern, prints a table, and holds
 * latencies to their limit; the build runs one case, in which no latency counts.
 */
@Timeout(180)
class BadBackendsTest {
  private static final String CASES = System.getProperty("nereid.bad.backends", "");
  private static final boolean IS_CAMPAIGN = !CASES.isEmpty();
  private static final String OF_THE_BUILD = "EXECUTE DOES_NOT_RETURN";
  private static final long STEADY_NANOS = TimeUnit.MILLISECONDS.toNanos(1_200);
  private static final double MAX_MILLIS = 100;

  /** Until server and clients are compiled as far as they must be. */
  private static final int WARM_REQUESTS = IS_CAMPAIGN ? 20 : 1;

  /** For requests; and five each for a load, the close of a model, and that of a backend. */
  private static final int EXIT_SECONDS = 3;

  private static final int MAX_EXIT_SECONDS = EXIT_SECONDS + 3 * 5 + 2;

  private static final String GOOD =
      """
      backend: "tck_echo"
      input { name: "INPUT0" data_type: TYPE_FP32 dims: 4 }
      output { name: "OUTPUT0" data_type: TYPE_FP32 dims: 4 }
      """;

  private static final String BAD =
      """
      backend: "hostile"
      input { name: "IN0" data_type: TYPE_FP32 dims: 4 }
      output { name: "OUT0" data_type: TYPE_FP32 dims: 4 }
      """;

  @TempDir private Path directory;

  static Stream<Arguments> cases() {
    var selected = Pattern.compile(IS_CAMPAIGN ? CASES : OF_THE_BUILD);
    return Arrays.stream(SpiCall.values())
        .flatMap(call ->
            Arrays.stream(Deed.values())
                .filter(call::can)
                .filter(deed -> selected.matcher(call + " " + deed).matches())
                .map(deed -> Arguments.of(call, deed)));
  }

  @BeforeAll
  static void printHead() {
    if (IS_CAMPAIGN) {
      System.out.println(
          "| call | it | max ms of "
              + String.join(" | ", SteadyRequests.WAYS)
              + " | SIGTERM: status, s | the operator sees |");
      System.out.println("|" + " --- |".repeat(SteadyRequests.WAYS.size() + 4));
    }
  }

  /** The configuration of the model with the bad backend. */
  private static String config(SpiCall call) {
    if (call.when() == When.BATCHING) {
      return BAD + "max_batch_size: 4 dynamic_batching { max_queue_delay_microseconds: 1000 }";
    }
    boolean isPipelined = call == SpiCall.DEPTH || call.when() == When.PIPELINE;
    return isPipelined
        ? BAD + "parameters { key: \"pipelined\" value { string_value: \"\" } }"
        : BAD;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void othersAreServedAndTheServerStopsInTime(SpiCall call, Deed deed) throws Exception {
    Path models = Files.createDirectory(directory.resolve("models"));
    ModelOnDisk.of(models, "good", GOOD);
    ModelOnDisk.of(models, "other", GOOD);
    ModelOnDisk.of(models, "bad", config(call));
    try (var server =
            ServerProcess.start(
                directory,
                models,
                List.of("-Dnereid.hostile=" + call + "," + deed),
                "--model-control-mode=explicit",
                "--load-model=good",
                "--allow-client-shm=true",
                "--exit-timeout-secs=" + EXIT_SECONDS);
        var steady = new SteadyRequests(server.httpPort(), server.grpcPort());
        var bad = new BadClients(server.httpPort(), server.grpcPort())) {
      if (call.when() != When.LOAD) {
        assertThat(bad.post("/v2/repository/models/bad/load", "").status()).isEqualTo(200);
      }
      assertOthersAreServed(bad);
      steady.countBehind(WARM_REQUESTS);
      bad.reach(call);
      if (call.when() != When.STOP) {
        var _ = server.awaitLine(HostileBackend.REACHED + call);
      }
      long begin = System.nanoTime();
      do {
        assertOthersAreServed(bad);
      } while (IS_CAMPAIGN && System.nanoTime() - begin < STEADY_NANOS);
      steady.stop();
      assertThat(steady.failures()).isEmpty();
      String seen = whatTheOperatorSees(bad, server);
      begin = System.nanoTime();
      server.terminate();
      int status = server.exitStatus();
      double seconds = (System.nanoTime() - begin) / 1e9;
      assertThat(server.log()).anyMatch(line -> line.contains(HostileBackend.REACHED + call));
      assertThat(status).isIn(0, 1);
      if (IS_CAMPAIGN) {
        print(call, deed, steady, "%d, %.1f".formatted(status, seconds), seen);
        assertThat(seconds).isLessThan(MAX_EXIT_SECONDS);
        requireLatencies(steady);
      }
    }
  }

  private static void assertOthersAreServed(BadClients client) {
    assertThat(client.post("/v2/repository/models/other/load", "").status()).isEqualTo(200);
    assertThat(client.infer("other").status()).isEqualTo(200);
    HttpWire.Response statistics = client.get("/v2/models/stats");
    assertThat(statistics.status()).as(statistics.text()).isEqualTo(200);
    assertThat(statistics.text()).contains("\"name\":\"good\"", "\"name\":\"other\"");
    assertThat(client.get("/v2/models/good/ready").status()).isEqualTo(200);
    assertThat(client.post("/v2/repository/models/other/unload", "").status()).isEqualTo(200);
  }

  /**
   * The state of the bad model in the index, and the last line of the log of a level above INFO.
   */
  private static String whatTheOperatorSees(BadClients client, ServerProcess server) {
    Object index = Json.parse(client.post("/v2/repository/index", "").body());
    String state =
        ((List<?>) index)
            .stream()
                .filter(model -> Json.member(model, "name").equals("bad"))
                .map(model -> Json.member(model, "state") + " " + reason(model))
                .collect(Collectors.joining());
    String line =
        server.log().stream()
            .filter(each -> each.matches("[EW]\\d{4} .*"))
            .map(each -> each.substring(each.indexOf(']') + 1))
            .reduce("", (_, last) -> last);
    return (state.strip() + (state.contains(line.strip()) ? "" : "; log:" + line))
        .replace('|', '/');
  }

  private static String reason(Object model) {
    return model instanceof Map<?, ?> members ? Objects.toString(members.get("reason"), "") : "";
  }

  private static void print(
      SpiCall call, Deed deed, SteadyRequests steady, String exit, String seen) {
    System.out.printf(
        "| %s | %s | %s | %s | %s |%n",
        call.method(),
        deed.name().toLowerCase(Locale.ROOT).replace('_', ' '),
        SteadyRequests.WAYS.stream()
            .map(way -> "%.0f".formatted(steady.maxMillis(way)))
            .collect(Collectors.joining(" | ")),
        exit,
        seen);
  }

  /** A machine that is busy delays an exchange between two threads of this process as much. */
  private static void requireLatencies(SteadyRequests steady) {
    double limit = MAX_MILLIS + steady.maxMillis(SteadyRequests.MACHINE);
    for (String way : SteadyRequests.WAYS) {
      assertThat(steady.maxMillis(way)).as("milliseconds of " + way).isLessThan(limit);
    }
  }
}
