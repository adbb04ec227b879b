package io.nereid.server.client;

import static io.nereid.client.ErrorCode.ALREADY_EXISTS;
import static io.nereid.client.ErrorCode.BAD_RESPONSE;
import static io.nereid.client.ErrorCode.INTERNAL;
import static io.nereid.client.ErrorCode.INVALID_ARGUMENT;
import static io.nereid.client.ErrorCode.NOT_FOUND;
import static io.nereid.client.ErrorCode.UNIMPLEMENTED;
import static io.nereid.client.ErrorCode.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.client.ClientBuilder;
import io.nereid.client.ErrorCode;
import io.nereid.client.GenerateRequest;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.ResponseStream;
import io.nereid.client.Tensor;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.LocalServer;
import io.nereid.tck.TckModels;
import io.nereid.tck.support.SharedMemoryObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A failure has one code over REST and over gRPC, and by each call that can have it. Prints a
 * table.
 */
@Timeout(120)
class ClientFailuresTest {
  private static LocalServer server;
  private static SharedMemoryObject memory;

  private final List<Failing> calls = new ArrayList<>();

  /**
   * A call that fails.
   *
   * @param transport the one that has it; empty for both
   */
  private record Failing(
      String name, ErrorCode code, String transport, Consumer<NereidClient> call) {}

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    Assumptions.assumeTrue(SharedMemoryObject.isSupported());
    memory = SharedMemoryObject.of(new byte[16]);
    TckModels.extractTo(models);
    Files.createDirectories(models.resolve("broken/1"));
    Files.writeString(models.resolve("broken/config.pbtxt"), "backend: \"no_such_backend\"");
    server =
        new LocalServer(
            LocalServer.options(
                models,
                "--model-control-mode=explicit",
                "--load-model=simple",
                "--load-model=identity_int32",
                "--load-model=repeat",
                "--load-model=sequence_echo",
                "--allow-client-shm=true",
                "--trace-config=triton,file=" + models.resolve("trace.json")),
            new CheckedBufferPool());
  }

  @AfterAll
  static void stop() {
    server.close();
    memory.close();
  }

  private void add(String name, ErrorCode code, Consumer<NereidClient> call) {
    calls.add(new Failing(name, code, "", call));
  }

  /** By all calls that send a request. */
  private void addSent(String what, ErrorCode code, ErrorCode ofStream, InferRequest request) {
    add("infer, " + what, code, client -> client.infer(request));
    add("inferAsync, " + what, code, client -> client.inferAsync(request).join());
    addStream(what, ofStream, request);
  }

  private void addStream(String what, ErrorCode code, InferRequest request) {
    calls.add(
        new Failing("stream, " + what, code, "grpc", client -> drain(client.stream(request))));
  }

  private void addGenerated(
      String what, ErrorCode code, ErrorCode ofStream, GenerateRequest request) {
    calls.add(new Failing("generate, " + what, code, "http", client -> client.generate(request)));
    calls.add(
        new Failing(
            "generateStream, " + what,
            ofStream,
            "http",
            client -> drain(client.generateStream(request))));
  }

  private static void drain(ResponseStream<?> responses) {
    try (responses) {
      responses.forEach(response -> {});
    }
  }

  private static InferRequest.Builder int32(String model) {
    return InferRequest.to(model).input("INPUT0", Tensor.of(new int[] {1, 2, 3, 4}));
  }

  private static InferRequest repeat(int... values) {
    return InferRequest.to("repeat").input("IN", Tensor.of(values)).build();
  }

  private static GenerateRequest generate(Integer... values) {
    return GenerateRequest.to("repeat").with("IN", List.of(values)).build();
  }

  @Test
  void aModelOrAVersionThatIsNotThereIsNotFound() {
    for (String model : List.of("no_such", "identity_fp32")) { // the latter is not loaded
      addSent(model, NOT_FOUND, NOT_FOUND, int32(model).build());
      addGenerated(
          model,
          NOT_FOUND,
          NOT_FOUND,
          GenerateRequest.to(model).with("INPUT0", List.of(1)).build());
      add("metadata, " + model, NOT_FOUND, client -> client.models().metadata(model));
      add("config, " + model, NOT_FOUND, client -> client.models().config(model));
      add("statistics, " + model, NOT_FOUND, client -> client.models().statistics(model));
      add("traceSettings, " + model, NOT_FOUND, client -> client.models().traceSettings(model));
      Map<String, List<String>> rate = Map.of("trace_rate", List.of("7"));
      add(
          "updateTraceSettings, " + model,
          NOT_FOUND,
          client -> client.models().updateTraceSettings(model, rate));
    }
    addSent("version", NOT_FOUND, NOT_FOUND, int32("identity_int32").version(9).build());
    add("metadata, version", NOT_FOUND, client -> client.models().metadata("simple", "9"));
    add("config, version", NOT_FOUND, client -> client.models().config("simple", "9"));
    add("statistics, version", NOT_FOUND, client -> client.models().statistics("simple", "9"));
    add("load, no_such", NOT_FOUND, client -> client.models().load("no_such"));
    assertCodes(1 << 20);
  }

  @Test
  void aWrongRequestIsAnInvalidArgumentWhereTheServerSaysSo() {
    addSent("no input", INVALID_ARGUMENT, UNKNOWN, InferRequest.to("identity_int32").build());
    addSent(
        "data type",
        INVALID_ARGUMENT,
        UNKNOWN,
        InferRequest.to("identity_int32").input("INPUT0", Tensor.of(new float[1])).build());
    addSent("output", INVALID_ARGUMENT, UNKNOWN, int32("identity_int32").outputs("X").build());
    addSent(
        "no sequence",
        INVALID_ARGUMENT,
        UNKNOWN,
        InferRequest.to("sequence_echo").input("INPUT0", Tensor.of(new int[1], 1, 1)).build());
    add("infer, decoupled", UNIMPLEMENTED, client -> client.infer(repeat(1)));
    addStream("the model fails", INVALID_ARGUMENT, repeat(-1));
    addStream("the model fails later", INVALID_ARGUMENT, repeat(1, -1));
    addGenerated("the model fails", INVALID_ARGUMENT, INVALID_ARGUMENT, generate(-1));
    addGenerated("the model fails later", INVALID_ARGUMENT, UNKNOWN, generate(1, -1));
    addGenerated(
        "data type",
        INVALID_ARGUMENT,
        INVALID_ARGUMENT,
        GenerateRequest.to("identity_int32").with("INPUT0", "x").build());
    assertCodes(1 << 20);
  }

  @Test
  void loadsRegionsAndSettingsHaveTheCodesOfTheirFailures() {
    add("load, broken", INVALID_ARGUMENT, client -> client.models().load("broken"));
    add(
        "load, configuration",
        INTERNAL,
        client -> client.models().load("identity_fp64", "{", Map.of()));
    add("regions", NOT_FOUND, client -> client.regions().listAsync(false, "no_such").join());
    add(
        "registerSystem, key",
        INTERNAL,
        client -> client.regions().registerSystem("r", "/no_such_key", 0, 16));
    add(
        "registerSystem, size",
        INVALID_ARGUMENT,
        client -> client.regions().registerSystem("r", memory.key(), 0, 99));
    add("registerSystem, twice", ALREADY_EXISTS, ClientFailuresTest::registerTwice);
    add(
        "registerCuda",
        INVALID_ARGUMENT,
        client -> client.regions().registerCuda("c", new byte[64], 0, 16));
    add(
        "updateTraceSettings, value",
        INVALID_ARGUMENT,
        client -> client.server().updateTraceSettings(Map.of("trace_rate", List.of("x"))));
    add(
        "updateLogSettings, value",
        INVALID_ARGUMENT,
        client -> client.server().updateLogSettings(Map.of("log_verbose_level", "x")));
    assertCodes(1 << 20);
  }

  private static void registerTwice(NereidClient client) {
    client.regions().registerSystem("twice", memory.key(), 0, 16);
    try {
      client.regions().registerSystem("twice", memory.key(), 0, 16);
    } finally {
      client.regions().unregisterSystem("twice");
    }
  }

  @Test
  void aResponseThatIsTooLargeIsABadOne() {
    addSent("large", BAD_RESPONSE, BAD_RESPONSE, int32("identity_int32").build());
    addGenerated("large", BAD_RESPONSE, BAD_RESPONSE, generate(1));
    add("server metadata, large", BAD_RESPONSE, client -> client.server().metadata());
    add("metadata, large", BAD_RESPONSE, client -> client.models().metadata("simple"));
    add("config, large", BAD_RESPONSE, client -> client.models().config("simple"));
    add("statistics, large", BAD_RESPONSE, client -> client.models().statistics("simple"));
    add("index, large", BAD_RESPONSE, client -> client.models().index());
    assertThat(outcomes(10))
        .allMatch(outcome ->
            outcome.endsWith(
                "the response is longer than the limit of 10 bytes (maxResponseBytes)"));
    assertCodes(10);
  }

  private static ClientBuilder builder(String scheme) {
    return NereidClient.builder(
        scheme.equals("grpc") ? "grpc://127.0.0.1:" + server.grpcPort() : server.http().toString());
  }

  private void assertCodes(int maxResponseBytes) {
    List<String> expected = new ArrayList<>();
    for (String scheme : List.of("http", "grpc")) {
      for (Failing each : calls) {
        if (!each.transport.equals(other(scheme))) {
          expected.add("%s | %s | %s".formatted(scheme, each.name, each.code));
        }
      }
    }
    assertThat(outcomes(maxResponseBytes))
        .extracting(outcome -> outcome.replaceAll("(?s): .*", ""))
        .containsExactlyElementsOf(expected);
  }

  private static String other(String scheme) {
    return scheme.equals("http") ? "grpc" : "http";
  }

  /** A line for each call and transport. */
  private List<String> outcomes(int maxResponseBytes) {
    List<String> outcomes = new ArrayList<>();
    for (String scheme : List.of("http", "grpc")) {
      try (NereidClient client = builder(scheme).maxResponseBytes(maxResponseBytes).open()) {
        for (Failing each : calls) {
          if (!each.transport.equals(other(scheme))) {
            outcomes.add("%s | %s | %s".formatted(scheme, each.name, outcome(each.call, client)));
          }
        }
      }
    }
    System.out.println(String.join("\n", outcomes));
    return outcomes;
  }

  private static String outcome(Consumer<NereidClient> call, NereidClient client) {
    try {
      call.accept(client);
      return "ok";
    } catch (NereidException e) {
      return e.code() + ": " + e.sentence();
    } catch (CompletionException e) {
      NereidException failure = (NereidException) Objects.requireNonNull(e.getCause());
      return failure.code() + ": " + failure.sentence();
    }
  }
}
