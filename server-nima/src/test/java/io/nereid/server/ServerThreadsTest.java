package io.nereid.server;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No failure ends a thread of the server: for each row of the table in {@code docs/architecture.md}
 * there is a test that throws an Error in the thread and sees its work go on, or a reason why there
 * is none.
 */
class ServerThreadsTest {
  private static final String PACKAGE = "io.nereid.server.";
  private static final String ENGINE_PACKAGE = "io.nereid.engine.";

  /** The tests, by how their rows begin. */
  private static final Map<String, String> TESTS =
      Map.ofEntries(
          entry(
              "one per connection of HTTP and metrics",
              "http.connection.FailedRequestsOverHttpTest"
                  + "#aRequestWhoseHandlerThrowsHasAResponseAndALineInTheLog"),
          entry(
              "the acceptors of HTTP and metrics",
              "http.connection.FailedRequestsOverHttpTest"
                  + "#aListenerThatHasEndedByItselfIsStartedAnew"),
          entry(
              "`read-ahead`", "http.message.ReadAheadTest#aReadThatThrowsAnErrorCancelsTheRequest"),
          entry(
              "`grpc health`",
              "grpc.control.HealthCallsTest#clientsAreToldOfChangesBehindAnErrorOfALook"),
          entry("`load meter`", "utilization.LoadMeterTest#goesOnBehindAnErrorOfAModel"),
          entry(
              "`connection monitor`",
              "http.connection.DisconnectMonitorTest#goesOnBehindAnErrorAndLogsItOnce"),
          entry(
              "`metrics page`",
              "metrics.SharedPageTest#anErrorIsThatOfTheClientsThatWaitAndOfNoOther"),
          entry(
              "`long work <n>`", "codec.LongWorkTest#anErrorOfATaskEndsNoOtherAndTakesNoTurnAway"),
          entry(
              "gRPC's event loops",
              "grpc.connection.EventLoopsTest#aThreadGoesOnBehindAnErrorOfATask"),
          entry("`Repository…`", "grpc.control.RepositoryCallsTest#respondsToALoadThatFailsByABug"),
          entry(
              "`instance <name>`",
              "execution.InstanceThreadTest#aBatchThatCannotBeBegunFailsAndTheNextOneIsExecuted"),
          entry(
              "`model operation <n>`",
              "model.control.lifecycle.FailingBackendTest"
                  + "#anErrorOfTheBackendFailsTheLoadAndLeavesNothingOpen"),
          entry(
              "`model loader <n>`",
              "model.control.lifecycle.FailingBackendTest"
                  + "#anErrorOfTheBackendFailsTheLoadAndLeavesNothingOpen"),
          entry(
              "`model closer <name>`",
              "model.control.lifecycle.FailingBackendTest"
                  + "#anErrorWhileAModelClosesEndsLikeAnyFailure"),
          entry(
              "`model close <n>`",
              "model.control.lifecycle.BackendCloseCallsTest#aModelWhoseCloseThrowsIsUnloaded"),
          entry(
              "`health of <model>`, `memory usage of <model>`",
              "model.control.lifecycle.BackendCloseCallsTest"
                  + "#theStatisticsOfAModelLackWhatItDoesNotTell"),
          entry(
              "`memory of <model>`",
              "backend.GuardedBackendTest#anAllocationThatReturnsNullOrThrowsIsAFailure"),
          entry(
              "`batching of <model>`",
              "model.control.lifecycle.BackendExecutionCallsTest"
                  + "#aStrategyThatDoesNotReturnHoldsUpNoThreadOfOthers"),
          entry(
              "`stop of <backend>`, `shared device memory`",
              "model.control.lifecycle.BackendCloseCallsTest#theStopOfAServerGoesOn"),
          entry(
              "`execution watch`",
              "thread.ThreadGuardTest#aThreadRunsItsWorkAgainBehindAnErrorUntilItIsClosed"),
          entry("`repository poll`", "model.control.RepositoryWatchTest#goesOnBehindAnError"),
          entry(
              "`server warm-up`",
              "warmup.ServerWarmupTest#theServerStartsAndAnErrorIsALineOfTheLog"),
          entry("`gpu metrics`", "metrics.gpu.GpuMetricsRunnerTest#readsOnBehindAnError"),
          entry(
              "`trim`",
              "thread.ThreadGuardTest#aThreadRunsItsWorkAgainBehindAnErrorUntilItIsClosed"),
          entry("`access log`", "telemetry.access.AccessLogTest#goesOnBehindAnError"),
          entry("`trace writer`", "telemetry.trace.file.TraceWriterTest#goesOnBehindAnError"),
          entry(
              "`scheduler journal`",
              "scheduling.journal.SchedulerJournalTest"
                  + "#modelsLoadAndTheServerStopsBehindAnErrorOfTheThread"),
          entry("`certificate watch`", "security.CertificateWatchTest#goesOnBehindAnError"),
          entry("`clock`", "scheduling.SystemClockTest#otherAlarmsRunBehindOneThatThrowsAnError"));

