package io.nereid.tck.scheduler;

import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.tck.support.Samples;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A request to a scheduler.
 *
 * @param inputs on the heap; the caller that submits them to a model copies them
 * @param outputs the requested ones; empty: all
 */
public record TestRequest(
    String id, List<Tensor> inputs, List<String> outputs, RequestOptions options) {
  public TestRequest {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
  }

  /** A request for all outputs, with no options. */
  public static TestRequest of(String id, Tensor... inputs) {
    return new TestRequest(id, List.of(inputs), List.of(), RequestOptions.NONE);
  }

  /** An FP32 input whose elements all have that value. */
  public static Tensor fp32(String name, float value, long... dims) {
    Shape shape = Shape.of(dims);
    long elements = shape.elementCount();
    var data = MemorySegment.ofArray(new byte[Math.toIntExact(elements * Float.BYTES)]);
    for (long i = 0; i < elements; i++) {
      data.set(Elements.FLOAT, i * Float.BYTES, value);
    }
    return new Tensor(name, DataType.FP32, shape, data);
  }

  /** An INT32 input of one dimension. */
  public static Tensor int32(String name, int... values) {
    var data = MemorySegment.ofArray(Samples.ints(values));
    return new Tensor(name, DataType.INT32, Shape.of(values.length), data);
  }

  /** This request for these outputs only. */
  public TestRequest wanting(String... names) {
    return new TestRequest(id, inputs, List.of(names), options);
  }

  public TestRequest withPriority(long priority) {
    var own = options;
    return with(
        own.sequenceId(), own.sequenceStart(), own.sequenceEnd(), priority, own.timeoutMicros());
  }

  public TestRequest withTimeout(Duration timeout) {
    var own = options;
    long micros = TimeUnit.NANOSECONDS.toMicros(timeout.toNanos());
    return with(own.sequenceId(), own.sequenceStart(), own.sequenceEnd(), own.priority(), micros);
  }

  /** This request as part of a sequence. */
  public TestRequest inSequence(SequenceId sequence, boolean start, boolean end) {
    return with(sequence, start, end, options.priority(), options.timeoutMicros());
  }

  private TestRequest with(
      SequenceId sequence, boolean start, boolean end, long priority, long timeoutMicros) {
    var changed = new RequestOptions(sequence, start, end, priority, timeoutMicros, Map.of());
    return new TestRequest(id, inputs, outputs, changed);
  }
}
