package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.stub.StreamObserver;
import io.nereid.server.RegionClient.Input;
import io.nereid.server.RegionClient.Output;
import io.nereid.server.RegionClient.OverGrpc;
import io.nereid.server.RegionClient.Protocol;
import io.nereid.server.RegionClient.Result;
import io.nereid.server.RegionClient.Slice;
import io.nereid.server.memory.CheckedBufferPool;
import io.nereid.server.model.config.ModelOnDisk;
import io.nereid.server.protobuf.GRPCInferenceServiceGrpc;
import io.nereid.server.protobuf.InferParameter;
import io.nereid.server.protobuf.ModelInferRequest;
import io.nereid.server.protobuf.ModelStreamInferResponse;
import io.nereid.tck.TckModels;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.support.Samples;
import io.nereid.tck.support.SharedMemoryObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Inputs and outputs in shared memory regions, over both protocols. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class SharedMemoryServerTest {
  private static final int ROW = 64;
  private static final int SIZE = 4096;

  private final List<SharedMemoryObject> objects = new ArrayList<>();
  private final Gate gate = Gate.of("gated");
  private LocalServer server;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
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

  @AfterEach
  void stop() {
    gate.tearDown();
    server.close(); // fails if a lease is outstanding
    Gate.forget("gated");
    Gate.forget("pairs");
    objects.forEach(SharedMemoryObject::close);
  }

  private SharedMemoryObject object(byte... content) {
    var object = SharedMemoryObject.create(Math.max(SIZE, content.length));
    object.write(0, content);
    objects.add(object);
    return object;
  }

  private SharedMemoryObject registered(RegionClient client, String name, byte... content) {
    SharedMemoryObject object = object(content);
    client.register(name, object.key(), 0, object.byteSize());
    return object;
  }

  private static CompletableFuture<Result> later(
      RegionClient client, String model, List<Input> inputs, List<Output> outputs) {
    return CompletableFuture.supplyAsync(
        () -> client.infer(model, inputs, outputs), task -> Thread.ofVirtual().start(task));
  }

  private static byte[] row(int first) {
    int[] values = new int[16];
    Arrays.setAll(values, i -> first + i);
    return Samples.ints(values);
  }

  @ParameterizedTest
  @EnumSource
  void readsInputsFromARegionAndWritesOutputsToOne(Protocol protocol) {
    RegionClient client = protocol.of(server);
    SharedMemoryObject in = registered(client, "in", row(0));
    in.write(ROW, row(100));
    SharedMemoryObject out = registered(client, "out");

    Result result =
        client.infer(
            "simple",
            List.of(
                Input.in(new Slice("in", 0, ROW), "INPUT0", "INT32", 1, 16),
                Input.in(new Slice("in", ROW, ROW), "INPUT1", "INT32", 1, 16)),
            List.of(
                new Output("OUTPUT0", new Slice("out", 32, ROW)),
                new Output("OUTPUT1", new Slice("out", 1024, 1024))));

    assertThat(result.error()).isEmpty();
    assertThat(out.read(32, 8)).isEqualTo(Samples.ints(100, 102));
    assertThat(out.read(1024, 8)).isEqualTo(Samples.ints(-100, -100));
    assertThat(out.read(1024 + ROW, 4)).containsOnly(0);
  }

  @ParameterizedTest
  @EnumSource
  void mixesRegionsWithTensorsInTheMessage(Protocol protocol) {
    RegionClient client = protocol.of(server);
    registered(client, "in", row(0));
    SharedMemoryObject out = registered(client, "out");

    Result result =
        client.infer(
            "simple",
            List.of(
                Input.sent(row(5), "INPUT0", "INT32", 1, 16),
                Input.in(new Slice("in", 0, ROW), "INPUT1", "INT32", 1, 16)),
            List.of(new Output("OUTPUT0", new Slice("out", 0, ROW)), new Output("OUTPUT1", null)));

    assertThat(out.read(0, 8)).isEqualTo(Samples.ints(5, 7));
    assertThat(result.output("OUTPUT1")).startsWith(Samples.ints(5, 5)).hasSize(ROW);
  }

  @ParameterizedTest
  @EnumSource
  void readsAndWritesTensorsOfManyBytes(Protocol protocol) {
    RegionClient client = protocol.of(server);
    byte[] bytes = new byte[(3 << 20) + 1];
    new Random(1).nextBytes(bytes);
    registered(client, "in", bytes);
    SharedMemoryObject out = registered(client, "out", new byte[bytes.length]);

    Result result =
        client.infer(
            "identity_uint8",
            List.of(Input.in(new Slice("in", 0, bytes.length), "INPUT0", "UINT8", bytes.length)),
            List.of(new Output("OUTPUT0", new Slice("out", 0, bytes.length))));

    assertThat(result.error()).isEmpty();
    assertThat(out.read(0, bytes.length)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @EnumSource
  void checksTheElementsOfBytesInARegion(Protocol protocol) {
    RegionClient client = protocol.of(server);
    byte[] strings = {2, 0, 0, 0, 'a', 'b', 0, 0, 0, 0};
    SharedMemoryObject in = registered(client, "in", strings);
    SharedMemoryObject out = registered(client, "out");
    List<Input> inputs =
        List.of(Input.in(new Slice("in", 0, strings.length), "INPUT0", "BYTES", 2));
    List<Output> outputs = List.of(new Output("OUTPUT0", new Slice("out", 0, SIZE)));

    assertThat(client.infer("identity_bytes", inputs, outputs).error()).isEmpty();
    assertThat(out.read(0, strings.length)).isEqualTo(strings);
    in.write(0, (byte) 3);
    assertThat(client.infer("identity_bytes", inputs, outputs).error()).contains("input 'INPUT0'");
  }

  @ParameterizedTest
  @EnumSource
  void rejectsRegionsThatDoNotFitTheirTensors(Protocol protocol) {
    RegionClient client = protocol.of(server);
    registered(client, "r", row(0));

    assertThat(simple(client, new Slice("r", 0, 2 * ROW), new Slice("r", 0, ROW)))
        .contains("input byte size mismatch for input 'INPUT0' for model 'simple'.")
        .contains("Expected 64, got 128");
    assertThat(simple(client, new Slice("r", 0, ROW), new Slice("r", 0, ROW - 1)))
        .isEqualTo(
            "shared memory size specified with the request for output 'OUTPUT0' (63 bytes) should"
                + " be at least 64 bytes to hold the results");
    assertThat(simple(client, new Slice("q", 0, ROW), new Slice("r", 0, ROW)))
        .isEqualTo("Unable to find shared memory region: 'q'");
    assertThat(simple(client, new Slice("r", 0, ROW), new Slice("q", 0, ROW)))
        .isEqualTo("Unable to find shared memory region: 'q'");
    assertThat(simple(client, new Slice("r", SIZE, 0), new Slice("r", 0, ROW)))
        .isEqualTo("Invalid offset for shared memory region: 'r'");
    assertThat(simple(client, new Slice("r", 0, ROW), new Slice("r", 1, SIZE)))
        .isEqualTo("Invalid offset + byte size for shared memory region: 'r'");
    client.unregister("");
    assertThat(client.regions()).isEmpty(); // none is in use
  }

  private static String simple(RegionClient client, Slice input, Slice output) {
    return client
        .infer(
            "simple",
            List.of(
                Input.in(input, "INPUT0", "INT32", 1, 16),
                Input.sent(row(0), "INPUT1", "INT32", 1, 16)),
            List.of(new Output("OUTPUT0", output)))
        .error();
  }

  private static List<Input> gatedInput(String region) {
    return List.of(Input.in(new Slice(region, 0, 4), "IN0", "UINT8", 1, 4));
  }

  private static List<Output> gatedOutput(String region) {
    return List.of(new Output("OUT0", new Slice(region, 0, 4)));
  }

  @ParameterizedTest
  @EnumSource
  void unregistersARegionOnceTheRequestThatUsesItHasEnded(Protocol protocol) {
    RegionClient client = protocol.of(server);
    registered(client, "in", new byte[] {1, 2, 3, 4});
    SharedMemoryObject out = registered(client, "out");
    var result = later(client, "gated", gatedInput("in"), gatedOutput("out"));
    gate.awaitBegun(1);

    client.unregister("");
    assertThat(client.regions()).containsExactly("in", "out");
    SharedMemoryObject next = registered(client, "out");
    gate.openAll();

    assertThat(result).succeedsWithin(60, TimeUnit.SECONDS).matches(r -> r.error().isEmpty());
    assertThat(out.read(0, 4)).containsExactly(1, 2, 3, 4);
    assertThat(next.read(0, 4)).containsOnly(0);
    assertThat(client.regions()).containsExactly("out");
  }

  @ParameterizedTest
  @EnumSource
  void anObjectThatIsTruncatedDuringARequestHarmsNoOther(Protocol protocol) {
    RegionClient client = protocol.of(server);
    SharedMemoryObject in = registered(client, "in", new byte[] {1, 2, 3, 4});
    SharedMemoryObject out = registered(client, "out");
    SharedMemoryObject other = registered(client, "other");
    var result = later(client, "gated", gatedInput("in"), gatedOutput("out"));
    gate.awaitBegun(1);

    in.truncate(0);
    out.truncate(0);
    gate.openAll();

    assertThat(result)
        .succeedsWithin(60, TimeUnit.SECONDS)
        .extracting(Result::error)
        .asString()
        .isEqualTo(
            "shared memory region 'out' can not be written: its object '%s' has become smaller than"
                + " the region",
            out.key());
    assertThat(client.infer("gated", gatedInput("in"), gatedOutput("other")).error())
        .isEqualTo(
            "shared memory region 'in' can not be read: its object '%s' has become smaller than the"
                + " region",
            in.key());
    assertThat(out.byteSize()).isZero();
    assertThat(client.infer("gated", gatedInput("other"), gatedOutput("other")).error()).isEmpty();
    assertThat(other.byteSize()).isEqualTo(SIZE);
  }

  @ParameterizedTest
  @EnumSource
  void writesTheOutputsOfABatchToTheRegionsOfItsRequests(Protocol protocol) {
    RegionClient client = protocol.of(server);
    SharedMemoryObject first = registered(client, "first", new byte[] {1, 2, 3, 4});
    SharedMemoryObject second = registered(client, "second", new byte[] {5, 6, 7, 8});
    Gate.of("pairs").openAll();
    var one = later(client, "pairs", gatedInput("first"), outputAt("first"));
    var two = later(client, "pairs", gatedInput("second"), outputAt("second"));

    assertThat(one).succeedsWithin(60, TimeUnit.SECONDS).matches(r -> r.error().isEmpty());
    assertThat(two).succeedsWithin(60, TimeUnit.SECONDS).matches(r -> r.error().isEmpty());
    assertThat(Gate.of("pairs").executions()).hasSize(1);
    assertThat(first.read(100, 4)).containsExactly(1, 2, 3, 4);
    assertThat(second.read(100, 4)).containsExactly(5, 6, 7, 8);
  }

  private static List<Output> outputAt(String region) {
    return List.of(new Output("OUT0", new Slice(region, 100, 4)));
  }

  @ParameterizedTest
  @EnumSource
  void writesTheOutputsOfAnEnsemble(Protocol protocol) {
    RegionClient client = protocol.of(server);
    SharedMemoryObject r = registered(client, "r", new byte[] {1, 2, 3});

    Result result =
        client.infer(
            "pair",
            List.of(Input.in(new Slice("r", 0, 3), "A", "UINT8", 3)),
            List.of(new Output("B", new Slice("r", 1000, 3))));

    assertThat(result.error()).isEmpty();
    assertThat(r.read(1000, 3)).containsExactly(1, 2, 3);
  }

  @ParameterizedTest
  @EnumSource
  void writesACachedResponseToTheRegionOfTheRequestThatItAnswers(Protocol protocol) {
    RegionClient client = protocol.of(server);
    SharedMemoryObject in = registered(client, "in", new byte[] {1, 2, 3});
    SharedMemoryObject out = registered(client, "out");
    List<Input> inputs = List.of(Input.in(new Slice("in", 0, 3), "INPUT0", "UINT8", 3));

    assertThat(cached(client, inputs, 0)).isEmpty();
    assertThat(cached(client, inputs, 10)).isEmpty();
    in.write(0, (byte) 9);
    assertThat(cached(client, inputs, 20)).isEmpty();

    assertThat(out.read(0, 3)).containsExactly(1, 2, 3);
    assertThat(out.read(10, 3)).containsExactly(1, 2, 3);
    assertThat(out.read(20, 3)).containsExactly(9, 2, 3);
  }

  private static String cached(RegionClient client, List<Input> inputs, long offset) {
    return client
        .infer("cached", inputs, List.of(new Output("OUTPUT0", new Slice("out", offset, 3))))
        .error();
  }

  @Test
  void writesEachResponseOfADecoupledModelToTheSameRegion() throws InterruptedException {
    RegionClient client = Protocol.GRPC.of(server);
    registered(client, "in", Samples.ints(7, 8));
    SharedMemoryObject out = registered(client, "out");

    List<ModelStreamInferResponse> responses =
        stream(
            OverGrpc.request(
                "repeat",
                List.of(Input.in(new Slice("in", 0, 8), "IN", "INT32", 2)),
                List.of(
                    new Output("OUT", new Slice("out", 0, 4)),
                    new Output("IDX", new Slice("out", 4, 4)))));

    assertThat(responses).hasSize(2);
    assertThat(responses)
        .allMatch(response ->
            response.getInferResponse().getRawOutputContentsList().stream()
                .allMatch(bytes -> bytes.isEmpty()));
    assertThat(out.read(0, 8)).isEqualTo(Samples.ints(8, 1));
    client.unregister("");
    assertThat(client.regions()).isEmpty();
  }

  @Test
  void readsTheRequestsOfASequenceOnAStreamInTheirOrder() throws InterruptedException {
    RegionClient client = Protocol.GRPC.of(server);
    byte[] numbers = new byte[2 << 20];
    numbers[0] = 5;
    registered(client, "in", numbers);
    SharedMemoryObject out = registered(client, "out");
    List<Output> outputs = List.of(new Output("OUTPUT0", new Slice("out", 0, 4)));
    ModelInferRequest first =
        ofSequence(
            OverGrpc.request(
                "sequence_echo",
                List.of(Input.in(new Slice("in", 0, 4), "INPUT0", "INT32", 1, 1)),
                outputs),
            "sequence_start");
    ModelInferRequest tooLarge = // read by another thread, as it takes long
        OverGrpc.request(
            "sequence_echo",
            List.of(Input.in(new Slice("in", 0, numbers.length), "INPUT0", "INT32", 1, 1)),
            outputs);
    ModelInferRequest last =
        ofSequence(
            OverGrpc.request(
                "sequence_echo",
                List.of(Input.in(new Slice("in", 0, 4), "INPUT0", "INT32", 1, 1)),
                outputs),
            "sequence_end");

    List<ModelStreamInferResponse> responses = stream(first, tooLarge, last);

    assertThat(responses)
        .extracting(ModelStreamInferResponse::getErrorMessage)
        .satisfiesExactly(
            error -> assertThat(error).isEmpty(),
            error -> assertThat(error).contains("input byte size mismatch"),
            error -> assertThat(error).isEmpty());
    assertThat(out.read(0, 4)).isEqualTo(Samples.ints(5));
  }

  private static ModelInferRequest ofSequence(ModelInferRequest request, String flag) {
    return request.toBuilder()
        .putParameters("sequence_id", InferParameter.newBuilder().setInt64Param(3).build())
        .putParameters(flag, InferParameter.newBuilder().setBoolParam(true).build())
        .build();
  }

  /** Sends requests on a stream; returns all responses. */
  private List<ModelStreamInferResponse> stream(ModelInferRequest... requests)
      throws InterruptedException {
    BlockingQueue<Object> events = new LinkedBlockingQueue<>();
    StreamObserver<ModelInferRequest> stream =
        GRPCInferenceServiceGrpc.newStub(server.channel())
            .modelStreamInfer(
                new StreamObserver<ModelStreamInferResponse>() {
                  @Override
                  public void onNext(ModelStreamInferResponse response) {
                    events.add(response);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    events.add(failure);
                  }

                  @Override
                  public void onCompleted() {
                    events.add("end");
                  }
                });
    Arrays.stream(requests).forEach(stream::onNext);
    stream.onCompleted();
    List<ModelStreamInferResponse> responses = new ArrayList<>();
    while (true) {
      Object event = events.poll(60, TimeUnit.SECONDS);
      if ("end".equals(event)) {
        return responses;
      }
      assertThat(event).isInstanceOf(ModelStreamInferResponse.class);
      responses.add((ModelStreamInferResponse) event);
    }
  }

  @ParameterizedTest
  @EnumSource
  void registersNothingUnlessTheServerAllowsIt(Protocol protocol, @TempDir Path repository)
      throws IOException {
    TckModels.extractTo(repository);
    try (var closed = new LocalServer(repository)) {
      RegionClient client = protocol.of(closed);

      assertThat(client.regions()).isEmpty();
      assertThatThrownBy(() -> client.register("r", object().key(), 0, SIZE))
          .hasMessageContaining(
              "Client shared memory is disabled. Start the server with '--allow-client-shm=true' to"
                  + " enable.");
      assertThatThrownBy(() -> client.unregister("r")).hasMessageContaining("is disabled");
      assertThat(simple(client, new Slice("r", 0, ROW), new Slice("r", 0, ROW)))
          .isEqualTo("Unable to find shared memory region: 'r'");
    }
  }
}
