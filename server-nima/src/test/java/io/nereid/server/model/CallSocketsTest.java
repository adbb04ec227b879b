package io.nereid.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.RetryPolicy;
import io.nereid.client.Tensor;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.support.ServerProcess;
import io.nereid.tck.support.HttpWire;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests over sockets to Java models that call others, in a process: with cancellations,
 * deadlines, reloads, and at last SIGTERM. Each is answered once, and nothing is left. {@code
 * -Dnereid.calls=100000} sends as many, and prints what became of them.
 */
@Timeout(1800)
class CallSocketsTest {
  private static final int REQUESTS = Integer.getInteger("nereid.calls", 400);
  private static final int CLIENTS = 8;

  /** Sent before SIGTERM. */
  private static final int LAST = 64;

  private static final Pattern LEFT =
      Pattern.compile(
          "^(nereid_pool_outstanding_leases|nereid_inference_detached_requests.*"
              + "|nv_inference_pending_request_count.*|nereid_request_memory_bytes.*) ([0-9.]+)$",
          Pattern.MULTILINE);

  private static final String TENSORS =
      """
      input { name: "INPUT0" data_type: TYPE_INT32 dims: [ 1 ] }
      output { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ 1 ] }
      """;

  /** Twice its input, by two calls at the same time. */
  private static final String TWICE =
      """
      import io.nereid.java.*;

      public final class Model implements JavaModel {
        @Override
        public Response infer(Request request, Calls calls) {
          var first = calls.inferAsync("inner", request.input("INPUT0"));
          try (var second = calls.infer("inner", request.input("INPUT0"))) {
            int sum = TensorArrays.ints(first.join().output("OUTPUT0"))[0]
                + TensorArrays.ints(second.output("OUTPUT0"))[0];
            return Response.of(TensorArrays.of("OUTPUT0", new int[] {sum}, 1));
          }
        }
      }
      """;

  /** What {@code twice} says, and one. */
  private static final String AND_ONE =
      """
      import io.nereid.java.*;

      public final class Model implements JavaModel {
        @Override
        public Response infer(Request request, Calls calls) {
          try (var twice = calls.infer("twice", request.input("INPUT0"))) {
            int[] value = TensorArrays.ints(twice.output("OUTPUT0"));
            value[0]++;
            return Response.of(TensorArrays.of("OUTPUT0", value, 1));
          }
        }
      }
      """;

  /** How a request may fail that its client has not cancelled. */
  private static final Set<ErrorCode> FAILURES =
      EnumSet.of(
          ErrorCode.CANCELLED,
          ErrorCode.DEADLINE_EXCEEDED,
          ErrorCode.RESOURCE_EXHAUSTED, // refused, since it would be late
          ErrorCode.UNAVAILABLE); // the model is loaded again, or the server stops

  @TempDir private Path directory;

  private final Map<String, Integer> outcomes = new TreeMap<>();
  private final Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isOver = new AtomicBoolean();

  /** Writes a model, each time with another configuration. */
  private void write(Path models, String name, int release) {
    String more =
        "instance_group { count: 2 kind: KIND_CPU }\n"
            + "parameters { key: \"release\" value { string_value: \"%d\" } }\n".formatted(release);
    switch (name) {
      case "inner" -> ModelOnDisk.of(models, name, "backend: \"tck_echo\"\n" + TENSORS + more);
      case "twice" -> java(models, name, "inner", more).withFile("1/Model.java", TWICE);
      default -> java(models, name, "twice", more).withFile("1/Model.java", AND_ONE);
    }
  }

  private static ModelOnDisk java(Path models, String name, String calls, String more) {
    return ModelOnDisk.of(
        models,
        name,
        "backend: \"java\"\nparameters { key: \"calls\" value { string_value: \"%s\" } }\n"
                .formatted(calls)
            + TENSORS
            + more);
  }

  private static InferRequest request(int number, String model, Duration deadline) {
    return InferRequest.to(model)
        .id("" + number)
        .input("INPUT0", Tensor.of(new int[] {number}, 1))
        .deadline(deadline)
        .build();
  }

  private void client(NereidClient client, int first, int count, RandomGenerator random) {
    for (int number = first; number < first + count; number++) {
      String model = random.nextBoolean() ? "twice" : "and_one";
      Duration deadline =
          random.nextInt(5) == 0
              ? Duration.ofNanos(1_000 + random.nextInt(3_000_000))
              : Duration.ofSeconds(60);
      CompletableFuture<InferResponse> sent = client.inferAsync(request(number, model, deadline));
      if (random.nextInt(5) == 0) {
        LockSupport.parkNanos(random.nextInt(1_000_000));
        sent.cancel(true);
      }
      note(sent, number, model);
    }
  }

