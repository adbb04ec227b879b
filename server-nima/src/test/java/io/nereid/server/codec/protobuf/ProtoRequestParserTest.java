package io.nereid.server.codec.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.CheckedBufferPool;
import io.nereid.server.protobuf.ModelInferRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProtoRequestParserTest {
  private static final long SEED = 20261121;

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final ProtoRequestParser parser = new ProtoRequestParser((_, _) -> pool);

  @AfterEach
  void nothingIsLent() {
    assertThat(pool.outstanding()).isZero();
  }

  private static ModelInferRequest example() {
    var request = ModelInferRequest.newBuilder().setModelName("resnet").setId("é1");
    request.addInputsBuilder().setName("A").setDatatype("INT32").addShape(1).addShape(-300);
    request.addInputsBuilder().setName("B").setDatatype("BYTES").addShape(2);
    request.addOutputsBuilder().setName("OUT");
    request.addRawInputContents(ByteString.copyFrom(new byte[] {1, 2, 3, 4}));
    request.addRawInputContents(ByteString.copyFrom(new byte[200]));
    request.addRawInputContents(ByteString.EMPTY);
    return request.build();
  }

  private ModelInferRequest parse(byte[] bytes, int... ends) {
    try (ProtoRequest parsed = parser.parse(ProtoChunks.input(bytes, ends))) {
      return ProtoMessages.of(parsed);
    }
  }

  @Test
  void aMessageIsTheSameWhereverItsPiecesEnd() {
    ModelInferRequest example = example();
    byte[] bytes = example.toByteArray();
    for (int first = 1; first < bytes.length; first++) {
      assertThat(parse(bytes, first)).as("cut at %d", first).isEqualTo(example);
    }
    int[] everyByte = java.util.stream.IntStream.range(1, bytes.length).toArray();
    assertThat(parse(bytes, everyByte)).isEqualTo(example);
  }

  @Test
  void whateverProtobufWritesIsReadAsProtobufReadsIt() throws Exception {
    var random = new SplittableRandom(SEED);
    for (int i = 0; i < 1000; i++) {
      ModelInferRequest message = ProtoMessages.random(random);
      byte[] bytes = message.toByteArray();
      int[] ends =
          random
              .ints(random.nextInt(6), 1, Math.max(2, bytes.length))
              .sorted()
              .distinct()
              .filter(end -> end < bytes.length)
              .toArray();
      assertThat(parse(bytes, ends))
          .as("message %d", i)
          .isEqualTo(ModelInferRequest.parseFrom(bytes));
    }
  }

  @Test
  void rawTensorsAreAligned() {
    try (ProtoRequest parsed = parser.parse(ProtoChunks.input(example().toByteArray(), 7))) {
      assertThat(parsed.rawContents)
          .allSatisfy(
              lease -> assertThat(lease.segment().address() % BufferPool.ALIGNMENT).isZero());
    }
  }

  @Test
  void fieldsThatNobodyKnowsArePassedOver() throws Exception {
    var bytes = new ByteArrayOutputStream();
    CodedOutputStream coded = CodedOutputStream.newInstance(bytes);
    coded.writeInt64(100, -1);
    coded.writeFixed64(101, 5);
    coded.writeFixed32(102, 5);
    coded.writeString(103, "x".repeat(1000));
    coded.writeInt32(1, 7); // a known number, but no string
    example().writeTo(coded);
    coded.flush();

    int[] everyByte = java.util.stream.IntStream.range(1, bytes.size()).toArray();
    assertThat(parse(bytes.toByteArray())).isEqualTo(example());
    assertThat(parse(bytes.toByteArray(), everyByte)).isEqualTo(example());
  }

  @Test
  void ofAFieldThatIsGivenTwiceTheLastCounts() {
    byte[] once = ModelInferRequest.newBuilder().setModelName("first").build().toByteArray();
    byte[] again = ModelInferRequest.newBuilder().setModelName("second").build().toByteArray();
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes(once);
    bytes.writeBytes(again);

    assertThat(parse(bytes.toByteArray()).getModelName()).isEqualTo("second");
  }

  @Test
  void aMessageThatIsCutOffIsRefusedOrIsWhatProtobufMakesOfIt() {
    byte[] bytes = example().toByteArray();
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(bytes, length);
      assertSameAsProtobuf(cut, Math.max(1, length / 2));
    }
  }

  @Test
  void aStreamThatEndsBeforeItsAnnouncedLengthIsRefused() {
    byte[] bytes = example().toByteArray();
    byte[] cut = java.util.Arrays.copyOf(bytes, bytes.length - 100);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> parser.parse(new ProtoInput(new ProtoChunks(cut, 3), bytes.length)))
        .withMessageStartingWith("request is not a valid protobuf message: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "3a05 01020304", // a raw tensor one byte longer than the message
        "3affffffffffffffff7f", // of 2^63 - 1 bytes
        "3affffffffffffffffff01", // of -1 bytes
        "3a8080808080808080808001", // a varint of eleven bytes
        "3aff", // a length that ends within
        "0aff01", // a name that is not there
        "00", // no field has the number 0
        "00 0a0161", // nor when another follows
        "02 0161", // with a type either
        "0b", // a group
        "0c", // the end of a group that never began
        "0f", // wire type 7
        "2a020aff", // an input that is none
        "3a0101 2a020aff", // after a raw tensor was lent
        "2203120261", // a parameter that is none
        "3204 0a0261", // an output that is none
        "f905 0102", // an unknown fixed64 that is cut off
        "fd05 0102", // and a fixed32
      })
  void bytesThatAreNoRequestAreRefusedAndNothingStaysLent(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> parse(bytes))
        .withMessageStartingWith("request is not a valid protobuf message: ")
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0a02c328", "1201ff", "1a03e28228", "22050a01ff1200"})
  void textThatIsNotUtf8IsRefusedAsProtobufRefusesIt(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);

    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> ModelInferRequest.parseFrom(bytes));
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> parse(bytes))
        .withMessageStartingWith("request is not a valid protobuf message: ");
  }

  @Test
  void damagedMessagesAreRefusedOrReadAsProtobufReadsThem() {
    var random = new SplittableRandom(SEED);
    for (int i = 0; i < 3000; i++) {
      byte[] bytes = ProtoMessages.random(random).toByteArray();
      if (bytes.length == 0) {
        continue;
      }
      for (int k = random.nextInt(1, 4); k > 0; k--) {
        bytes[random.nextInt(Math.min(bytes.length, 64))] = (byte) random.nextInt();
      }
      assertSameAsProtobuf(bytes, random.nextInt(1, bytes.length + 1));
    }
  }

  /** Either both refuse the bytes or both read the same, groups apart, which we do not read. */
  private void assertSameAsProtobuf(byte[] bytes, int end) {
    ModelInferRequest ours = null;
    try {
      ours = end < bytes.length ? parse(bytes, end) : parse(bytes);
    } catch (InferenceException refused) {
      assertThat(refused.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
      assertThat(pool.outstanding()).isZero();
    }
    ModelInferRequest theirs = null;
    try {
      theirs = ModelInferRequest.parser().parseFrom(bytes);
      theirs =
          theirs.toBuilder()
              .setUnknownFields(com.google.protobuf.UnknownFieldSet.getDefaultInstance())
              .build();
    } catch (InvalidProtocolBufferException refused) {
      assertThat(ours)
          .as(
              "%s is read, but by protobuf: %s",
              HexFormat.of().formatHex(bytes), refused.getMessage())
          .isNull();
    }
    if (ours != null) {
      assertThat(ours).as("%s", HexFormat.of().formatHex(bytes)).isEqualTo(theirs);
    }
  }
}
