package io.nereid.junit.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.Tensor;
import io.nereid.junit.NereidTest;
import io.nereid.junit.OverGrpc;
import io.nereid.junit.ServerAddresses;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.launcher.listeners.TestExecutionSummary.Failure;

@Timeout(120)
class NereidTestTest {
  private static final String MODELS = "../../examples/models";
  private static final String EXPLICIT = "model-control-mode=explicit";
  private static final String SIMPLE = "load-model=simple";

  /** Where the servers of the last run listened, in the order of its tests. */
  private static final List<ServerAddresses> SEEN = new ArrayList<>();

  @BeforeEach
  void forget() {
    SEEN.clear();
  }

  private static int sum(NereidClient client) {
    Tensor ones = Tensor.of(Stream.generate(() -> 1).limit(16).mapToInt(x -> x).toArray(), 1, 16);
    return client
        .infer(InferRequest.to("simple").input("INPUT0", ones).input("INPUT1", ones).build())
        .output("OUTPUT0")
        .ints()[15];
  }

  private static int status(String address) throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.discarding())
          .statusCode();
    }
  }

  @NereidTest(
      repository = MODELS,
      options = {EXPLICIT, SIMPLE})
  static class Parameters {
    private final NereidClient ofConstructor;

    Parameters(NereidClient client) {
      ofConstructor = client;
    }

    @BeforeAll
    static void theServerIsReady(ServerAddresses addresses) throws Exception {
      assertThat(status(addresses.http() + "/v2/health/ready")).isEqualTo(200);
      assertThat(status(addresses.metrics())).isEqualTo(200);
    }

    @Test
    void clientsOverBothProtocols(NereidClient rest, @OverGrpc NereidClient grpc) {
      assertThat(sum(rest)).isEqualTo(2);
      assertThat(sum(grpc)).isEqualTo(2);
      assertThat(ofConstructor).isSameAs(rest);
      assertThat(grpc.address()).startsWith("grpc://");
    }

    @Test
    void addresses(ServerAddresses addresses) {
      SEEN.add(addresses);
      try (NereidClient own = NereidClient.connect(addresses.grpc())) {
        assertThat(sum(own)).isEqualTo(2);
      }
    }

    @Nested
    class Inner {
      @Test
      void hasTheServerOfItsClass(ServerAddresses addresses) {
        SEEN.add(addresses);
      }
    }
  }

  @NereidTest(
      repository = "../../examples/../examples/models",
      options = {EXPLICIT, SIMPLE})
  static class SameConfiguration {
    @Test
    void addresses(ServerAddresses addresses) {
      SEEN.add(addresses);
    }
  }

  @NereidTest(
      repository = MODELS,
      options = {EXPLICIT, SIMPLE, "allow-grpc=false", "allow-metrics=false"})
  static class OtherOptions {
    @Test
    void addresses(ServerAddresses addresses) {
      SEEN.add(addresses);
    }
  }

  @Test
  void testsGetClientsOverBothProtocolsAndAddresses() {
    TestRun.of(Parameters.class).succeeds(3);
  }

  @Test
  void classesOfOneConfigurationShareAServer() {
    TestRun.of(Parameters.class, SameConfiguration.class, OtherOptions.class).succeeds(5);

    assertThat(SEEN).hasSize(4);
    assertThat(new HashSet<>(SEEN.subList(0, 3))).hasSize(1);
    assertThat(SEEN.get(3)).isNotEqualTo(SEEN.get(0));
  }

  @Test
  void nothingIsLeftAfterTheLastTest() {
    Set<Thread> before = Thread.getAllStackTraces().keySet();

    TestRun.of(Parameters.class, OtherOptions.class).succeeds(4);

    assertEnd(before);
    assertThat(java.util.logging.Logger.getLogger("io.nereid").getHandlers()).isEmpty();
    assertThat(java.util.logging.Logger.getLogger("io.nereid").getUseParentHandlers()).isTrue();
  }

  /** Netty's threads wait for a second before they end. */
  private static void assertEnd(Set<Thread> before) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    Set<Thread> left = left(before);
    while (!left.isEmpty() && System.nanoTime() < end) {
      LockSupport.parkNanos(10_000_000);
      left = left(before);
    }
    assertThat(left).isEmpty();
  }

  private static Set<Thread> left(Set<Thread> before) {
    Set<Thread> now = new HashSet<>(Thread.getAllStackTraces().keySet());
    now.removeAll(before);
    now.removeIf(thread ->
        thread.getThreadGroup() == null // it has ended
            || thread.getThreadGroup().getName().equals("InnocuousThreadGroup") // of the JDK
            || thread.getName().startsWith("ForkJoinPool") // of the JDK, for all
            || thread
                .getName()
                .equals("helidon-idle-connection-timer") // see docs/measurements/helidon.md
            || thread.getName().startsWith("junit-"));
    return now;
  }

  @NereidTest(
      repository = MODELS,
      options = {EXPLICIT, SIMPLE})
  static class Failing {
    @Test
    void fails() {
      throw new AssertionError("on purpose");
    }
  }

  @NereidTest(
      repository = MODELS,
      options = {EXPLICIT, SIMPLE})
  static class FailingBefore {
    @BeforeAll
    static void fails() {
      throw new AssertionError("on purpose");
    }

    @Test
    void isNotReached() {}
  }

  @Test
  void theLogIsShownOnceATestFails() {
    assertThat(TestRun.of(Failing.class).errors())
        .contains("The server's log, shown since fails() failed:", "Started HTTPService at 127");
    assertThat(TestRun.of(FailingBefore.class).errors())
        .contains("since NereidTestTest$FailingBefore failed:", "Started HTTPService at 127");
    assertThat(TestRun.of(SameConfiguration.class).succeeds(1).errors()).isEmpty();
  }

  @NereidTest(repository = "no/models")
  static class NoRepository {
    @Test
    void isNotReached() {}
  }

  @NereidTest(repository = MODELS, options = "--allow-grpc=false")
  static class Hyphens {
    @Test
    void isNotReached() {}
  }

  @NereidTest(repository = MODELS, distribution = "no/nereid")
  static class NoDistribution {
    @Test
    void isNotReached() {}
  }

  @NereidTest(
      repository = MODELS,
      options = {EXPLICIT, "load-model=simpel"})
  static class NoSuchModel {
    @Test
    void isNotReached() {}
  }

  @NereidTest(
      repository = MODELS,
      options = {EXPLICIT, SIMPLE, "allow-grpc=false"})
  static class NoGrpc {
    @Test
    void asks(@OverGrpc NereidClient client) {}
  }

  @Test
  void aFailureSaysWhatWasAskedAndWhereItWasLookedFor() {
    String here = Path.of("").toAbsolutePath().toString();

    assertThat(TestRun.of(NoRepository.class).failure())
        .isEqualTo(
            "@NereidTest of io.nereid.junit.jvm.NereidTestTest$NoRepository: there is no model"
                + " repository 'no/models': looked for the folder "
                + here
                + "/no/models, and for a folder 'no/models' on the class path");
    assertThat(TestRun.of(NoDistribution.class).failure())
        .endsWith(
            "there is no distribution 'no/nereid': looked for the program "
                + here
                + "/no/nereid/bin/nereid");
    assertThat(TestRun.of(Hyphens.class).failure())
        .endsWith(
            "the option '--allow-grpc=false' is to be written as name=value, without hyphens");
    assertThat(TestRun.of(NoGrpc.class).failure())
        .contains("the server of this test has no gRPC: its options leave it out");
  }

  @Test
  void aServerThatDoesNotStartShowsItsLog() {
    TestRun run = TestRun.of(NoSuchModel.class);

    assertThat(run.failure())
        .contains(
            "the server of [",
            "load-model=simpel] did not start: 1 of 1 models did not load: simpel (model not"
                + " found in any model repository; did you mean 'simple'?)");
    assertThat(run.errors()).contains("The log of the servers in this JVM:", "simpel");
  }

  @NereidTest(
      repository = MODELS,
      options = {EXPLICIT, "load-model=simpel"})
  static class NoSuchModelEither {
    @Test
    void isNotReached() {}
  }

  @NereidTest(repository = MODELS, options = "http-port=many")
  static class NoSuchPort {
    @Test
    void isNotReached() {}
  }

  @Test
  void aServerThatDoesNotStartIsStartedOnceForAllClassesOfItsConfiguration() {
    TestRun run = TestRun.of(NoSuchModel.class, NoSuchModelEither.class);

    var failures = run.summary().getFailures().stream().map(Failure::getException).toList();
    assertThat(failures).hasSize(2);
    assertThat(failures.get(1)).hasMessage(failures.get(0).getMessage());
    assertThat(failures).allSatisfy(each -> assertThat(each.getSuppressed()).isEmpty());
    assertThat(run.errors()).containsOnlyOnce("in this JVM").containsOnlyOnce("not found in any");
  }

  @Test
  void aWrongOptionIsOneSentenceWithoutCausesAndLogs() {
    TestRun run = TestRun.of(NoSuchPort.class);

    assertThat(run.failure()).contains("[http-port=many] did not start: ", "to 65535, got 'many'");
    assertThat(run.trace()).doesNotContain("Caused by", "Suppressed", "picocli");
    assertThat(run.errors()).isEmpty();
    assertThat(TestRun.of(NoRepository.class).trace()).doesNotContain("Suppressed");
  }

  @NereidTest(repository = "folder-of-models")
  static class OnTheClassPath {
    @Test
    void isFound(NereidClient client) {
      assertThat(client.server().isReady()).isTrue();
    }
  }

  @Test
  void aRepositoryMayBeOnTheClassPath() throws IOException {
    Path classes =
        Path.of(NereidTestTest.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    Files.createDirectories(classes.resolve("folder-of-models"));

    TestRun.of(OnTheClassPath.class).succeeds(1);
  }
}
