package io.nereid.server.codec.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProtoResponseWriterTest {
  private static final long SEED = 20261121;
  private static final List<DataType> TYPES = List.of(DataType.values());

  private static InferenceResponse response(
      String id, Map<String, Parameter> parameters, List<Tensor> outputs) {
    return new InferenceResponse(new ModelKey("resnet", 12), id, parameters, outputs, List.of());
  }

  private static ModelInferResponse written(InferenceResponse response) throws IOException {
    var writer = new ProtoResponseWriter(response);
    var bytes = new ByteArrayOutputStream();
    writer.writeTo(bytes);
    assertThat(bytes.size()).isEqualTo(writer.byteSize());
    return ModelInferResponse.parseFrom(bytes.toByteArray());
  }

  @Test
  void writesEveryFieldOfAResponse() throws Exception {
    var data = MemorySegment.ofArray(new byte[300]).fill((byte) 7);
    var tensor = new Tensor("OUT", DataType.UINT8, Shape.of(1, 300), data);
    ModelInferResponse parsed =
        written(response("r1", Map.of("p", new Parameter.OfLong(-5)), List.of(tensor)));

    assertThat(parsed.getModelName()).isEqualTo("resnet");
    assertThat(parsed.getModelVersion()).isEqualTo("12");
    assertThat(parsed.getId()).isEqualTo("r1");
    assertThat(parsed.getParametersMap().get("p"))
        .satisfies(value -> assertThat(value.getInt64Param()).isEqualTo(-5));
    assertThat(parsed.getOutputs(0).getName()).isEqualTo("OUT");
    assertThat(parsed.getOutputs(0).getDatatype()).isEqualTo("UINT8");
    assertThat(parsed.getOutputs(0).getShapeList()).containsExactly(1L, 300L);
    assertThat(parsed.getRawOutputContents(0).toByteArray()).hasSize(300).containsOnly(7);
    assertThat(parsed.getUnknownFields().asMap()).isEmpty();
  }

  @Test
  void anEmptyResponseHasAModelAndAVersion() throws Exception {
    ModelInferResponse parsed = written(response("", Map.of(), List.of()));

    assertThat(parsed)
        .isEqualTo(
            ModelInferResponse.newBuilder().setModelName("resnet").setModelVersion("12").build());
  }

  /** Sizes around that of a written chunk, and around those of varints. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 127, 128, 16_379, 16_380, 16_381, 16_383, 16_384, 16_385, 100_000})
  void writesTensorsOfEverySize(int byteSize) throws Exception {
    byte[] data = new byte[byteSize];
    new SplittableRandom(SEED).nextBytes(data);
    var tensor = new Tensor("OUT", DataType.UINT8, Shape.of(byteSize), MemorySegment.ofArray(data));

    ModelInferResponse parsed = written(response("", Map.of(), List.of(tensor, tensor)));

    assertThat(parsed.getRawOutputContentsCount()).isEqualTo(2);
    assertThat(parsed.getRawOutputContents(1).toByteArray()).isEqualTo(data);
  }

  @Test
  void writesRandomResponsesAsTheProtobufLibraryDoes() throws Exception {
    var random = new SplittableRandom(SEED);
    for (int i = 0; i < 500; i++) {
      Map<String, Parameter> parameters = new HashMap<>();
      for (int k = random.nextInt(3); k > 0; k--) {
        parameters.put(ProtoMessages.text(random), parameter(random));
      }
      List<Tensor> outputs = new ArrayList<>();
      for (int k = random.nextInt(4); k > 0; k--) {
        byte[] data = new byte[random.nextInt(300)];
        random.nextBytes(data);
        long[] dims = random.longs(random.nextInt(4), 0, Long.MAX_VALUE).toArray();
        outputs.add(
            new Tensor(
                ProtoMessages.text(random),
                TYPES.get(random.nextInt(TYPES.size())),
                Shape.of(dims),
                MemorySegment.ofArray(data)));
      }
      InferenceResponse response = response(ProtoMessages.text(random), parameters, outputs);

      assertThat(written(response)).isEqualTo(expected(response));
    }
  }

  private static Parameter parameter(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> new Parameter.OfBoolean(random.nextBoolean());
      case 1 -> new Parameter.OfLong(random.nextLong());
      case 2 -> new Parameter.OfDouble(random.nextDouble());
      default -> new Parameter.OfString(ProtoMessages.text(random));
    };
  }

  private static ModelInferResponse expected(InferenceResponse response) {
    var message =
        ModelInferResponse.newBuilder()
            .setModelName("resnet")
            .setModelVersion("12")
            .setId(response.id());
    response
        .parameters()
        .forEach((key, value) -> message.putParameters(key, ProtoParameters.write(value)));
    for (Tensor output : response.outputs()) {
      var tensor =
          message.addOutputsBuilder().setName(output.name()).setDatatype(output.dataType().name());
      for (long dim : output.shape().dims()) {
        tensor.addShape(dim);
      }
      message.addRawOutputContents(ByteString.copyFrom(output.data().asByteBuffer()));
    }
    return message.build();
  }

  @Test
  void rejectsMoreThanGrpcCanCarry() {
    MemorySegment twoGigabytes = MemorySegment.NULL.reinterpret(1L << 31); // never read
    var tensor = new Tensor("OUT", DataType.UINT8, Shape.of(1L << 31), twoGigabytes);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> new ProtoResponseWriter(response("", Map.of(), List.of(tensor))))
        .withMessageStartingWith("Response has byte size 2147483")
        .withMessageEndingWith("which exceeds gRPC's byte size limit 2147483647.");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 127, 128, 100_000})
  void itsPiecesAreTheSameBytesWithTheTensorsWhereTheyLie(int byteSize) throws Exception {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(Math.max(1, byteSize)).asSlice(0, byteSize);
      data.fill((byte) 7);
      var tensor = new Tensor("OUT", DataType.UINT8, Shape.of(byteSize), data);
      var empty = new Tensor("NONE", DataType.UINT8, Shape.of(0), MemorySegment.NULL);
      var writer =
          new ProtoResponseWriter(response("", Map.of(), List.of(empty, tensor, tensor, empty)));
      var bytes = new ByteArrayOutputStream();
      writer.writeTo(bytes);

      List<ByteBuffer> pieces = Objects.requireNonNull(writer.pieces());

      var joined = ByteBuffer.allocate(writer.byteSize());
      pieces.forEach(piece -> joined.put(piece.duplicate()));
      assertThat(joined.array()).isEqualTo(bytes.toByteArray());
      assertThat(pieces).allMatch(ByteBuffer::hasRemaining);
      assertThat(pieces.stream().filter(ByteBuffer::isDirect).map(MemorySegment::ofBuffer))
          .allMatch(piece -> piece.address() == data.address())
          .hasSize(byteSize == 0 ? 0 : 2);
    }
  }

  @Test
  void aTensorInTheHeapHasNoPieces() {
    var data = MemorySegment.ofArray(new byte[300]);
    var tensor = new Tensor("OUT", DataType.UINT8, Shape.of(300), data);

    assertThat(new ProtoResponseWriter(response("", Map.of(), List.of(tensor))).pieces()).isNull();
  }
}