  private void note(CompletableFuture<InferResponse> sent, int number, String model) {
    try {
      InferResponse response = sent.join();
      assertThat(response.id()).isEqualTo("" + number);
      assertThat(response.output("OUTPUT0").ints())
          .containsExactly(2 * number + (model.equals("twice") ? 0 : 1));
      count("answered");
    } catch (CancellationException expected) {
      count("cancelled by its client");
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof NereidException failure
          && FAILURES.contains(failure.code())) {
        count(failure.code().toString());
      } else {
        count("wrong");
        wrong.add(failed);
      }
    } catch (Throwable unexpected) {
      count("wrong");
      wrong.add(unexpected);
    }
  }

  private synchronized void count(String outcome) {
    outcomes.merge(outcome, 1, Integer::sum);
  }

  /** Loads models again, until all requests have been sent. */
  private void reload(Path models, NereidClient client) {
    for (int release = 1; !isOver.get(); release++) {
      String name = List.of("inner", "twice", "and_one").get(release % 3);
      try {
        write(models, name, release);
        client.models().load(name);
        count("(reloads)");
      } catch (Throwable failure) {
        wrong.add(failure);
      }
      LockSupport.parkNanos(50_000_000);
    }
  }

  private static NereidClient open(String address) {
    return NereidClient.builder(address)
        .deadline(Duration.ofSeconds(60))
        .retries(RetryPolicy.NONE)
        .open();
  }

  @Test
  void eachRequestIsAnsweredOnceAndTheServerEndsWithNothingLeft() throws Exception {
    Path models = Files.createDirectory(directory.resolve("models"));
    List.of("inner", "twice", "and_one").forEach(name -> write(models, name, 0));
    try (var server =
            ServerProcess.start(
                directory,
                models,
                "--model-control-mode=explicit",
                "--load-model=and_one",
                "--backend-config=java,allow=true");
        NereidClient http = open("http://127.0.0.1:" + server.httpPort());
        NereidClient grpc = open("grpc://127.0.0.1:" + server.grpcPort())) {
      // over HTTP: the server closes connections of gRPC with too many cancellations
      Thread reloads = Thread.ofPlatform().start(() -> reload(models, http));
      List<Thread> clients = new ArrayList<>();
      var seeds = new Random(7);
      int each = REQUESTS / CLIENTS;
      for (int i = 0; i < CLIENTS; i++) {
        NereidClient client = i % 2 == 0 ? http : grpc;
        var random = new Random(seeds.nextLong());
        int first = i * each;
        clients.add(Thread.ofPlatform().start(() -> client(client, first, each, random)));
      }
      for (Thread client : clients) {
        client.join();
      }
      isOver.set(true);
      reloads.join();
      awaitNothingLeft(server.metricsPort());
      List<CompletableFuture<InferResponse>> last = new ArrayList<>();
      for (int i = 0; i < LAST; i++) {
        NereidClient client = i % 2 == 0 ? http : grpc;
        last.add(client.inferAsync(request(each * CLIENTS + i, "and_one", Duration.ofSeconds(60))));
      }
      server.terminate();
      for (int i = 0; i < LAST; i++) {
        note(last.get(i), each * CLIENTS + i, "and_one");
      }
      int status = server.exitStatus();
      int reloaded = outcomes.getOrDefault("(reloads)", 0);
      System.out.println(outcomes);

      assertThat(wrong).isEmpty();
      assertThat(outcomes.values().stream().mapToInt(count -> count).sum() - reloaded)
          .isEqualTo(each * CLIENTS + LAST);
      assertThat(outcomes.getOrDefault("answered", 0)).isGreaterThan(REQUESTS / 10);
      assertThat(reloaded).isPositive();
      assertThat(status).isZero();
      assertThat(server.log()).noneMatch(line -> line.contains("never released"));
    }
  }

  /** Waits for what has ended for the clients already. */
  private static void awaitNothingLeft(int port) {
    try (var metrics = new HttpWire(URI.create("http://127.0.0.1:" + port))) {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (true) {
        String page = metrics.send("GET", "/metrics", new byte[0], Map.of()).text();
        Matcher values = LEFT.matcher(page);
        List<String> left = new ArrayList<>();
        int seen = 0;
        while (values.find()) {
          seen++;
          if (Double.parseDouble(values.group(2)) != 0) {
            left.add(values.group());
          }
        }
        assertThat(seen).as(page).isGreaterThan(3);
        if (left.isEmpty()) {
          return;
        }
        assertThat(System.nanoTime() - deadline).as("left: %s", left).isNegative();
        LockSupport.parkNanos(1_000_000);
      }
    }
  }
}
