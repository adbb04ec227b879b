package io.nereid.server.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.client.DataType;
import io.nereid.client.GenerateRequest;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.RequestedOutput;
import io.nereid.client.ResponseStream;
import io.nereid.client.Sequence;
import io.nereid.client.SharedRegion;
import io.nereid.client.Tensor;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.LocalServer;
import io.nereid.tck.ModelControlMode;
import io.nereid.tck.ServerCommand;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.TckModels;
import io.nereid.tck.support.SharedMemoryObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every call of the client once, over both transports; prints a table. With the system property
 * {@code tck.server} the calls go to another server ({@link ServerCommand}), and only have to end.
 */
@Timeout(120)
class ClientCallsTest {
  private static final boolean IS_OTHER = ServerCommand.ofProperty().isPresent();
  private static final String CONFIG =
      """
      {"backend":"tck_echo","max_batch_size":2,
       "input":[{"name":"INPUT0","data_type":"TYPE_BOOL","dims":[1]}],
       "output":[{"name":"OUTPUT0","data_type":"TYPE_BOOL","dims":[1]}]}
      """;

  private static ServerUnderTest server;
  private static SharedMemoryObject memory;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    Assumptions.assumeTrue(SharedMemoryObject.isSupported());
    memory = SharedMemoryObject.of(new byte[16]);
    TckModels.extractTo(models);
    server = IS_OTHER ? other(models) : own(models);
  }

  private static ServerUnderTest other(Path models) throws IOException {
    return ServerCommand.ofProperty()
        .orElseThrow()
        .startServer(ModelControlMode.EXPLICIT, List.of(models), List.of("*"))
        .orElseThrow();
  }

  private static ServerUnderTest own(Path models) throws IOException {
    var local =
        new LocalServer(
            LocalServer.options(
                models,
                "--model-control-mode=explicit",
                "--load-model=*",
                "--allow-client-shm=true",
                "--trace-config=triton,file=" + models.resolve("trace.json")),
            new CheckedBufferPool());
    return new ServerUnderTest(local.http(), "127.0.0.1", local.grpcPort(), local::close);
  }

  @AfterAll
  static void stop() {
    if (memory != null) {
      server.close();
      memory.close();
    }
  }

  private static Map<String, Consumer<NereidClient>> calls() {
    Map<String, Consumer<NereidClient>> calls = new LinkedHashMap<>();
    InferRequest strings =
        InferRequest.to("identity_bytes")
            .input("INPUT0", Tensor.of(new String[] {"a", "ü"}))
            .build();
    calls.put("server().isLive()", client -> expect(true, client.server().isLive()));
    calls.put("server().isReady()", client -> expect(true, client.server().isReady()));
    calls.put("server().metadata()", client -> client.server().metadata().version());
    calls.put("models().isReady(m)", client -> expect(true, client.models().isReady("simple")));
    calls.put(
        "models().isReady(unknown)", client -> expect(false, client.models().isReady("no_such")));
    calls.put(
        "models().metadata(m)",
        client -> expect(2, client.models().metadata("simple").inputs().size()));
    calls.put(
        "models().config(m)",
        client -> expect(8L, client.models().config("simple").get("max_batch_size")));
    calls.put(
        "models().statistics(m)",
        client -> expect("simple", client.models().statistics("simple").get(0).name()));
    calls.put("models().index()", client -> expect(false, client.models().index().isEmpty()));
    calls.put("infer", client -> expect("ü", client.infer(strings).output("OUTPUT0").strings()[1]));
    calls.put("inferAsync", client -> client.inferAsync(strings).join());
    calls.put("infer, FP16", client -> half(client, DataType.FP16));
    calls.put("infer, BF16", client -> half(client, DataType.BF16));
    calls.put("infer, version, id, priority, parameter", ClientCallsTest::options);
    calls.put("infer, classify", ClientCallsTest::classify);
    calls.put(
        "infer, an input is missing", client -> client.infer(InferRequest.to("simple").build()));
    calls.put("infer, unknown model", client -> client.infer(InferRequest.to("no_such").build()));
    calls.put("sequence(m)", ClientCallsTest::sequence);
    calls.put("stream", ClientCallsTest::stream);
    calls.put(
        "generate",
        client ->
            expect(
                "a",
                client
                    .generate(GenerateRequest.to("identity_bytes").with("INPUT0", "a").build())
                    .text("OUTPUT0")));
    calls.put("generateStream", ClientCallsTest::generateStream);
    calls.put("models().load(m)", client -> client.models().load("identity_int8"));
    calls.put(
        "models().load(m, config, files)",
        client -> client.models().load("identity_bool", CONFIG, Map.of("2/file", new byte[] {1})));
    calls.put("models().unload(m)", client -> client.models().unload("identity_bool"));
    calls.put(
        "server().traceSettings()",
        client -> expect(false, client.server().traceSettings().isEmpty()));
    calls.put(
        "server().updateTraceSettings(…)",
        client ->
            expect(
                List.of("7"),
                client
                    .server()
                    .updateTraceSettings(Map.of("trace_rate", List.of("7")))
                    .get("trace_rate")));
    calls.put("models().traceSettings(m)", client -> client.models().traceSettings("simple"));
    calls.put(
        "models().updateTraceSettings(m, …), back to the server's",
        client -> client.models().updateTraceSettings("simple", Map.of("trace_rate", List.of())));
    calls.put("server().logSettings()", client -> client.server().logSettings());
    calls.put(
        "server().updateLogSettings(…)",
        client ->
            expect(
                1L,
                client
                    .server()
                    .updateLogSettings(Map.of("log_verbose_level", 1))
                    .get("log_verbose_level")));
    calls.put("regions().registerSystem(…), infer, unregisterSystem(…)", ClientCallsTest::regions);
    calls.put("regions().cuda()", client -> expect(true, client.regions().cuda().isEmpty()));
    calls.put(
        "regions().registerCuda(…)",
        client -> client.regions().registerCuda("gpu", new byte[64], 0, 16));
    calls.put("regions().unregisterCuda(…)", client -> client.regions().unregisterCuda("gpu"));
    return calls;
  }

  private static void expect(Object expected, @Nullable Object actual) {
    if (!expected.equals(actual)) {
      throw new IllegalStateException("%s, not %s".formatted(actual, expected));
    }
  }

  private static void half(NereidClient client, DataType type) {
    String model = "identity_" + type.name().toLowerCase(Locale.ROOT);
    Tensor tensor = Tensor.of(type, new float[] {1.5f});
    expect(
        1.5f,
        client
            .infer(InferRequest.to(model).input("INPUT0", tensor).build())
            .output("OUTPUT0")
            .floats()[0]);
  }

  private static void options(NereidClient client) {
    InferRequest request =
        InferRequest.to("two_versions")
            .version(3)
            .id("7")
            .priority(1)
            .queueTimeout(Duration.ofSeconds(1))
            .parameter("x", 1)
            .input("INPUT0", Tensor.of(new int[] {1}))
            .outputs("OUTPUT0")
            .build();
    expect("3", client.infer(request).version());
    expect("7", client.infer(request).id());
  }

  private static void classify(NereidClient client) {
    InferRequest request =
        InferRequest.to("batched_fp32")
            .input("INPUT0", Tensor.of(new float[] {1, 3, 2}, 1, 3))
            .classify("OUTPUT0", 1)
            .build();
    expect("3.000000:1", client.infer(request).output("OUTPUT0").strings()[0]);
  }

  private static void sequence(NereidClient client) {
    Sequence sequence = client.sequence("sequence_echo");
    InferRequest request =
        sequence.request().input("INPUT0", Tensor.of(new int[] {5}, 1, 1)).build();
    sequence.infer(request);
    sequence.infer(request);
    expect(5, sequence.finish(request).output("OUTPUT0").ints()[0]);
  }

  private static void stream(NereidClient client) {
    InferRequest request =
        InferRequest.to("repeat").input("IN", Tensor.of(new int[] {1, 2, 3})).build();
    int count = 0;
    try (ResponseStream<?> responses = client.stream(request)) {
      while (responses.hasNext()) {
        responses.next();
        count++;
      }
    }
    expect(3, count);
  }

  private static void generateStream(NereidClient client) {
    GenerateRequest request = GenerateRequest.to("repeat").with("IN", List.of(1, 2, 3)).build();
    int count = 0;
    try (ResponseStream<?> responses = client.generateStream(request)) {
      while (responses.hasNext()) {
        responses.next();
        count++;
      }
    }
    expect(3, count);
  }

  private static void regions(NereidClient client) {
    client.regions().registerSystem("io", memory.key(), 0, 16);
    expect("io", client.regions().system().get(0).name());
    Tensor input = Tensor.ofRegion(new SharedRegion("io", 0, 8), DataType.INT32, 2);
    client.infer(
        InferRequest.to("identity_int32")
            .input("INPUT0", input)
            .output(new RequestedOutput("OUTPUT0", 0, new SharedRegion("io", 8, 8)))
            .build());
    client.regions().unregisterSystem("io");
    expect(true, client.regions().system().isEmpty());
  }

  private static String outcome(Consumer<NereidClient> call, NereidClient client) {
    try {
      call.accept(client);
      return "ok";
    } catch (NereidException e) {
      return e.code() + ": " + e.sentence();
    } catch (IllegalStateException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  void everyCallEndsAsItShould() {
    StringBuilder table = new StringBuilder("\n| call | REST | gRPC |\n| --- | --- | --- |\n");
    Map<String, String> unexpected = new LinkedHashMap<>();
    try (NereidClient rest = NereidClient.connect(server.http().toString());
        NereidClient grpc =
            NereidClient.connect("grpc://%s:%d".formatted(server.grpcHost(), server.grpcPort()))) {
      calls()
          .forEach((name, call) -> {
            String overRest = outcome(call, rest);
            String overGrpc = outcome(call, grpc);
            table.append("| %s | %s | %s |\n".formatted(name, overRest, overGrpc));
            if (!overRest.equals("ok") || !overGrpc.equals("ok")) {
              unexpected.put(
                  name, overRest.replaceAll(":.*", "") + " " + overGrpc.replaceAll(":.*", ""));
            }
          });
    }
    System.out.println(table);
    if (!IS_OTHER) {
      assertThat(unexpected)
          .as("%s", table)
          .containsExactly(
              Map.entry("infer, an input is missing", "INVALID_ARGUMENT INVALID_ARGUMENT"),
              Map.entry("infer, unknown model", "NOT_FOUND NOT_FOUND"),
              Map.entry("stream", "UNIMPLEMENTED ok"),
              Map.entry("generate", "ok UNIMPLEMENTED"),
              Map.entry("generateStream", "ok UNIMPLEMENTED"),
              Map.entry("regions().registerCuda(…)", "INVALID_ARGUMENT INVALID_ARGUMENT"));
    }
  }
}
