package io.nereid.server.codec.protobuf;

import static io.nereid.error.StatusCode.INVALID_ARGUMENT;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.testing.Failures;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.codec.RequestLimits;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests with very many inputs, outputs and tensors. */
class ManyPartsTest {
  private static final int MAX = RequestLimits.MAX_TENSORS;

  private static void decode(ModelInferRequest message, Consumer<DecodedRequest> check) {
    byte[] bytes = message.toByteArray();
    FuzzedMemory.run(
        bytes,
        memory -> {
          var parser = new ProtoRequestParser((_, _) -> memory);
          try (var decoded =
              ProtoRequestReader.read(
                  parser.parse(ProtoChunks.input(bytes)), memory, SharedRegions.NONE)) {
            check.accept(decoded);
          }
        });
  }

  @Test
  @Timeout(20)
  void areReadInTimeProportionalToTheirNumber() {
    int count = MAX;
    var message = ModelInferRequest.newBuilder();
    for (int i = 0; i < count; i++) {
      message.addInputsBuilder().setName("input " + i).setDatatype("INT8").addShape(1);
      message.addOutputsBuilder().setName("output " + i);
      message.addRawInputContents(ByteString.copyFrom(new byte[] {(byte) i}));
    }

    decode(
        message.build(),
        decoded -> {
          assertThat(decoded.inputs()).hasSize(count);
          assertThat(decoded.outputs()).hasSize(count);
        });
  }

  @Test
  void areRejectedAboveALimit() {
    var message = ModelInferRequest.newBuilder();
    for (int i = 0; i <= MAX; i++) {
      message.addInputsBuilder();
    }

    Failures.assertRejected(
        INVALID_ARGUMENT,
        "the request has more than 4096 inputs, which is the limit",
        () -> decode(message.build(), _ -> {}));
  }
}
