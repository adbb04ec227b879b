package io.nereid.server.grpc.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.codec.protobuf.ProtoRequestParser;
import io.nereid.server.codec.protobuf.ProtoRequestReader;
import io.nereid.tensor.Elements;
import java.io.InputStream;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InferRequestMarshallerTest {
  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final InferRequestMarshaller marshaller =
      new InferRequestMarshaller(new ProtoRequestParser((_, _) -> pool), 1 << 20);
  private final byte[] tensor = new byte[3000];
  private final byte[] message;

  InferRequestMarshallerTest() {
    for (int i = 0; i < tensor.length; i++) {
      tensor[i] = (byte) (i * 31);
    }
    var request = ModelInferRequest.newBuilder().setModelName("m").setId("r1");
    request.addInputsBuilder().setName("A").setDatatype("UINT8").addShape(tensor.length);
    request.addRawInputContents(ByteString.copyFrom(tensor));
    message = request.build().toByteArray();
  }

  @AfterEach
  void releasesAllMemory() {
    assertThat(pool.outstanding()).isZero();
  }

  private void assertRead(InputStream stream) {
    ProtoRequest parsed = marshaller.parse(stream);
    assertThat(parsed.modelName()).isEqualTo("m");
    try (DecodedRequest decoded = ProtoRequestReader.read(parsed, pool, SharedRegions.NONE)) {
      assertThat(decoded.id()).isEqualTo("r1");
      assertThat(decoded.inputs().getFirst().data().toArray(Elements.BYTE)).isEqualTo(tensor);
    }
  }

  @Test
  void doesNotReadABufferAfterItWasSkipped() {
    for (int size : new int[] {1, 2, 3, 7, 16, 100, 1024, 2999, message.length}) {
      assertRead(new LentBuffers(message, size));
    }
  }

  @Test
  void anEmptyMessageIsARequestWithoutAModelName() {
    ProtoRequest parsed = marshaller.parse(new LentBuffers(new byte[0], 1));
    assertThat(parsed.modelName()).isEmpty();
    parsed.close();
  }

  @Test
  void malformedBytesBecomeAMalformedRequest() {
    byte[] cut = Arrays.copyOf(message, message.length - 1);
    ProtoRequest malformed = marshaller.parse(new LentBuffers(cut, 10));
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(malformed::requireParsed)
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
    malformed.close();
  }
}
