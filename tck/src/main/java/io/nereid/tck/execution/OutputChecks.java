package io.nereid.tck.execution;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.function.Predicate;

/**
 * Whether a backend's outputs and states are those that its model declares. Each check records what
 * is wrong and returns whether all is right.
 */
record OutputChecks(ModelConfig config, Predicate<String> isShapeHint, Violations violations) {
  static final String NAMES = "BACKEND-EXEC-09";
  private static final String SHAPES = "BACKEND-EXEC-02";
  private static final String ROWS = "BACKEND-EXEC-03";
  private static final String ELEMENTS = "BACKEND-EXEC-10";
  private static final String RELEASE = "BACKEND-MEMORY-04";
  private static final String ANY_THREAD = "BACKEND-MEMORY-07";

  /** A thread that owns no memory: what it may access, every thread may. */
  private static final Thread OTHER = Thread.ofPlatform().unstarted(() -> {});

  private boolean wrong(String rule, String text, Object... arguments) {
    violations.add(rule, text.formatted(arguments));
    return false;
  }

  /** Checks that the model declares an output. */
  boolean name(String output) {
    return config.output(output).isPresent()
        || wrong(
            NAMES,
            "the model declares no output '%s'; it declares %s",
            output,
            config.outputs().stream().map(TensorConfig::name).toList());
  }

  /** Checks memory of the backend. */
  boolean memory(Tensor output) {
    MemorySegment data = output.data();
    if (!data.scope().isAlive()) {
      return wrong(RELEASE, "output '%s' lies in memory that is closed", output.name());
    }
    return (data.isNative() && data.isAccessibleBy(OTHER))
        || wrong(
            ANY_THREAD,
            "output '%s' lies in memory %s",
            output.name(),
            data.isNative() ? "of a confined arena" : "on the Java heap");
  }

  /**
   * Checks type, shape and size of a value.
   *
   * @param rows of the request or the batch
   * @param whole whether it is of the whole batch
   */
  boolean value(
      TensorConfig declared, DataType type, Shape shape, long byteSize, long rows, boolean whole) {
    String output = declared.name();
    if (declared.dataType() != type) {
      return wrong(SHAPES, "output '%s' is %s, declared as %s", output, type, declared.dataType());
    }
    Shape wanted = declared.modelSpec(config.maxBatchSize()).shape();
    boolean scattered = config.batchOutput(output).isPresent();
    // As from Triton: the values of a shape tensor, for each row of the request.
    boolean rowsOfValues =
        declared.shapeTensor()
            && config.batches()
            && wanted.withLeading(Shape.WILDCARD).accepts(shape);
    boolean accepted =
        wanted.accepts(shape) || rowsOfValues || (scattered && whole) || isShapeHint.test(output);
    if (!shape.isConcrete() || !accepted) {
      return wrong(SHAPES, "output '%s' has shape %s, declared as %s", output, shape, wanted);
    }
    boolean hasRows = config.batches() && (!declared.shapeTensor() || rowsOfValues) && !scattered;
    if (hasRows && (shape.rank() == 0 || shape.dim(0) != rows)) {
      return wrong(
          ROWS,
          "output '%s' has shape %s for %s of %d rows",
          output,
          shape,
          whole ? "a batch" : "a request",
          rows);
    }
    long expected = type.hasFixedSize() ? shape.elementCount() * type.byteSize() : byteSize;
    return (byteSize >= 0 && byteSize == expected)
        || wrong(
            SHAPES, "output '%s' of shape %s of %s has %d bytes", output, shape, type, byteSize);
  }

  /** Checks an output whose content is complete. */
  boolean content(Tensor output) {
    if (!output.data().scope().isAlive()) {
      return wrong(RELEASE, "output '%s' was freed before its release", output.name());
    }
    if (output.dataType() != DataType.BYTES) {
      return true;
    }
    long count;
    try {
      count = BytesElements.forEach(output.data(), (_, _) -> {});
    } catch (IllegalArgumentException cutOff) {
      return wrong(ELEMENTS, "output '%s': %s", output.name(), String.valueOf(cutOff.getMessage()));
    }
    return count == output.shape().elementCount()
        || wrong(
            ELEMENTS,
            "output '%s' of shape %s has %d elements",
            output.name(),
            output.shape(),
            count);
  }
}
