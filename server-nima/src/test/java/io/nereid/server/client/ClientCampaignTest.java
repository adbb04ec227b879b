package io.nereid.server.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.RetryPolicy;
import io.nereid.client.Tensor;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.LocalServer;
import io.nereid.server.support.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many calls over both transports to a server that is reloaded, overloaded, slow, cut off, and
 * killed. {@code -Dnereid.client.calls=1000000} makes as many, and a table.
 */
class ClientCampaignTest {
  private static final int CALLS = Integer.getInteger("nereid.client.calls", 500);
  private static final int THREADS = 24;
  private static final long MAX_PEACE_NANOS = 200_000_000;

  /** What a caller waits after a failure; else a server that is away fails most calls. */
  private static final long PAUSE_NANOS = 10_000_000;

  private static final String MODEL = "recording";

  @TempDir private Path models;
  @TempDir private Path folder;
  private final Map<String, Integer> outcomes = new TreeMap<>();
  private final AtomicInteger next = new AtomicInteger();
  private final BitSet answered = new BitSet();
  private final BitSet refused = new BitSet();
  private final BitSet others = new BitSet();

  /** Threads of other tests. */
  private final Set<Thread> before = Thread.getAllStackTraces().keySet();

  private Path record() {
    return folder.resolve("executed");
  }

  /** A model with a short queue and two instances. */
  private void writeModel() {
    ModelOnDisk.of(
        models,
        MODEL,
        """
        backend: "recording"
        max_batch_size: 4
        input { name: "IN" data_type: TYPE_INT32 dims: [ 1 ] }
        output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }
        instance_group { count: 2 kind: KIND_CPU }
        dynamic_batching { default_queue_policy { max_queue_size: 8 } }
        parameters { key: "file" value { string_value: "%s" } }
        """
            .formatted(record()));
  }

  private void call(NereidClient client, int number) {
    InferRequest request =
        InferRequest.to(MODEL)
            .id("" + number)
            .input("IN", Tensor.of(new int[] {number}, 1, 1))
            .build();
    try {
      InferResponse response = number % 3 == 0 ? client.infer(request) : async(client, request);
      assertThat(response.id()).isEqualTo("" + number);
      assertThat(response.output("OUT").ints()).containsExactly(number);
      count("answered", answered, number);
    } catch (NereidException e) {
      failed(e, number);
    } catch (CompletionException e) {
      if (e.getCause() instanceof NereidException failure) {
        failed(failure, number);
      } else {
        throw e;
      }
    } catch (CancellationException e) {
      count("cancelled by the caller", others, number);
    }
  }

  /** One in a hundred is cancelled at once. */
  private static InferResponse async(NereidClient client, InferRequest request) {
    CompletableFuture<InferResponse> call = client.inferAsync(request);
    if (ThreadLocalRandom.current().nextInt(100) == 0) {
      call.cancel(true);
    }
    return call.join();
  }

  private void failed(NereidException failure, int number) {
    if (failure.mayHaveRun()) {
      count(failure.code().toString(), others, number);
    } else {
      count(failure.code() + ", not executed", refused, number);
    }
    LockSupport.parkNanos(PAUSE_NANOS);
  }

  private synchronized void count(String outcome, BitSet numbers, int number) {
    outcomes.merge(outcome, 1, Integer::sum);
    numbers.set(number);
  }

  private static NereidClient open(String address) {
    return NereidClient.builder(address)
        .deadline(Duration.ofMillis(1000))
        .retries(new RetryPolicy(3, Duration.ofMillis(1), Duration.ofMillis(20)))
        .open();
  }

  /** What is done to the server again and again until all calls are over. */
  private interface Trouble {
    void make(int round) throws Exception;
  }

