package io.nereid.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.RetryPolicy;
import io.nereid.client.Tensor;
import io.nereid.server.NereidServer;
import io.nereid.tck.TckModels;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients while their server is started anew on its ports. The system property {@code
 * nereid.restarts} says how often.
 */
@Timeout(300)
class ServerRestartsTest {
  private static final int RESTARTS = Integer.getInteger("nereid.restarts", 2);
  private static final int THREADS = 8;
  private static final int CALLS_BETWEEN = 10 * THREADS;

  @TempDir private Path models;
  private int http;
  private int grpc;

  private final AtomicBoolean isOver = new AtomicBoolean();
  private final AtomicInteger answers = new AtomicInteger();
  private final Map<String, Integer> failures = new ConcurrentHashMap<>();

  @BeforeEach
  void writeModels() throws IOException {
    TckModels.extractTo(models);
  }

  private NereidServer start() throws IOException {
    NereidServer server =
        NereidServer.builder()
            .repository(models)
            .http(http)
            .grpc(grpc)
            .withoutMetrics()
            .option("http-address", "127.0.0.1")
            .option("grpc-address", "127.0.0.1")
            .start();
    http = server.httpPort();
    grpc = server.grpcPort();
    return server;
  }

  private NereidClient open(String scheme) {
    int port = scheme.equals("grpc") ? grpc : http;
    return NereidClient.builder(scheme + "://127.0.0.1:" + port)
        .retries(RetryPolicy.UNTIL_DEADLINE)
        .open();
  }

  private void call(NereidClient client, int thread) {
    for (int i = 0; !isOver.get(); i++) {
      int value = i * THREADS + thread;
      InferRequest request =
          InferRequest.to("identity_int32").input("INPUT0", Tensor.of(new int[] {value})).build();
      try {
        int[] echo = client.infer(request).output("OUTPUT0").ints();
        if (echo[0] != value) {
          failures.merge("wrong", 1, Integer::sum);
        }
        answers.incrementAndGet();
      } catch (NereidException e) {
        failures.merge(e.mayHaveRun() + " " + e.code() + " " + e.sentence(), 1, Integer::sum);
      }
    }
  }

  private void awaitAnswers() {
    int enough = answers.get() + CALLS_BETWEEN;
    while (answers.get() < enough) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void onlyCallsThatMayHaveRunFailIfOthersAreSentUntilTheirDeadline(String scheme)
      throws Exception {
    NereidServer server = start();
    List<Thread> threads = new ArrayList<>();
    NereidClient client = open(scheme);
    try {
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        threads.add(Thread.ofPlatform().start(() -> call(client, thread)));
      }
      for (int restart = 0; restart < RESTARTS; restart++) {
        awaitAnswers();
        server.close();
        server = start();
      }
      awaitAnswers();
    } finally {
      isOver.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
      client.close();
      server.close();
    }
    System.out.println(scheme + ": " + answers + " answers, failures " + failures);
    assertThat(failures.keySet()).allMatch(each -> each.startsWith("true "));
  }

  /** Until then a channel of gRPC would pause for ever longer, whatever the call's deadline. */
  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void aServerThatWasNotThereForLongIsFoundAtOnce(String scheme) throws Exception {
    start().close();
    try (NereidClient client = open(scheme)) {
      for (int i = 0; i < 50; i++) {
        assertThat(client.server().isReady()).isFalse();
      }
      assertThatExceptionOfType(NereidException.class)
          .isThrownBy(() -> client.server().awaitReady(Duration.ofMillis(300)))
          .returns(ErrorCode.DEADLINE_EXCEEDED, NereidException::code)
          .withMessageContaining(
              "the deadline of 300 ms has passed: no connection: no server listens at this port");
      try (NereidServer server = start()) {
        assertThat(server.httpPort()).isEqualTo(http);
        client.server().awaitReady(Duration.ofSeconds(60));
        client.models().awaitReady("simple", Duration.ofSeconds(60));
        assertThatExceptionOfType(NereidException.class)
            .isThrownBy(() -> client.models().awaitReady("no_such", Duration.ofMillis(1)))
            .withMessageStartingWith("readiness of model 'no_such' at ")
            .withMessageContaining("the deadline of 1 ms has passed");
      }
    }
  }
}
