package io.nereid.server.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.client.DataType;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.Tensor;
import io.nereid.client.model.ModelMetadata;
import io.nereid.server.LocalServer;
import io.nereid.tck.TckModels;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The client's calls of the standard's own part, without any extension but binary tensors: over
 * REST, over REST with tensors in JSON, and over gRPC; prints a table. With the system property
 * {@code nereid.client.other}, such as {@code http://127.0.0.1:8080,grpc://127.0.0.1:8081}, the
 * calls go to another server, which has the same models, and only have to end.
 */
@Timeout(120)
class ClientStandardTest {
  private static final List<String> OTHER =
      Stream.of(System.getProperty("nereid.client.other", "").split(","))
          .filter(address -> !address.isEmpty())
          .toList();

  private static @Nullable LocalServer server;
  private static List<String> addresses = OTHER;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    if (OTHER.isEmpty()) {
      TckModels.extractTo(models);
      var started = new LocalServer(models);
      server = started;
      addresses = List.of(started.http().toString(), "grpc://127.0.0.1:" + started.grpcPort());
    }
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  private static Map<String, Consumer<NereidClient>> calls() {
    Map<String, Consumer<NereidClient>> calls = new LinkedHashMap<>();
    calls.put("server().isLive()", client -> expect(true, client.server().isLive()));
    calls.put("server().isReady()", client -> expect(true, client.server().isReady()));
    calls.put(
        "server().metadata()",
        client -> expect(false, client.server().metadata().name().isEmpty()));
    calls.put(
        "models().isReady(m)", client -> expect(true, client.models().isReady("identity_fp32")));
    calls.put(
        "models().isReady(unknown)", client -> expect(false, client.models().isReady("no_such")));
    calls.put("models().metadata(m)", ClientStandardTest::metadata);
    calls.put("infer, FP32", ClientStandardTest::floats);
    calls.put("infer, INT64", ClientStandardTest::longs);
    calls.put("infer, BYTES", ClientStandardTest::strings);
    calls.put("infer, FP16", ClientStandardTest::halves);
    calls.put("infer, id, parameter, an output by name", ClientStandardTest::options);
    calls.put(
        "inferAsync",
        client ->
            expect(
                1.5f, client.inferAsync(request().build()).join().output("OUTPUT0").floats()[0]));
    calls.put(
        "infer, an input is missing",
        client -> client.infer(InferRequest.to("identity_fp32").build()));
    calls.put("infer, unknown model", client -> client.infer(InferRequest.to("no_such").build()));
    return calls;
  }

  private static void expect(Object expected, Object actual) {
    if (!expected.equals(actual)) {
      throw new IllegalStateException("%s, not %s".formatted(actual, expected));
    }
  }

  private static void metadata(NereidClient client) {
    ModelMetadata metadata = client.models().metadata("identity_fp32");
    expect("identity_fp32", metadata.name());
    expect("INPUT0", metadata.inputs().get(0).name());
    expect("FP32", metadata.inputs().get(0).dataType());
  }

  private static InferRequest.Builder request() {
    return InferRequest.to("identity_fp32")
        .input("INPUT0", Tensor.of(new float[] {1.5f, -2, Float.MIN_VALUE}));
  }

  private static void floats(NereidClient client) {
    float[] answer = client.infer(request().build()).output("OUTPUT0").floats();
    expect(3, answer.length);
    expect(Float.MIN_VALUE, answer[2]);
  }

  private static void longs(NereidClient client) {
    Tensor tensor = Tensor.of(new long[] {Long.MIN_VALUE, 7});
    InferRequest request = InferRequest.to("identity_int64").input("INPUT0", tensor).build();
    expect(Long.MIN_VALUE, client.infer(request).output("OUTPUT0").longs()[0]);
  }

  private static void strings(NereidClient client) {
    Tensor tensor = Tensor.of(new String[] {"a", "ü"});
    InferRequest request = InferRequest.to("identity_bytes").input("INPUT0", tensor).build();
    expect("ü", client.infer(request).output("OUTPUT0").strings()[1]);
  }

  private static void halves(NereidClient client) {
    Tensor tensor = Tensor.of(DataType.FP16, new float[] {1.5f});
    InferRequest request = InferRequest.to("identity_fp16").input("INPUT0", tensor).build();
    expect(1.5f, client.infer(request).output("OUTPUT0").floats()[0]);
  }

  private static void options(NereidClient client) {
    InferResponse response =
        client.infer(request().id("7").parameter("x", 1).outputs("OUTPUT0").build());
    expect("7", response.id());
    expect("identity_fp32", response.model());
  }

  private static String outcome(Consumer<NereidClient> call, NereidClient client) {
    try {
      call.accept(client);
      return "ok";
    } catch (NereidException e) {
      return e.code() + ": " + e.sentence();
    } catch (IllegalStateException | IllegalArgumentException | CompletionException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static NereidClient open(String address, boolean json) {
    var builder = NereidClient.builder(address).deadline(Duration.ofSeconds(20));
    return (json ? builder.jsonTensors() : builder).open();
  }

  @Test
  void everyCallEndsAsItShould() {
    StringBuilder table =
        new StringBuilder("\n| call | REST | REST, JSON | gRPC |\n| --- | --- | --- | --- |\n");
    Map<String, String> unexpected = new LinkedHashMap<>();
    try (NereidClient rest = open(addresses.get(0), false);
        NereidClient json = open(addresses.get(0), true);
        NereidClient grpc = open(addresses.get(1), false)) {
      calls()
          .forEach((name, call) -> {
            List<String> outcomes =
                Stream.of(rest, json, grpc).map(client -> outcome(call, client)).toList();
            table.append("| %s | %s |\n".formatted(name, String.join(" | ", outcomes)));
            List<String> codes =
                outcomes.stream().map(each -> each.replaceAll("(?s):.*", "")).toList();
            if (!codes.equals(List.of("ok", "ok", "ok"))) {
              unexpected.put(name, String.join(" ", codes));
            }
          });
    }
    System.out.println(table);
    if (OTHER.isEmpty()) {
      assertThat(unexpected)
          .as("%s", table)
          .containsExactly(
              Map.entry("infer, FP16", "ok UNIMPLEMENTED ok"),
              Map.entry(
                  "infer, an input is missing",
                  "INVALID_ARGUMENT INVALID_ARGUMENT INVALID_ARGUMENT"),
              Map.entry("infer, unknown model", "NOT_FOUND NOT_FOUND NOT_FOUND"));
    }
  }
}
