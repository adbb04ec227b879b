package io.nereid.benchmarks.micro;

import com.google.protobuf.ByteString;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.protobuf.ProtoUtils;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.request.ModelKey;
import io.nereid.server.codec.protobuf.ProtoInput;
import io.nereid.server.codec.protobuf.ProtoRequestParser;
import io.nereid.server.codec.protobuf.ProtoRequestReader;
import io.nereid.server.codec.protobuf.ProtoResponseWriter;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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
 * What does it cost to read a gRPC request from the transport's buffers of 16 KiB into tensors in
 * leased memory, and to write a response into such buffers? The baselines use grpc-java's
 * marshaller with protobuf's classes, and copy tensors from and to these. {@code -prof gc} reports
 * allocations.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class GrpcMarshallerBenchmark {
  private static final int CHUNK = 16 << 10;
  private static final long POOL_BYTES = 64L << 20;

  /** The messages of {@code simple}, or an image of 224 x 224. */
  public enum Message {
    SIMPLE(2, DataType.INT32),
    IMAGE(1, DataType.FP32);

    private final int tensors;
    private final DataType dataType;

    Message(int tensors, DataType dataType) {
      this.tensors = tensors;
      this.dataType = dataType;
    }

    private Shape shape() {
      return this == SIMPLE ? Shape.of(1, 16) : Shape.of(1, 3, 224, 224);
    }

    private int byteSize() {
      return Math.toIntExact(shape().elementCount() * dataType.byteSize());
    }

    private byte[] request() {
      var request = ModelInferRequest.newBuilder().setModelName("model");
      for (int i = 0; i < tensors; i++) {
        var input =
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName("INPUT" + i)
                .setDatatype(dataType.name());
        for (long dim : shape().dims()) {
          input.addShape(dim);
        }
        request.addInputs(input).addRawInputContents(ByteString.copyFrom(new byte[byteSize()]));
      }
      return request.build().toByteArray();
    }

    private InferenceResponse response(Arena arena) {
      List<Tensor> outputs =
          IntStream.range(0, tensors)
              .mapToObj(
                  i -> new Tensor("OUTPUT" + i, dataType, shape(), arena.allocate(byteSize(), 64)))
              .toList();
      return new InferenceResponse(new ModelKey("model", 1), "", Map.of(), outputs, List.of());
    }
  }

  @Param public Message message = Message.SIMPLE;

  private final Arena arena = Arena.ofShared();
  private final SlabPool pool = new SlabPool(new ArenaAllocator(), POOL_BYTES);
  private final ProtoRequestParser parser = new ProtoRequestParser((model, version) -> pool);
  private final Marshaller<ModelInferRequest> requests =
      ProtoUtils.marshaller(ModelInferRequest.getDefaultInstance());
  private final List<ByteBuffer> chunks = new ArrayList<>();
  private int requestSize;
  private InferenceResponse response = Message.SIMPLE.response(arena);
  private final WireBuffer wire = new WireBuffer();

  /** Fills the buffers, and checks that benchmark and baseline have the same results. */
  @Setup
  public void place() throws IOException {
    byte[] request = message.request();
    requestSize = request.length;
    for (int at = 0; at < requestSize; at += CHUNK) {
      int count = Math.min(CHUNK, requestSize - at);
      chunks.add(ByteBuffer.allocateDirect(count).put(request, at, count).flip());
    }
    response = message.response(arena);
    long expected = (long) message.tensors * message.byteSize();
    try (DecodedRequest decoded = parse()) {
      long found = decoded.inputs().stream().mapToLong(Tensor::byteSize).sum();
      if (found != expected || parseBaseline() != expected || write() != writeBaseline()) {
        throw new AssertionError("the baseline has another result");
      }
    }
  }

  /** Frees all memory. */
  @TearDown
  public void close() {
    pool.close();
    arena.close();
  }

  /** Copies the raw tensors into leased memory once. */
  @Benchmark
  public DecodedRequest parse() {
    var input = new ProtoInput(new Chain(chunks), requestSize);
    try (DecodedRequest decoded =
        ProtoRequestReader.read(parser.parse(input), pool, SharedRegions.NONE)) {
      return decoded;
    }
  }

  /** Parses protobuf's class, and copies the tensors from it into leased memory. */
  @Benchmark
  public long parseBaseline() {
    ModelInferRequest request = requests.parse(new ChainStream(new Chain(chunks), requestSize));
    long copied = 0;
    for (ByteString raw : request.getRawInputContentsList()) {
      try (Lease lease = pool.lease(raw.size())) {
        raw.copyTo(lease.segment().asByteBuffer());
        copied += raw.size();
      }
    }
    return copied;
  }

  /** Writes the outputs to the buffer by way of one small array. */
  @Benchmark
  public int write() throws IOException {
    wire.clear();
    new ProtoResponseWriter(response).writeTo(wire);
    return wire.size();
  }

  /** Copies the outputs into protobuf's class, and writes that to the buffer. */
  @Benchmark
  public int writeBaseline() throws IOException {
    wire.clear();
    var built =
        ModelInferResponse.newBuilder()
            .setModelName(response.model().name())
            .setModelVersion(Long.toString(response.model().version()));
    for (Tensor output : response.outputs()) {
      var tensor =
          ModelInferResponse.InferOutputTensor.newBuilder()
              .setName(output.name())
              .setDatatype(output.dataType().name());
      for (int i = 0; i < output.shape().rank(); i++) {
        tensor.addShape(output.shape().dim(i));
      }
      built.addOutputs(tensor);
      built.addRawOutputContents(ByteString.copyFrom(output.data().asByteBuffer()));
    }
    built.build().writeTo(wire);
    return wire.size();
  }

  /** An iteration over the transport's buffers. */
  private static final class Chain implements ProtoInput.Chunks {
    private final List<ByteBuffer> chunks;
    private int next;

    Chain(List<ByteBuffer> chunks) {
      this.chunks = chunks;
    }

    @Override
    public @Nullable ByteBuffer next() {
      return next == chunks.size() ? null : chunks.get(next++).duplicate();
    }
  }

  /** The transport's buffers as the stream that grpc-java passes to a marshaller. */
  private static final class ChainStream extends InputStream implements KnownLength {
    private final Chain chain;
    private int left;
    private @Nullable ByteBuffer chunk;

    ChainStream(Chain chain, int byteSize) {
      this.chain = chain;
      this.left = byteSize;
    }

    @Override
    public int available() {
      return left;
    }

    @Override
    public int read() {
      ByteBuffer from = chunk();
      if (from == null) {
        return -1;
      }
      left--;
      return from.get() & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      ByteBuffer from = chunk();
      if (from == null) {
        return -1;
      }
      int count = Math.min(length, from.remaining());
      from.get(target, offset, count);
      left -= count;
      return count;
    }

    private @Nullable ByteBuffer chunk() {
      ByteBuffer current = chunk;
      if (current == null || !current.hasRemaining()) {
        current = chain.next();
        chunk = current;
      }
      return current;
    }
  }

  /** A direct buffer, as the transport has for a message. */
  private static final class WireBuffer extends OutputStream {
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);

    @Override
    public void write(int value) {
      buffer.put((byte) value);
    }

    @Override
    public void write(byte[] source, int offset, int length) {
      buffer.put(source, offset, length);
    }

    void clear() {
      buffer.clear();
    }

    int size() {
      return buffer.position();
    }
  }
}
