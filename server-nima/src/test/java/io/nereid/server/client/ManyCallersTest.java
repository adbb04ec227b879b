package io.nereid.server.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.client.ClientBuilder;
import io.nereid.client.DataType;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.Tensor;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.LocalServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many threads that call a server at once, with the defaults of both, and beyond its limits. */
@Timeout(300)
class ManyCallersTest {
  private static final int THREADS = 5_000;

  @TempDir private Path models;

  @BeforeEach
  void writeModel() {
    ModelOnDisk.of(
            models,
            "echo",
            """
            backend: "tck_echo"
            input { name: "INPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
            output { name: "OUTPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
            """)
        .withDirectory("1");
  }

  private LocalServer start(String... options) throws IOException {
    return new LocalServer(
        LocalServer.options(models, options), new SlabPool(new ArenaAllocator(), 1 << 30));
  }

  private static ClientBuilder builder(LocalServer server, String scheme) {
    return NereidClient.builder(
        scheme.equals("grpc") ? "grpc://127.0.0.1:" + server.grpcPort() : server.http().toString());
  }

  /** Has each thread make two calls of one of the clients; counts how they end. */
  private static Map<String, Integer> call(int threads, List<NereidClient> clients)
      throws InterruptedException {
    Map<String, Integer> outcomes = new TreeMap<>();
    var begin = new CountDownLatch(1);
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      byte[] bytes = {(byte) i, (byte) (i >> 8)};
      NereidClient client = clients.get(i % clients.size());
      callers.add(
          Thread.ofVirtual()
              .start(() -> {
                try {
                  begin.await();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
                for (int call = 0; call < 2; call++) {
                  String outcome = outcome(client, bytes);
                  synchronized (outcomes) {
                    outcomes.merge(outcome, 1, Integer::sum);
                  }
                }
              }));
    }
    begin.countDown();
    for (Thread caller : callers) {
      caller.join();
    }
    return outcomes;
  }

  private static String outcome(NereidClient client, byte[] bytes) {
    InferRequest request =
        InferRequest.to("echo").input("INPUT0", Tensor.of(DataType.UINT8, bytes)).build();
    try {
      byte[] echo = client.infer(request).output("OUTPUT0").byteValues();
      return echo[0] == bytes[0] && echo[1] == bytes[1] ? "right" : "wrong";
    } catch (NereidException e) {
      return e.code() + " " + e.mayHaveRun() + " " + e.sentence();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void eachOfManyThreadsOnADefaultClientGetsItsAnswers(String scheme) throws Exception {
    try (LocalServer server = start();
        NereidClient client = builder(server, scheme).open()) {
      assertThat(call(THREADS, List.of(client))).isEqualTo(Map.of("right", 2 * THREADS));
    }
  }

  /** More clients than the server lets one address have connections. */
  @Test
  void aConnectionThatIsRefusedIsToldAsOneAndNeverAsABrokenOne() throws Exception {
    try (LocalServer server = start("--http-max-connections-per-client=8")) {
      List<NereidClient> clients =
          Stream.generate(() -> builder(server, "http").connections(16).open()).limit(8).toList();
      try {
        Map<String, Integer> outcomes = call(500, clients);
        assertThat(outcomes).containsKey("right");
        assertThat(outcomes.keySet())
            .as("has not run")
            .allMatch(outcome -> outcome.equals("right") || outcome.contains(" false "));
      } finally {
        clients.forEach(NereidClient::close);
      }
    }
  }
}
