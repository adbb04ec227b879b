package io.nereid.server;

import io.grpc.ManagedChannel;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server for measurements, in the process of its clients, so that all times are of one clock. Its
 * models are run by the {@link StopwatchBackend}: two slow ones, and a loop of ONNX that goes on as
 * long as it is told.
 */
abstract class StopwatchServer {
  /** What a machine that is busy otherwise may add between a decision and what follows from it. */
  static final long JITTER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final String SLOW =
      """
      backend: "stopwatch"
      input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      instance_group { count: 1 kind: KIND_CPU }
      parameters { key: "of" value { string_value: "gate" } }
      parameters { key: "gate_open" value { string_value: "true" } }
      parameters { key: "execute_micros" value { string_value: "200000" } }
      """;
  private static final String QUEUE =
      "dynamic_batching { default_queue_policy { allow_timeout_override: true"
          + " default_timeout_microseconds: 3600000000 } }";
  private static final String ONNX =
      """
      backend: "stopwatch"
      instance_group { count: 1 kind: KIND_CPU }
      parameters { key: "of" value { string_value: "onnxruntime" } }
      parameters { key: "intra_op_thread_count" value { string_value: "1" } }
      """;
  private static final Path LOOP =
      Path.of("../backend-onnx/src/test/resources/models/loop.onnx").toAbsolutePath();

  final ArrivalPool pool = new ArrivalPool();
  private LocalServer server;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    model(directory, "slow", SLOW);
    model(directory, "slow_queue", SLOW + QUEUE);
    Files.copy(LOOP, model(directory, "loop", ONNX).resolve("model.onnx"));
    server = new LocalServer(LocalServer.options(directory), pool);
    StopwatchBackend.BEGUN.clear();
    StopwatchBackend.ENDED.clear();
  }

  /** Writes a model; returns the folder of its version. */
  private static Path model(Path repository, String name, String config) throws IOException {
    Path version = Files.createDirectories(repository.resolve(name).resolve("1"));
    Files.writeString(version.resolveSibling("config.pbtxt"), config);
    return version;
  }

  @AfterEach
  void stop() {
    server.close();
  }

  ManagedChannel channel() {
    return server.channel();
  }

  URI http() {
    return server.http();
  }
}
