package io.nereid.server.codec.protobuf;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.InferTensorContents;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.tensor.Elements;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** Random requests, and parsed requests as messages of the protobuf library. */
final class ProtoMessages {
  private static final String ALPHABET = "abzAZ_09 -/%éß漢🙂";

  private ProtoMessages() {}

  static ModelInferRequest random(SplittableRandom random) {
    var request =
        ModelInferRequest.newBuilder()
            .setModelName(text(random))
            .setModelVersion(text(random))
            .setId(text(random))
            .putAllParameters(parameters(random));
    for (int i = random.nextInt(4); i > 0; i--) {
      var input = request.addInputsBuilder().setName(text(random)).setDatatype("INT32");
      for (int k = random.nextInt(4); k > 0; k--) {
        input.addShape(random.nextLong());
      }
      input.putAllParameters(parameters(random));
      if (random.nextBoolean()) {
        var contents = input.getContentsBuilder();
        for (int k = random.nextInt(20); k > 0; k--) {
          contents.addIntContents(random.nextInt()).addFp64Contents(random.nextDouble());
        }
        contents.addBytesContents(bytes(random, 30));
      }
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      request.addOutputsBuilder().setName(text(random)).putAllParameters(parameters(random));
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      request.addRawInputContents(bytes(random, random.nextInt(4) == 0 ? 5000 : 20));
    }
    return request.build();
  }

  private static Map<String, InferParameter> parameters(SplittableRandom random) {
    Map<String, InferParameter> parameters = new HashMap<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      var value = InferParameter.newBuilder();
      switch (random.nextInt(6)) {
        case 0 -> value.setBoolParam(random.nextBoolean());
        case 1 -> value.setInt64Param(random.nextLong());
        case 2 -> value.setStringParam(text(random));
        case 3 -> value.setDoubleParam(random.nextDouble());
        case 4 -> value.setUint64Param(random.nextLong());
        default -> {} // a parameter without a value
      }
      parameters.put(text(random), value.build());
    }
    return parameters;
  }

  static String text(SplittableRandom random) {
    int[] codePoints = ALPHABET.codePoints().toArray();
    var text = new StringBuilder();
    for (int i = random.nextInt(random.nextInt(10) == 0 ? 200 : 12); i > 0; i--) {
      text.appendCodePoint(codePoints[random.nextInt(codePoints.length)]);
    }
    return text.toString();
  }

  private static ByteString bytes(SplittableRandom random, int bound) {
    byte[] bytes = new byte[random.nextInt(bound)];
    random.nextBytes(bytes);
    return ByteString.copyFrom(bytes);
  }

  /** What was parsed, as protobuf's own parser reads it; unknown fields are skipped. */
  static ModelInferRequest of(ProtoRequest parsed) {
    var message =
        ModelInferRequest.newBuilder()
            .setModelName(parsed.modelName())
            .setModelVersion(parsed.modelVersion())
            .setId(parsed.id())
            .putAllParameters(parsed.parameters);
    for (ProtoTensor input : parsed.inputs) {
      var tensor =
          message
              .addInputsBuilder()
              .setName(input.name)
              .setDatatype(input.dataType)
              .addAllShape(LongStream.of(input.shape()).boxed().toList())
              .putAllParameters(input.parameters);
      if (input.contents != null) {
        tensor.setContents(contents(input.contents));
      }
    }
    for (ProtoTensor output : parsed.outputs) {
      message.addOutputsBuilder().setName(output.name).putAllParameters(output.parameters);
    }
    parsed.rawContents.forEach(lease ->
        message.addRawInputContents(ByteString.copyFrom(lease.segment().toArray(Elements.BYTE))));
    return known(message.build());
  }

  /** Contents that are in wire form still. */
  private static InferTensorContents contents(TypedContents contents) {
    contents.count();
    try {
      return InferTensorContents.parseFrom(contents.wire().toArray(Elements.BYTE));
    } catch (InvalidProtocolBufferException malformed) {
      throw new AssertionError("not malformed for our parser", malformed);
    }
  }

  /** A message without unknown fields, also within it. */
  static ModelInferRequest known(ModelInferRequest message) {
    ModelInferRequest.Builder known = message.toBuilder();
    removeUnknown(known);
    return known.build();
  }

  private static void removeUnknown(Message.Builder message) {
    message.setUnknownFields(UnknownFieldSet.getDefaultInstance());
    for (FieldDescriptor field : message.getAllFields().keySet()) {
      if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
        continue;
      }
      if (field.isRepeated()) {
        for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
          message.setRepeatedField(field, i, known(message.getRepeatedField(field, i)));
        }
      } else {
        message.setField(field, known(message.getField(field)));
      }
    }
  }

  private static Message known(Object part) {
    Message.Builder known = ((Message) part).toBuilder();
    removeUnknown(known);
    return known.build();
  }
}
