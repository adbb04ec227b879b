package io.nereid.server.codec.protobuf;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.InvalidProtocolBufferException;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Any bytes as a {@code ModelInferRequest}, in any buffers, and protobuf's own parser as judge. */
class ProtoRequestFuzzTest {
  /** The first byte of an input: the size of the buffers that the others come in, or 0 for one. */
  private static final int BUFFER_SIZE = 0;

  /**
   * What ours rejects and theirs reads: a group of proto2, which no field of the protocol is; a
   * number that does not end after its ten bytes, where theirs reads nine; a length above 2^32, of
   * which theirs takes the lower half; and what is above a limit.
   */
  private static final List<String> STRICTER =
      List.of(
          "has wire type 3",
          "a varint has more than ten bytes",
          "a field claims",
          "which is the limit",
          "but may have");

  @FuzzTest
  void isReadAsProtobufReadsIt(byte[] input) {
    if (input.length == 0) {
      return;
    }
    byte[] message = Arrays.copyOfRange(input, 1, input.length);
    int[] ends = ends(message.length, input[BUFFER_SIZE] & 0xff);
    FuzzedMemory.run(
        input,
        memory -> {
          Optional<ModelInferRequest> theirs = theirs(message);
          var parser = new ProtoRequestParser((_, _) -> memory);
          try {
            ProtoRequest request = parser.parse(ProtoChunks.input(message, ends));
            assertThat(Optional.of(ProtoMessages.of(request))).isEqualTo(theirs);
            decode(request, memory);
          } catch (InferenceException rejected) {
            assertThat(rejected.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
            assertThat(rejected.getStackTrace()).as("a failure that clients cause").isEmpty();
            if (STRICTER.stream().noneMatch(message(rejected)::contains)) {
              assertThat(theirs).isEmpty();
            }
          }
        });
  }

  private static String message(InferenceException rejected) {
    return String.valueOf(rejected.getMessage());
  }

  private static int[] ends(int length, int bufferSize) {
    return bufferSize == 0
        ? new int[0]
        : IntStream.iterate(bufferSize, end -> end < length, end -> end + bufferSize).toArray();
  }

  private static Optional<ModelInferRequest> theirs(byte[] message) {
    try {
      return Optional.of(ProtoMessages.known(ModelInferRequest.parseFrom(message)));
    } catch (InvalidProtocolBufferException malformed) {
      return Optional.empty();
    }
  }

  /**
   * @param request taken
   */
  private static void decode(ProtoRequest request, FuzzedMemory memory) {
    boolean raw = !request.rawContents.isEmpty();
    try (DecodedRequest decoded = ProtoRequestReader.read(request, memory, SharedRegions.NONE)) {
      for (Tensor input : decoded.inputs()) {
        if (!raw
            && input.dataType() != DataType.BYTES) { // raw bytes are compared to the shape later
          assertThat(input.byteSize() % input.dataType().byteSize()).isZero();
        }
      }
    } catch (InferenceException rejected) {
      assertThat(rejected.getMessage()).isNotEmpty();
      assertThat(rejected.getStackTrace()).as("a failure that clients cause").isEmpty();
    }
  }
}
