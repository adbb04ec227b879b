package io.nereid.server.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.LocalServer;
import io.nereid.server.memory.RegionClient.Input;
import io.nereid.server.memory.RegionClient.Output;
import io.nereid.server.memory.RegionClient.Protocol;
import io.nereid.server.memory.RegionClient.Result;
import io.nereid.server.memory.RegionClient.Slice;
import io.nereid.server.tensorrt.Doubles;
import io.nereid.tck.TckModels;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.support.Samples;
import io.nereid.tck.support.SharedMemoryObject;
import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.CudaIpc;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.cuda.DeviceMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Inputs and outputs in memory of a GPU, which the TensorRT backend opens and copies, over both
 * protocols and on the doubles of CUDA and TensorRT. The test is the client as well.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class CudaRegionServerDoubleTest {
  private static final int TENSORRT = 101501;
  private static final int LAUNCH_OUT_OF_RESOURCES = 701; // cudaErrorLaunchOutOfResources
  private static final int SIZE = 4096;
  private static final String OPENED = "opened memory handles";

  private final Doubles doubles = Doubles.compiled();
  private final List<ClientRegion> clientRegions = new ArrayList<>();
  private final Gate gate = Gate.of("gated");
  private LocalServer server;

  /** Memory of the client on a GPU. */
  private record ClientRegion(DeviceMemory memory, CudaStream stream) {
    static ClientRegion of(int gpu) {
      CudaDevice device = CudaDevice.of(gpu);
      return new ClientRegion(DeviceMemory.allocate(device, SIZE), CudaStream.createOn(device));
    }

    byte[] handle() {
      return CudaIpc.exportMemory(memory);
    }

    ClientRegion write(long offset, byte... bytes) {
      try (var arena = Arena.ofConfined()) {
        MemorySegment source = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
        stream.copyToDevice(memory.buffer(), offset, source, bytes.length);
        stream.synchronize();
      }
      return this;
    }

    byte[] read(long offset, int count) {
      try (var arena = Arena.ofConfined()) {
        MemorySegment target = arena.allocate(count);
        stream.copyToHost(target, memory.buffer(), offset, count);
        stream.synchronize();
        return target.toArray(ValueLayout.JAVA_BYTE);
      }
    }

    void free() {
      stream.close();
      memory.close();
    }
  }

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    doubles.begin(TENSORRT);
    doubles.bindCuda();
    TckModels.extractTo(directory);
    ModelOnDisk.of(
        directory,
        "gated",
        """
        backend: "gate"
        max_batch_size: 4
        input { name: "IN0" data_type: TYPE_UINT8 dims: [ 4 ] }
        output { name: "OUT0" data_type: TYPE_UINT8 dims: [ 4 ] }
        instance_group { count: 1 kind: KIND_CPU }
        """);
    ModelOnDisk.of(
            directory,
            "sum",
            """
            backend: "tensorrt"
            max_batch_size: 8
            input { name: "INPUT0" data_type: TYPE_FP32 dims: [ -1 ] }
            input { name: "INPUT1" data_type: TYPE_FP32 dims: [ -1 ] }
            output { name: "OUTPUT0" data_type: TYPE_FP32 dims: [ -1 ] }
            """)
        .withFile(
            "1/model.plan",
            """
            nereid-plan
            version %d
            gpu Double GPU
            name sum
            weights 4096
            memory 1024
            profiles 1
            input INPUT0 FP32 [-1,-1]
            input INPUT1 FP32 [-1,-1]
            output OUTPUT0 FP32 [-1,-1] add INPUT0 INPUT1
            range INPUT0 0 [1,1] [4,4] [8,16]
            range INPUT1 0 [1,1] [4,4] [8,16]
            """
                .formatted(TENSORRT));
    server = new LocalServer(LocalServer.options(directory, options()), new CheckedBufferPool());
  }

  private String[] options() {
    return Stream.concat(
            Stream.of("--allow-client-shm=true"),
            doubles.options().entrySet().stream()
                .map(each ->
                    "--backend-config=tensorrt,%s=%s".formatted(each.getKey(), each.getValue())))
        .toArray(String[]::new);
  }

  @AfterEach
  void stop() {
    gate.tearDown();
    server.close(); // fails if a lease is outstanding
    clientRegions.forEach(ClientRegion::free); // while the server has it open, CUDA defines nothing
    Gate.forget("gated");
    Map<String, Long> left = doubles.left();
    doubles.forgetObjects();
    assertThat(left).isEmpty();
    assertThat(doubles.violations()).isEmpty();
  }

  private ClientRegion registered(RegionClient client, String name, byte... content) {
    ClientRegion region = allocated(0).write(0, content.length == 0 ? new byte[1] : content);
    client.registerCuda(name, region.handle(), 0, SIZE);
    return region;
  }

  private ClientRegion allocated(int gpu) {
    ClientRegion region = ClientRegion.of(gpu);
    clientRegions.add(region);
    return region;
  }

  private static byte[] floats(float... values) {
    return MemorySegment.ofArray(values).toArray(ValueLayout.JAVA_BYTE);
  }

  private long opened() {
    return doubles.live().getOrDefault(OPENED, 0L);
  }

  @ParameterizedTest
  @EnumSource
  void readsInputsFromAGpuAndWritesOutputsToItForABackendOnTheHost(Protocol protocol) {
    RegionClient client = protocol.of(server);
    ClientRegion region = registered(client, "r");
    region.write(8, Samples.ints(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));

    Result result =
        client.infer(
            "simple",
            List.of(
                Input.in(new Slice("r", 8, 64), "INPUT0", "INT32", 1, 16),
                Input.sent(new byte[64], "INPUT1", "INT32", 1, 16)),
            List.of(new Output("OUTPUT0", new Slice("r", 1000, 64)), new Output("OUTPUT1", null)));

    assertThat(result.error()).isEmpty();
    assertThat(region.read(1000, 12)).isEqualTo(Samples.ints(1, 2, 3));
    assertThat(result.output("OUTPUT1")).startsWith(Samples.ints(1, 2, 3)).hasSize(64);
    client.unregisterCuda("r");
    assertThat(opened()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void readsInputsFromAGpuAndWritesOutputsToItForTheBackendThatOffersIt(Protocol protocol) {
    RegionClient client = protocol.of(server);
    ClientRegion in = allocated(1).write(0, floats(1, 2, 3, 4));
    in.write(16, floats(10, 20, 30, 40));
    client.registerCuda("in", in.handle(), 1, SIZE);
    ClientRegion out = registered(client, "out");

    Result result =
        client.infer(
            "sum",
            List.of(
                Input.in(new Slice("in", 0, 16), "INPUT0", "FP32", 1, 4),
                Input.in(new Slice("in", 16, 16), "INPUT1", "FP32", 1, 4)),
            List.of(new Output("OUTPUT0", new Slice("out", SIZE - 16, 16))));

    assertThat(result.error()).isEmpty();
    assertThat(out.read(SIZE - 16, 16)).isEqualTo(floats(11, 22, 33, 44));
  }

  @ParameterizedTest
  @EnumSource
  void listsAndUnregistersTheRegionsOfAKind(Protocol protocol) {
    RegionClient client = protocol.of(server);
    client.registerCuda("b", allocated(1).handle(), 1, 100);
    client.registerCuda("a", allocated(0).handle(), 0, 200);
    try (var object = SharedMemoryObject.create(SIZE)) {
      client.register("s", object.key(), 0, SIZE);

      assertThat(client.cudaRegions()).containsExactly("a 0 200", "b 1 100");
      assertThat(client.regions()).containsExactly("s");
      client.unregister("a");
      client.unregisterCuda("s");
      assertThat(client.cudaRegions()).hasSize(2);
      client.unregisterCuda("a");
      assertThat(client.cudaRegions()).containsExactly("b 1 100");
      client.unregisterCuda("");
      assertThat(client.cudaRegions()).isEmpty();
      assertThat(client.regions()).containsExactly("s");
    }
    assertThat(opened()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void refusesWhatCannotBeOpened(Protocol protocol) {
    RegionClient client = protocol.of(server);
    ClientRegion region = registered(client, "taken");
    byte[] handle = region.handle();
    ClientRegion ended = ClientRegion.of(0);
    byte[] freed = ended.handle();
    ended.free();
    String refused = "failed to register shared memory region 'r': invalid args";

    assertThatThrownBy(() -> client.registerCuda("r", handle, 1, SIZE)) // of another device
        .hasMessageContaining(refused);
    assertThatThrownBy(() -> client.registerCuda("r", handle, 7, SIZE))
        .hasMessageContaining(refused);
    assertThatThrownBy(() -> client.registerCuda("r", handle, 0, SIZE + 1))
        .hasMessageContaining(refused);
    assertThatThrownBy(() -> client.registerCuda("r", freed, 0, SIZE))
        .hasMessageContaining(refused);
    assertThatThrownBy(() -> client.registerCuda("r", new byte[64], 0, SIZE))
        .hasMessageContaining(refused);
    assertThatThrownBy(() -> client.registerCuda("r", new byte[63], 0, SIZE))
        .hasMessageContaining(
            protocol == Protocol.HTTP
                ? "'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t"
                : refused);
    assertThatThrownBy(() -> client.registerCuda("taken", handle, 0, SIZE))
        .hasMessageContaining("shared memory region 'taken' already in manager");
    assertThat(client.cudaRegions()).containsExactly("taken 0 " + SIZE);
    assertThat(opened()).isEqualTo(1);
  }

  private static List<Input> input(String region, long offset) {
    return List.of(Input.in(new Slice(region, offset, 4), "IN0", "UINT8", 1, 4));
  }

  private static List<Output> output(String region, long offset) {
    return List.of(new Output("OUT0", new Slice(region, offset, 4)));
  }

  @ParameterizedTest
  @EnumSource
  void rejectsPartsBeyondTheRegionThoughTheAllocationIsLarger(Protocol protocol) {
    RegionClient client = protocol.of(server);
    client.registerCuda("r", allocated(0).handle(), 0, 100);

    assertThat(client.infer("gated", input("r", 97), output("r", 0)).error())
        .isEqualTo("Invalid offset + byte size for shared memory region: 'r'");
    assertThat(client.infer("gated", input("r", 0), output("r", 100)).error())
        .isEqualTo("Invalid offset for shared memory region: 'r'");
  }

  @ParameterizedTest
  @EnumSource
  void closesMemoryThatIsUnregisteredOnceTheRequestThatUsesItHasEnded(Protocol protocol) {
    RegionClient client = protocol.of(server);
    registered(client, "in", (byte) 1, (byte) 2, (byte) 3, (byte) 4);
    ClientRegion out = registered(client, "out");
    var result =
        CompletableFuture.supplyAsync(
            () -> client.infer("gated", input("in", 0), output("out", 0)),
            task -> Thread.ofVirtual().start(task));
    gate.awaitBegun(1);

    client.unregisterCuda("");
    assertThat(client.cudaRegions()).hasSize(2);
    assertThat(opened()).isEqualTo(2);
    gate.openAll();

    assertThat(result).succeedsWithin(60, TimeUnit.SECONDS).matches(r -> r.error().isEmpty());
    assertThat(out.read(0, 4)).containsExactly(1, 2, 3, 4);
    assertThat(client.cudaRegions()).isEmpty();
    assertThat(opened()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aCopyThatFailsIsAnAnswerThatNamesTheRegion(Protocol protocol) {
    RegionClient client = protocol.of(server);
    registered(client, "in", (byte) 1, (byte) 2, (byte) 3, (byte) 4);
    ClientRegion out = registered(client, "out");
    gate.openAll();

    doubles.fail("cudaMemcpyAsync", 0, LAUNCH_OUT_OF_RESOURCES);
    assertThat(client.infer("gated", input("in", 0), output("out", 0)).error())
        .startsWith(
            "shared memory region 'in' can not be read: memory of GPU 0 is not copied:"
                + " cudaMemcpyAsync failed on device 0: cudaErrorLaunchOutOfResources");
    doubles.fail("cudaStreamSynchronize", 1, LAUNCH_OUT_OF_RESOURCES);
    assertThat(client.infer("gated", input("in", 0), output("out", 0)).error())
        .startsWith(
            "shared memory region 'out' can not be written: memory of GPU 0 is not copied:"
                + " cudaStreamSynchronize failed on device 0: cudaErrorLaunchOutOfResources");

    assertThat(client.infer("gated", input("in", 0), output("out", 0)).error()).isEmpty();
    assertThat(out.read(0, 4)).containsExactly(1, 2, 3, 4);
  }
}
