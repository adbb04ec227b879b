package io.nereid.server.hostile;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import io.nereid.engine.model.control.lifecycle.SpiCall;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.tck.support.HttpWire;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Clients that have the bad backend called, and ask for the state of others. */
final class BadClients implements AutoCloseable {
  /** Clients of the bad model over each protocol, each with a connection of its own. */
  private static final int CLIENTS = 4;

  private static final String IN_REGION =
      """
      {"inputs": [{"name": "IN0", "datatype": "FP32", "shape": [4],
        "parameters": {"shared_memory_region": "r", "shared_memory_byte_size": 16}}],
       "outputs": [{"name": "OUT0",
        "parameters": {"shared_memory_region": "r", "shared_memory_byte_size": 16}}]}
      """;

  private final URI http;
  private final List<ManagedChannel> channels;

  BadClients(int httpPort, int grpcPort) {
    http = URI.create("http://127.0.0.1:" + httpPort);
    channels =
        IntStream.range(0, CLIENTS)
            .<ManagedChannel>mapToObj(
                _ -> ManagedChannelBuilder.forAddress("127.0.0.1", grpcPort).usePlaintext().build())
            .toList();
  }

  HttpWire.Response get(String path) {
    try (var wire = new HttpWire(http)) {
      return wire.send("GET", path, new byte[0], Map.of());
    }
  }

  HttpWire.Response post(String path, String body) {
    try (var wire = new HttpWire(http)) {
      return wire.send("POST", path, body.getBytes(UTF_8), Map.of());
    }
  }

  HttpWire.Response infer(String model) {
    try (var wire = new HttpWire(http)) {
      return SteadyRequests.post(wire, model, "INPUT0", "4");
    }
  }

  /** Has the server make that call, and waits for nothing. */
  void reach(SpiCall call) {
    switch (call.when()) {
      case LOAD -> start(() -> post("/v2/repository/models/bad/load", ""));
      case UNLOAD -> start(() -> post("/v2/repository/models/bad/unload", ""));
      case ASKED ->
          start(
              () -> get(call == SpiCall.HEALTHY ? "/v2/models/bad/ready" : "/v2/models/bad/stats"));
      case EXECUTION, PIPELINE -> inferBad("4", 4);
      case BATCHING -> inferBad("1, 4", 1, 4);
      case MEMORY -> {
        inferBad("4", 4);
        if (call == SpiCall.FREE) {
          start(() -> post("/v2/repository/models/bad/unload", ""));
        }
      }
      case DEVICE -> start(this::useRegion);
      case STOP -> {} // follows
    }
  }

  private void inferBad(String text, long... shape) {
    for (ManagedChannel channel : channels) {
      var stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
      start(() -> {
        try (var wire = new HttpWire(http)) {
          var _ = SteadyRequests.post(wire, "bad", "IN0", text);
        }
      });
      start(() -> SteadyRequests.infer(stub, "bad", "IN0", shape));
    }
  }

  private void useRegion() {
    String handle = Base64.getEncoder().encodeToString(new byte[64]);
    var _ =
        post(
            "/v2/cudasharedmemory/region/r/register",
            "{\"raw_handle\":{\"b64\":\"%s\"},\"device_id\":0,\"byte_size\":16}".formatted(handle));
    var _ = post("/v2/models/bad/infer", IN_REGION);
    var _ = post("/v2/cudasharedmemory/region/r/unregister", "");
  }

  /** What comes of it is no matter: it may fail, hang, or be cut off by the stop. */
  private static void start(Runnable request) {
    var _ =
        Thread.ofVirtual()
            .start(() -> {
              try {
                request.run();
              } catch (UncheckedIOException | StatusRuntimeException expected) {
                // of a bad backend
              }
            });
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
  }
}
