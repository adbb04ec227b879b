package io.nereid.client.engine;

import io.nereid.client.DataType;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidException;
import io.nereid.client.Sentences;
import io.nereid.client.Tensor;
import io.nereid.engine.ModelResponse;
import io.nereid.request.Parameter;
import io.nereid.tensor.Elements;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;

/** Responses of an engine as those of the client. */
final class EngineResponses {
  private EngineResponses() {}

  /**
   * A response, copied.
   *
   * @param response borrowed
   * @throws NereidException BAD_RESPONSE if the outputs have more bytes
   */
  static InferResponse of(ModelResponse response, int maxBytes, String asked) {
    long byteSize = 0;
    Map<String, Tensor> outputs = new LinkedHashMap<>();
    for (io.nereid.tensor.Tensor output : response.outputs()) {
      byteSize += output.byteSize();
      if (byteSize > maxBytes) {
        throw NereidException.badResponse(asked, Sentences.tooLong(maxBytes), null);
      }
      outputs.put(
          output.name(),
          Tensor.wrap(
              DataType.valueOf(output.dataType().name()),
              ByteBuffer.wrap(output.data().toArray(Elements.BYTE)).order(ByteOrder.LITTLE_ENDIAN),
              output.shape().dims()));
    }
    Map<String, Object> parameters = new LinkedHashMap<>();
    response.parameters().forEach((name, value) -> parameters.put(name, value(value)));
    return new InferResponse(
        response.model().name(),
        Long.toString(response.model().version()),
        response.id(),
        parameters,
        outputs);
  }

  private static Object value(Parameter parameter) {
    return switch (parameter) {
      case Parameter.OfString(String text) -> text;
      case Parameter.OfLong(long number) -> number;
      case Parameter.OfBoolean(boolean flag) -> flag;
      case Parameter.OfDouble(double number) -> number;
    };
  }
}
