package io.nereid.server.codec.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.InferTensorContents;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.codec.RequestLimits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProtoRequestParserTest {
  private static final long SEED = 20261121;

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final ProtoRequestParser parser = new ProtoRequestParser((_, _) -> pool);

  @AfterEach
  void releasesAllMemory() {
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

  private static void assertMalformed(ThrowingCallable parse) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(parse)
        .withMessageStartingWith("request is not a valid protobuf message: ")
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
  }

  private ModelInferRequest parse(byte[] bytes, int... ends) {
    try (ProtoRequest parsed = parser.parse(ProtoChunks.input(bytes, ends))) {
      return ProtoMessages.of(parsed);
    }
  }

  @Test
  void readsTheSameMessageFromBuffersOfAnySize() {
    ModelInferRequest example = example();
    byte[] bytes = example.toByteArray();
    for (int first = 1; first < bytes.length; first++) {
      assertThat(parse(bytes, first)).as("cut at %d", first).isEqualTo(example);
    }
    int[] everyByte = IntStream.range(1, bytes.length).toArray();
    assertThat(parse(bytes, everyByte)).isEqualTo(example);
  }

  @Test
  void readsRandomMessagesAsTheProtobufLibraryDoes() throws Exception {
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
  void alignsRawTensors() {
    try (ProtoRequest parsed = parser.parse(ProtoChunks.input(example().toByteArray(), 7))) {
      assertThat(parsed.rawContents)
          .allSatisfy(
              lease -> assertThat(lease.segment().address() % BufferPool.ALIGNMENT).isZero());
    }
  }

  @Test
  void skipsUnknownFields() throws Exception {
    var bytes = new ByteArrayOutputStream();
    CodedOutputStream coded = CodedOutputStream.newInstance(bytes);
    coded.writeInt64(100, -1);
    coded.writeFixed64(101, 5);
    coded.writeFixed32(102, 5);
    coded.writeString(103, "x".repeat(1000));
    coded.writeInt32(1, 7); // a known field of the wrong wire type
    example().writeTo(coded);
    coded.flush();

    int[] everyByte = IntStream.range(1, bytes.size()).toArray();
    assertThat(parse(bytes.toByteArray())).isEqualTo(example());
    assertThat(parse(bytes.toByteArray(), everyByte)).isEqualTo(example());
  }

  @Test
  void joinsTheContentsOfAnInputThatComeInParts() throws Exception {
    byte[] part =
        ModelInferRequest.InferInputTensor.newBuilder()
            .setContents(InferTensorContents.newBuilder().addIntContents(1).addIntContents(-1))
            .build()
            .toByteArray();
    var input = new ByteArrayOutputStream();
    for (int i = 0; i < 100; i++) {
      input.writeBytes(part);
    }
    var bytes = new ByteArrayOutputStream();
    CodedOutputStream coded = CodedOutputStream.newInstance(bytes);
    coded.writeByteArray(5, input.toByteArray());
    coded.flush();

    assertThat(parse(bytes.toByteArray(), 20, 200))
        .isEqualTo(ModelInferRequest.parseFrom(bytes.toByteArray()));
  }

  private void assertRefused(ModelInferRequest.Builder request, String text) {
    byte[] bytes = request.build().toByteArray();
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> parse(bytes, bytes.length / 2))
        .withMessage(text)
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
  }

  @Test
  void limitsWhatIsNoDataOfATensor() {
    String name = "n".repeat(RequestLimits.MAX_NAME);
    String id = "i".repeat(RequestLimits.MAX_ID);
    var request = ModelInferRequest.newBuilder().setModelName(name).setModelVersion(name).setId(id);
    var input = request.addInputsBuilder().setName(name).setDatatype(name);
    for (int i = 0; i < RequestLimits.MAX_RANK; i++) {
      input.addShape(i);
    }
    request.addOutputsBuilder().setName(name);
    assertThat(parse(request.build().toByteArray())).isEqualTo(request.build());

    String shown = "n".repeat(32);
    assertRefused(
        request.clone().setModelName(name + "n"),
        "the name of the model has 1025 bytes, but may have 1024 at most: '" + shown + "...'");
    assertRefused(
        request.clone().setModelVersion(name + "n"),
        "the version of the model has 1025 bytes, but may have 1024 at most: '" + shown + "...'");
    assertRefused(
        request.clone().setId(id + "i"),
        "the id of the request has 4097 bytes, but may have 4096 at most: '%s...'"
            .formatted("i".repeat(32)));
    var long64 = request.clone();
    long64.getInputsBuilder(0).addShape(1);
    assertRefused(
        long64, "the request has more than 64 dimensions of a tensor, which is the limit");
    var longName = request.clone();
    longName.getInputsBuilder(0).setName(name + "n");
    assertRefused(
        longName,
        "the name of an input has 1025 bytes, but may have 1024 at most: '" + shown + "...'");
    var longType = request.clone();
    longType.getInputsBuilder(0).setDatatype(name + "n");
    assertRefused(
        longType,
        "the datatype of an input has 1025 bytes, but may have 1024 at most: '" + shown + "...'");
    var longOutput = request.clone();
    longOutput.getOutputsBuilder(0).setName(name + "n");
    assertRefused(
        longOutput,
        "the name of an output has 1025 bytes, but may have 1024 at most: '" + shown + "...'");
  }

  @Test
  void limitsParameters() {
    var value = InferParameter.newBuilder().setInt64Param(1).build();
    var request = ModelInferRequest.newBuilder();
    for (int i = 0; i < RequestLimits.MAX_PARAMETERS; i++) {
      request.putParameters("p" + i, value);
    }
    assertThat(parse(request.build().toByteArray())).isEqualTo(request.build());

    assertRefused(
        request.putParameters("one more", value),
        "the request has more than 1024 parameters, which is the limit");
    var text =
        InferParameter.newBuilder()
            .setStringParam("t".repeat(RequestLimits.MAX_PARAMETER_BYTES / 2))
            .build();
    assertRefused(
        ModelInferRequest.newBuilder()
            .putParameters("a", text)
            .addInputs(ModelInferRequest.InferInputTensor.newBuilder().putParameters("b", text)),
        "the request has more than 65536 bytes of parameters, which is the limit");
  }

  @Test
  void theLastOccurrenceOfAFieldWins() {
    byte[] once = ModelInferRequest.newBuilder().setModelName("first").build().toByteArray();
    byte[] again = ModelInferRequest.newBuilder().setModelName("second").build().toByteArray();
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes(once);
    bytes.writeBytes(again);

    assertThat(parse(bytes.toByteArray()).getModelName()).isEqualTo("second");
  }

  @Test
  void mergesTheValuesOfAParameterAsTheProtobufLibraryDoes() throws Exception {
    byte[] bytes = HexFormat.of().parseHex("22090a016b120208011200");

    assertThat(parse(bytes)).isEqualTo(ModelInferRequest.parseFrom(bytes));
    assertThat(parse(bytes).getParametersOrThrow("k").getBoolParam()).isTrue();
  }

  @Test
  void readsTruncatedMessagesAsTheProtobufLibraryDoes() {
    byte[] bytes = example().toByteArray();
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertSameAsProtobuf(cut, Math.max(1, length / 2));
    }
  }

  @Test
  void rejectsAStreamThatEndsBeforeItsAnnouncedLength() {
    byte[] bytes = example().toByteArray();
    byte[] cut = Arrays.copyOf(bytes, bytes.length - 100);

    assertMalformed(() -> parser.parse(new ProtoInput(new ProtoChunks(cut, 3), bytes.length)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "3a05 01020304", // a raw tensor that is one byte longer than the message
        "3affffffffffffffff7f", // of 2^63 - 1 bytes
        "3affffffffffffffffff01", // of -1 bytes
        "3a8080808080808080808001", // a varint of eleven bytes
        "3aff", // a truncated length
        "0aff01", // a name behind the end
        "00", // a field of number 0
        "00 0a0161", // and another field
        "02 0161", // of wire type 2
        "0b", // a group
        "0c", // the end of a group that did not begin
        "0f", // wire type 7
        "2a020aff", // a malformed input
        "3a0101 2a020aff", // a malformed input after a raw tensor
        "2203120261", // a malformed parameter
        "3204 0a0261", // a malformed output
        "f905 0102", // an unknown fixed64, truncated
        "fd05 0102", // an unknown fixed32, truncated
      })
  void rejectsMalformedBytesAndReleasesTheirMemory(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));

    assertMalformed(() -> parse(bytes));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0a02c328", "1201ff", "1a03e28228", "22050a01ff1200"})
  void rejectsTextThatIsNotUtf8AsTheProtobufLibraryDoes(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);

    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> ModelInferRequest.parseFrom(bytes));
    assertMalformed(() -> parse(bytes));
  }

  @Test
  void readsCorruptedMessagesAsTheProtobufLibraryDoes() {
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

  /** Both reject the bytes or both read the same message; our parser skips unknown fields. */
  private void assertSameAsProtobuf(byte[] bytes, int end) {
    ModelInferRequest ours = null;
    try {
      ours = end < bytes.length ? parse(bytes, end) : parse(bytes);
    } catch (InferenceException rejected) {
      assertThat(rejected.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
      assertThat(pool.outstanding()).isZero();
    }
    ModelInferRequest theirs = null;
    try {
      theirs = ModelInferRequest.parser().parseFrom(bytes);
      theirs = ProtoMessages.known(theirs);
    } catch (InvalidProtocolBufferException rejected) {
      assertThat(ours)
          .as(
              "%s is read, but the protobuf library says: %s",
              HexFormat.of().formatHex(bytes), rejected.getMessage())
          .isNull();
    }
    if (ours != null) {
      assertThat(ours).as("%s", HexFormat.of().formatHex(bytes)).isEqualTo(theirs);
    }
  }
}
