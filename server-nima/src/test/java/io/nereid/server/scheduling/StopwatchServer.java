package io.nereid.server.scheduling;

import io.grpc.ManagedChannel;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.LocalServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server for measurements in the process of its clients, so that all times are of one clock. The
 * {@link StopwatchBackend} runs its models: two slow ones, and an ONNX loop whose number of
 * iterations is an input.
 */
abstract class StopwatchServer {
  /** The delay that a busy machine may add between a decision and its effect. */
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
    ModelOnDisk.of(directory, "slow", SLOW);
    ModelOnDisk.of(directory, "slow_queue", SLOW + QUEUE);
    Files.copy(LOOP, ModelOnDisk.of(directory, "loop", ONNX).path().resolve("1/model.onnx"));
    server = new LocalServer(LocalServer.options(directory), pool);
    StopwatchBackend.BEGUN.clear();
    StopwatchBackend.ENDED.clear();
  }

  /** A pool that records when each size was first leased: the start of a request of that size. */
  static final class ArrivalPool implements BufferPool {
    private final SlabPool pool = new SlabPool(new ArenaAllocator(), 1L << 30);
    private final Map<Long, Long> firstNanos = new ConcurrentHashMap<>();

    /** The time of the first lease of that size, of {@link System#nanoTime}. */
    long firstNanos(long byteSize) {
      return Objects.requireNonNull(firstNanos.get(byteSize));
    }

    @Override
    public Lease lease(long byteSize) {
      firstNanos.putIfAbsent(byteSize, System.nanoTime());
      return pool.lease(byteSize);
    }

    @Override
    public long outstanding() {
      return pool.outstanding();
    }

    @Override
    public long heldBytes() {
      return pool.heldBytes();
    }

    @Override
    public void close() {
      pool.close();
    }
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