  /** The rows of threads without a test, and why. */
  private static final Map<String, String> WITHOUT_TEST =
      Map.of(
          "`java model <instance> <n>`", "what a model throws is the failure of its request",
          "`texts <instance> <n>`", "what is thrown is the failure of its request",
          "threads of TensorRT", "run no code of the server but the lines of a log",
          "the JVM's common pool", "replaces a thread that ends",
          "`main`", "a failure ends the start, and the process with status 1",
          "`shutdown`, `closer`", "a failure ends the process with status 1");

  static List<String> tests() {
    return TESTS.values().stream().distinct().toList();
  }

  /** The first cells of the table's rows. */
  private static List<String> rows() throws IOException {
    String page = Files.readString(Path.of("../docs/architecture.md"));
    int start = page.indexOf("## Threads");
    String section = page.substring(start, page.indexOf("\n## ", start + 1));
    return Pattern.compile("^\\| (.+?) \\|", Pattern.MULTILINE)
        .matcher(section)
        .results()
        .map(row -> row.group(1))
        .filter(cell -> !cell.equals("thread") && !cell.startsWith("---"))
        .toList();
  }

  @Test
  void everyRowOfTheTableHasATestOrAReason() throws IOException {
    for (String row : rows()) {
      assertThat(
              TESTS.keySet().stream().anyMatch(row::startsWith)
                  || WITHOUT_TEST.keySet().stream().anyMatch(row::startsWith))
          .as("a test for the thread: %s", row)
          .isTrue();
    }
  }

  @Test
  void everyTestIsForARowOfTheTable() throws IOException {
    List<String> rows = rows();

    assertThat(TESTS.keySet())
        .allSatisfy(name -> assertThat(rows).anyMatch(row -> row.startsWith(name)));
    assertThat(WITHOUT_TEST.keySet())
        .allSatisfy(name -> assertThat(rows).anyMatch(row -> row.startsWith(name)));
  }

  @ParameterizedTest
  @MethodSource("tests")
  void theTestsExist(String test) throws ReflectiveOperationException {
    String[] parts = test.split("#", -1);

    assertThat(named(parts[0]).getDeclaredMethods())
        .filteredOn(ServerThreadsTest::isTest)
        .extracting(Method::getName)
        .contains(parts[1]);
  }

  /** A class of tests of the server, or of the engine. */
  private static Class<?> named(String name) throws ReflectiveOperationException {
    try {
      return Class.forName(PACKAGE + name);
    } catch (ClassNotFoundException _) {
      return Class.forName(ENGINE_PACKAGE + name);
    }
  }

  private static boolean isTest(Method method) {
    return Arrays.stream(method.getAnnotations())
        .anyMatch(annotation ->
            annotation.annotationType().equals(Test.class)
                || annotation.annotationType().equals(ParameterizedTest.class));
  }
}
