package io.nereid.benchmarks.micro;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.UnsafeByteOperations;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.nereid.benchmarks.ExampleModels;
import io.nereid.client.DataType;
import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.Tensor;
import io.nereid.client.memory.SharedMemory;
import io.nereid.client.memory.SharedSlice;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.server.NereidServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does the client cost beside the JDK's HTTP client and gRPC's stubs, used by hand, and what
 * does shared memory save? A request with one tensor of FP32 goes to {@code identity_fp32} of a
 * server in this process and comes back, from an array to an array. The bytes per operation ({@code
 * gc.alloc.rate.norm}) and the CPU time ({@code cpu}) are of client and server together; the
 * server's are the same for each pair of client and hand.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 10, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class ClientBenchmark {
  private static final String MODEL = "identity_fp32";

  /** Of a call by hand, as the client's calls have one. */
  private static final int DEADLINE_SECONDS = 60;

  /** Memory for the tensors, and the request that names it. */
  private record Shared(
      SharedMemory memory, SharedSlice in, SharedSlice out, InferRequest request) {
    static Shared of(NereidClient client, int count) {
      long byteSize = (long) count * Float.BYTES;
      var memory = SharedMemory.create(client, 2 * byteSize + 64);
      SharedSlice in = memory.slice(byteSize);
      SharedSlice out = memory.slice(byteSize);
      return new Shared(
          memory,
          in,
          out,
          InferRequest.to(MODEL)
              .input("INPUT0", in.tensor(DataType.FP32, count))
              .output(out.output("OUTPUT0"))
              .build());
    }
  }

  /** A server and clients of it. */
  @State(Scope.Benchmark)
  public static class Serving {
    /** How many floats a tensor has: 64 bytes as {@code simple}, and 588 KiB as a picture. */
    @Param({"16", "150528"})
    public int count;

    private final ExampleModels models = ExampleModels.create("nereid-client").add(MODEL);
    private final NereidServer server =
        Unchecked.call(
            NereidServer.builder()
                    .repository(models.repository())
                    .http(0)
                    .grpc(0)
                    .withoutMetrics()
                    .option("http-address", "127.0.0.1")
                    .option("grpc-address", "127.0.0.1")
                    .option("allow-client-shm", "true")
                ::start);
    private final String address = "http://127.0.0.1:" + server.httpPort();
    private final NereidClient rest = NereidClient.connect(address);
    private final NereidClient grpc = NereidClient.connect("grpc://127.0.0.1:" + server.grpcPort());
    private @Nullable Shared shared;

    private final HttpClient http =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ManagedChannel channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", server.grpcPort())
            .usePlaintext()
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .build();
    private final GRPCInferenceServiceBlockingStub stub =
        GRPCInferenceServiceGrpc.newBlockingStub(channel);

    private float[] values() {
      float[] values = new float[count];
      for (int i = 0; i < count; i++) {
        values[i] = i;
      }
      return values;
    }

    /** Makes the memory, once the size is known. */
    @Setup
    public void share() {
      shared = Shared.of(grpc, count);
    }

    private Shared shared() {
      return Objects.requireNonNull(shared);
    }

    /** Closes all and deletes the model. */
    @TearDown
    public void close() throws IOException {
      shared().memory().close();
      rest.close();
      grpc.close();
      http.close();
      channel.shutdownNow();
      server.close();
      models.close();
    }
  }

  private static float client(NereidClient client, Serving state) {
    Tensor tensor = Tensor.of(state.values());
    float[] answer =
        client
            .infer(InferRequest.to(MODEL).input("INPUT0", tensor).build())
            .output("OUTPUT0")
            .floats();
    return answer[state.count - 1];
  }

  /** The client over REST. */
  @Benchmark
  public float rest(Serving state) {
    return client(state.rest, state);
  }

  /** The client over gRPC. */
  @Benchmark
  public float grpc(Serving state) {
    return client(state.grpc, state);
  }

  private static float inMemory(NereidClient client, Serving state) {
    Shared shared = state.shared();
    shared.in().buffer().asFloatBuffer().put(state.values());
    float[] answer = shared.out().read(client.infer(shared.request()).output("OUTPUT0")).floats();
    return answer[state.count - 1];
  }

  /** The client over REST, with the tensors in shared memory. */
  @Benchmark
  public float restInSharedMemory(Serving state) {
    return inMemory(state.rest, state);
  }

  /** The client over gRPC, with the tensors in shared memory. */
  @Benchmark
  public float grpcInSharedMemory(Serving state) {
    return inMemory(state.grpc, state);
  }

  /** As one writes it by hand: a body of JSON and bytes, and a look for the JSON's end. */
  @Benchmark
  public float restByHand(Serving state) throws IOException, InterruptedException {
    int bytes = state.count * Float.BYTES;
    byte[] json =
        ("{\"parameters\":{\"binary_data_output\":true},\"inputs\":[{\"name\":\"INPUT0\","
                + "\"datatype\":\"FP32\",\"shape\":[%d],\"parameters\":{\"binary_data_size\":%d}}]}")
            .formatted(state.count, bytes)
            .getBytes(UTF_8);
    ByteBuffer body = ByteBuffer.allocate(json.length + bytes).order(ByteOrder.LITTLE_ENDIAN);
    body.put(json).asFloatBuffer().put(state.values());
    HttpResponse<byte[]> response =
        state.http.send(
            HttpRequest.newBuilder(URI.create(state.address + "/v2/models/" + MODEL + "/infer"))
                .header("Inference-Header-Content-Length", Integer.toString(json.length))
                .timeout(Duration.ofSeconds(DEADLINE_SECONDS))
                .POST(HttpRequest.BodyPublishers.ofByteArray(body.array()))
                .build(),
            HttpResponse.BodyHandlers.ofByteArray());
    int from =
        Integer.parseInt(
            response.headers().firstValue("Inference-Header-Content-Length").orElseThrow());
    float[] answer = new float[state.count];
    ByteBuffer.wrap(response.body(), from, bytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .asFloatBuffer()
        .get(answer);
    return answer[state.count - 1];
  }

  /** As one writes it by hand with the stubs. */
  @Benchmark
  public float grpcByHand(Serving state) {
    ByteBuffer data = ByteBuffer.allocate(state.count * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    data.asFloatBuffer().put(state.values());
    ModelInferResponse response =
        state
            .stub
            .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
            .modelInfer(
                ModelInferRequest.newBuilder()
                    .setModelName(MODEL)
                    .addInputs(
                        ModelInferRequest.InferInputTensor.newBuilder()
                            .setName("INPUT0")
                            .setDatatype("FP32")
                            .addShape(state.count))
                    .addRawInputContents(UnsafeByteOperations.unsafeWrap(data))
                    .build());
    float[] answer = new float[state.count];
    response
        .getRawOutputContents(0)
        .asReadOnlyByteBuffer()
        .order(ByteOrder.LITTLE_ENDIAN)
        .asFloatBuffer()
        .get(answer);
    return answer[state.count - 1];
  }
}
