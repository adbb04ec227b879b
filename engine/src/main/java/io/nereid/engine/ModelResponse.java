package io.nereid.engine;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A response of a model, and the memory of its outputs, which may be read until {@link #close}. May
 * be used by any thread, one at a time. Behind the close its methods do not give outputs; a tensor
 * that they gave before, or give while another thread closes the response, then has the numbers of
 * other requests.
 */
public final class ModelResponse implements AutoCloseable {
  private final InferenceResponse response;
  private final OpenResponses open;
  private boolean closed;

  ModelResponse(InferenceResponse response, OpenResponses open) {
    this.response = response;
    this.open = open;
    open.opened(response.model().name());
  }

  /** The version that has served the request. */
  public ModelKey model() {
    return response.model();
  }

  /** The id of the request. */
  public String id() {
    return response.id();
  }

  /** What the model says beside its outputs. */
  public Map<String, Parameter> parameters() {
    return response.parameters();
  }

  /**
   * The outputs that were asked for and made; valid until {@link #close}.
   *
   * @throws IllegalStateException behind that, as of all methods for outputs
   */
  public List<Tensor> outputs() {
    return response.outputs();
  }

  /**
   * The output of that name; valid until {@link #close}.
   *
   * @throws InferenceException INVALID_ARGUMENT if the response has none of that name
   */
  public Tensor output(String name) {
    return response
        .output(name)
        .orElseThrow(() ->
            InferenceException.invalid(
                "the response of model '%s' has no output '%s', it has %s"
                    .formatted(
                        model().name(), name, outputs().stream().map(Tensor::name).toList())));
  }

  /** The output of that name, of FP32, copied. */
  public float[] floats(String name) {
    return data(name, DataType.FP32).toArray(Elements.FLOAT);
  }

  /** The output of that name, of FP64, copied. */
  public double[] doubles(String name) {
    return data(name, DataType.FP64).toArray(Elements.DOUBLE);
  }

  /** The output of that name, of INT32, copied. */
  public int[] ints(String name) {
    return data(name, DataType.INT32).toArray(Elements.INT);
  }

  /** The output of that name, of INT64, copied. */
  public long[] longs(String name) {
    return data(name, DataType.INT64).toArray(Elements.LONG);
  }

  /** The elements of the output of that name, of BYTES, read as UTF-8. */
  public List<String> strings(String name) {
    MemorySegment data = data(name, DataType.BYTES);
    List<String> elements = new ArrayList<>();
    BytesElements.forEach(
        data,
        (offset, byteSize) ->
            elements.add(
                new String(
                    data.asSlice(offset, byteSize).toArray(Elements.BYTE),
                    StandardCharsets.UTF_8)));
    return elements;
  }

  private MemorySegment data(String name, DataType expected) {
    Tensor output = output(name);
    if (output.dataType() != expected) {
      throw InferenceException.invalid(
          "output '%s' of model '%s' is %s, not %s"
              .formatted(name, model().name(), output.dataType(), expected));
    }
    return output.data();
  }

  /** Releases the memory of the outputs. Has no effect a second time. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      open.closed(model().name());
      response.close();
    }
  }
}
