package io.nereid.server.telemetry.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.nereid.protocol.inference.TraceSettingRequest;
import io.nereid.protocol.inference.TraceSettingRequest.SettingValue;
import io.nereid.protocol.inference.TraceSettingResponse;
import io.nereid.server.LocalServer;
import io.nereid.server.support.TokenBackend;
import io.nereid.tck.RepositoryFolder;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A server that traces each request into a file once a level is set, with a client of each
 * protocol. Its models are {@code m}, {@code e}, an ensemble of it, {@code tokens}, and {@code
 * caller}, which calls {@code m} as its script says.
 */
final class TracedServer implements AutoCloseable {
  private static final String ENSEMBLE =
      """
      platform: "ensemble"
      input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] }
      output { name: "OUT" data_type: TYPE_INT32 dims: [ -1 ] }
      ensemble_scheduling {
        step { model_name: "m" model_version: -1
               input_map { key: "INPUT0" value: "IN" } output_map { key: "OUTPUT0" value: "t" } }
        step { model_name: "m" model_version: -1
               input_map { key: "INPUT0" value: "t" } output_map { key: "OUTPUT0" value: "OUT" } }
      }
      """;

  private static final String TOKENS =
      """
      backend: "tokens"
      input { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] }
      output { name: "TOKEN" data_type: TYPE_STRING dims: [ 1 ] }
      model_transaction_policy { decoupled: true }
      """;

  private static final String CALLER =
      """
      backend: "scripted"
      input { name: "INPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
      output { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
      parameters { key: "calls" value { string_value: "m" } }
      """;

  private final Path file;
  private final Path models;
  private final LocalServer server;
  private final HttpWire wire;
  private final GRPCInferenceServiceBlockingStub grpc;
  private boolean closed;

  TracedServer(Path folder) throws IOException {
    file = folder.resolve("trace.json");
    models = folder.resolve("models");
    RepositoryFolder.at(models).add("m", RepositoryFolder.ECHO, 1);
    RepositoryFolder.at(models).add("e", ENSEMBLE, 1);
    RepositoryFolder.at(models).add("tokens", TOKENS, 1);
    RepositoryFolder.at(models).add("caller", CALLER, 1);
    TokenBackend.reset();
    server =
        new LocalServer(
            LocalServer.options(
                models,
                "--client-settings=all",
                "--trace-config=triton,file=" + file,
                "--trace-config=rate=1"),
            new CheckedBufferPool());
    wire = new HttpWire(server.http());
    grpc = GRPCInferenceServiceGrpc.newBlockingStub(server.channel());
  }

  /** The file of the traces, which is complete once the server is closed. */
  Path file() {
    return file;
  }

  Path models() {
    return models;
  }

  ManagedChannel channel() {
    return server.channel();
  }

  HttpWire wire() {
    return wire;
  }

  GRPCInferenceServiceBlockingStub grpc() {
    return grpc;
  }

  HttpWire.Response post(String path, String body) {
    return wire.send("POST", path, body.getBytes(UTF_8), Map.of());
  }

  /** Changes a setting over gRPC. */
  TraceSettingResponse call(String model, String name, String... values) {
    return grpc.traceSetting(
        TraceSettingRequest.newBuilder()
            .setModelName(model)
            .putSettings(name, SettingValue.newBuilder().addAllValue(List.of(values)).build())
            .build());
  }

  /** Sets the levels of all models. */
  void trace(String levels) {
    assertThat(post("/v2/trace/setting", "{\"trace_level\":[" + levels + "]}").status())
        .isEqualTo(200);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      wire.close();
      server.close();
    }
  }
}