  private void callThrough(CuttingProxy http, CuttingProxy grpc, Trouble trouble) throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    CompletableFuture<Void> troubles = new CompletableFuture<>();
    try (NereidClient rest = open("http://127.0.0.1:" + http.port());
        NereidClient overGrpc = open("grpc://127.0.0.1:" + grpc.port())) {
      Thread.ofPlatform()
          .start(() -> {
            try {
              for (int round = 0; !isOver.get(); round++) {
                trouble.make(round);
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(MAX_PEACE_NANOS));
              }
              troubles.complete(null);
            } catch (Throwable e) {
              troubles.completeExceptionally(e);
            }
          });
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        NereidClient client = i % 2 == 0 ? rest : overGrpc;
        threads.add(
            Thread.ofPlatform()
                .start(() -> {
                  for (int k = next.getAndIncrement(); k < CALLS; k = next.getAndIncrement()) {
                    call(client, k);
                  }
                }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      isOver.set(true);
      troubles.join();
    }
    while (http.connections() + grpc.connections() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static void cut(CuttingProxy http, CuttingProxy grpc, int round) {
    CuttingProxy proxy = round % 2 == 0 ? http : grpc;
    if (round % 8 < 6) {
      proxy.cut();
    } else {
      proxy.refuse(true);
      proxy.cut();
      LockSupport.parkNanos(10_000_000);
      proxy.refuse(false);
    }
  }

  private void assertThatEachWasExecutedAtMostOnce() throws IOException {
    System.out.println(outcomes);
    BitSet executed = new BitSet();
    for (long id : RecordingBackend.executions(record())) {
      assertThat(executed.get((int) id)).as("request %d has been executed", id).isFalse();
      executed.set((int) id);
    }
    assertThat(outcomes.values().stream().mapToInt(count -> count).sum()).isEqualTo(CALLS);
    assertThat(answered.cardinality()).isPositive(); // few on a busy machine
    answered.andNot(executed);
    assertThat(answered.stream()).as("answered, and not executed").isEmpty();
    refused.and(executed);
    assertThat(refused.stream()).as("'not executed', and executed").isEmpty();
    while (!threadsOfClients().isEmpty()) {
      LockSupport.parkNanos(1_000_000); // they end on their own, once the client is closed
    }
  }

  private Set<Thread> threadsOfClients() {
    Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
    threads.removeIf(each -> !each.getName().startsWith("HttpClient"));
    threads.removeAll(before);
    return threads;
  }

  @Test
  @Timeout(900)
  void everyCallToAServerThatIsReloadedAndCutOffEndsAndNoneIsExecutedTwice() throws Exception {
    writeModel();
    try (LocalServer server =
            new LocalServer(
                LocalServer.options(
                    models, "--model-control-mode=explicit", "--load-model=" + MODEL),
                new CheckedBufferPool());
        CuttingProxy http = new CuttingProxy(server.http().getPort());
        CuttingProxy grpc = new CuttingProxy(server.grpcPort());
        NereidClient control = NereidClient.connect(server.http().toString())) {
      callThrough(
          http,
          grpc,
          round -> {
            if (round % 3 == 0) {
              control.models().load(MODEL);
            } else {
              cut(http, grpc, round);
            }
          });
    }
    assertThatEachWasExecutedAtMostOnce();
  }

  @Test
  @Timeout(1800)
  @EnabledIfSystemProperty(named = "nereid.client.calls", matches = "\\d+")
  void everyCallToAServerThatIsKilledEndsAndNoneIsExecutedTwice() throws Exception {
    writeModel();
    ServerProcess[] server = {ServerProcess.start(folder, models)};
    try (CuttingProxy http = new CuttingProxy(server[0].httpPort());
        CuttingProxy grpc = new CuttingProxy(server[0].grpcPort())) {
      callThrough(
          http,
          grpc,
          round -> {
            if (round % 400 == 399) {
              server[0].close();
              server[0] = ServerProcess.start(folder, models);
              http.target(server[0].httpPort());
              grpc.target(server[0].grpcPort());
            } else {
              cut(http, grpc, round);
            }
          });
    } finally {
      server[0].close();
    }
    assertThatEachWasExecutedAtMostOnce();
  }
}
