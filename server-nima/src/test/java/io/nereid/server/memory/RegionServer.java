package io.nereid.server.memory;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.LocalServer;
import io.nereid.tck.TckModels;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.support.SharedMemoryObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A server that allows shared memory, with models that a gate holds, and the shared memory objects
 * of its clients.
 */
final class RegionServer implements AutoCloseable {
  /** The size of an object, unless it is given more content. */
  static final int SIZE = 4096;

  private final List<SharedMemoryObject> objects = new ArrayList<>();
  private final Gate gate = Gate.of("gated");
  private final LocalServer server;

  /**
   * @param directory an empty one, for the model repository
   */
  RegionServer(Path directory) throws IOException {
    TckModels.extractTo(directory);
    gated(directory, "gated", "");
    gated(
        directory,
        "pairs",
        "dynamic_batching { preferred_batch_size: [ 2 ]"
            + " max_queue_delay_microseconds: 100000000 }");
    ModelOnDisk.of(
        directory,
        "pair",
        """
        platform: "ensemble"
        input { name: "A" data_type: TYPE_UINT8 dims: [ -1 ] }
        output { name: "B" data_type: TYPE_UINT8 dims: [ -1 ] }
        ensemble_scheduling {
          step { model_name: "identity_uint8" model_version: -1
            input_map { key: "INPUT0" value: "A" } output_map { key: "OUTPUT0" value: "T" } }
          step { model_name: "identity_uint8" model_version: -1
            input_map { key: "INPUT0" value: "T" } output_map { key: "OUTPUT0" value: "B" } }
        }
        """);
    ModelOnDisk.of(
            directory,
            "cached",
            """
            backend: "tck_echo"
            input { name: "INPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
            output { name: "OUTPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
            response_cache { enable: true }
            """)
        .withDirectory("1");
    server =
        new LocalServer(
            LocalServer.options(
                directory, "--allow-client-shm=true", "--cache-config=local,size=1048576"),
            new CheckedBufferPool());
  }

  private static void gated(Path directory, String name, String batching) {
    ModelOnDisk.of(
        directory,
        name,
        """
        backend: "gate"
        max_batch_size: 4
        input { name: "IN0" data_type: TYPE_UINT8 dims: [ 4 ] }
        output { name: "OUT0" data_type: TYPE_UINT8 dims: [ 4 ] }
        instance_group { count: 1 kind: KIND_CPU }
        """
            + batching);
  }

  LocalServer server() {
    return server;
  }

  /** The gate of the model {@code gated}. */
  Gate gate() {
    return gate;
  }

  /** A new object that begins with {@code content}. */
  SharedMemoryObject object(byte... content) {
    var object = SharedMemoryObject.create(Math.max(SIZE, content.length));
    object.write(0, content);
    objects.add(object);
    return object;
  }

  /** A new object, all of which is registered as a region. */
  SharedMemoryObject registered(RegionClient client, String name, byte... content) {
    SharedMemoryObject object = object(content);
    client.register(name, object.key(), 0, object.byteSize());
    return object;
  }

  @Override
  public void close() {
    gate.tearDown();
    server.close(); // fails if a lease is outstanding
    Gate.forget("gated");
    Gate.forget("pairs");
    objects.forEach(SharedMemoryObject::close);
  }
}
