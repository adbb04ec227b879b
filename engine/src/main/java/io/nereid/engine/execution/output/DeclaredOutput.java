package io.nereid.engine.execution.output;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.TensorConfig;
import io.nereid.engine.request.Reshape;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An output or a state that a model declares. Each check returns the failure of a value that the
 * backend has given for it, or null if the value is right; that costs some nanoseconds and no
 * allocation. Shapes are those of the model. Thread-safe.
 *
 * <p>A failure is INTERNAL and names the backend, the model, the output, what was given and what
 * was expected.
 */
public final class DeclaredOutput {
  /** The size of a shape that is not concrete or too large. */
  public static final long NO_SIZE = -1;

  /** A thread that owns no memory: what it may access, every thread may. */
  private static final Thread ANY_THREAD = Thread.ofVirtual().unstarted(() -> {});

  private final String name;
  private final int nameHash;
  private final DataType dataType;

  /** With a wildcard for the rows, if it has rows. */
  private final Shape shape;

  private final boolean hasRows;

  /** Of a row, or of an output without rows; {@link #NO_SIZE} if it varies or is very large. */
  private final long rowByteSize;

  /** The shape with rows in front, which a shape tensor may have too. */
  private final Optional<Shape> repeated;

  /** The shape that clients see, without the batch dimension, if it is another one. */
  private final Optional<Shape> reshaped;

  private final boolean scattered;

  /** Whether a value may have another shape. */
  private final boolean hint;

  private final WrongOutput wrong;

  private DeclaredOutput(
      TensorConfig output, ModelConfig config, boolean scattered, boolean hint, WrongOutput wrong) {
    this.name = output.name();
    this.nameHash = name.hashCode();
    this.dataType = output.dataType();
    this.shape = output.modelSpec(config.maxBatchSize()).shape();
    this.hasRows = config.batches() && !output.shapeTensor();
    this.rowByteSize = scattered ? NO_SIZE : rowByteSize();
    this.repeated =
        config.batches() && output.shapeTensor()
            ? Optional.of(shape.withLeading(Shape.WILDCARD))
            : Optional.empty();
    this.reshaped = output.reshape().map(_ -> output.dims());
    this.scattered = scattered;
    this.hint = hint && !scattered;
    this.wrong = wrong;
  }

  private long rowByteSize() {
    long byteSize =
        dataType.hasFixedSize()
            ? byteSize(dataType, hasRows ? shape.withoutLeading() : shape)
            : NO_SIZE;
    return byteSize <= Integer.MAX_VALUE ? byteSize : NO_SIZE; // so that any rows of it fit a long
  }

  static DeclaredOutput of(
      ModelConfig config,
      ModelKey model,
      TensorConfig output,
      Predicate<String> isShapeHint,
      Predicate<String> isFirst) {
    String name = output.name();
    boolean scattered = config.batchOutput(name).isPresent();
    var wrong = new WrongOutput(config.backend(), model, "output", name, isFirst);
    return new DeclaredOutput(output, config, scattered, isShapeHint.test(name), wrong);
  }

  static DeclaredOutput of(
      ModelConfig config, ModelKey model, State state, Predicate<String> isFirst) {
    var wrong = new WrongOutput(config.backend(), model, "state", state.outputName(), isFirst);
    var output = TensorConfig.of(state.outputName(), state.dataType(), state.dims());
    return new DeclaredOutput(output, config, false, false, wrong);
  }

  public String name() {
    return name;
  }

  int nameHash() {
    return nameHash;
  }

  /** The shape of the model, with a wildcard for the rows of a batch. */
  public Shape shape() {
    return shape;
  }

  /** Whether a batch of it is split by the shapes of an input: a {@code batch_output}. */
  public boolean isScattered() {
    return scattered;
  }

  /**
   * The byte size of a tensor of fixed size.
   *
   * @return {@link #NO_SIZE} if the shape is not concrete or too large
   */
  public static long byteSize(DataType type, Shape shape) {
    try {
      return Math.multiplyExact(shape.elementCount(), (long) type.byteSize());
    } catch (ArithmeticException tooLarge) {
      return NO_SIZE;
    }
  }

  /**
   * Checks type, shape and size of the value for one request.
   *
   * @param rows of the request
   */
  public @Nullable InferenceException check(DataType type, Shape given, long byteSize, long rows) {
    if (rowByteSize != NO_SIZE && type == dataType && isExact(given, byteSize, rows)) {
      return null; // as most are: no product of the dimensions is needed
    }
    if (type != dataType) {
      return wrongType(type);
    }
    return fits(shape, given, hasRows && !scattered, rows)
            || (repeated.isPresent() && fits(repeated.get(), given, true, rows))
        ? checkSize(given, byteSize)
        : wrongShape(given, shape, hasRows && !scattered, rows);
  }

  private boolean isExact(Shape given, long byteSize, long rows) {
    return shape.accepts(given)
        && (hasRows
            ? given.dim(0) == rows && byteSize == rows * rowByteSize
            : byteSize == rowByteSize);
  }

  private boolean fits(Shape declared, Shape given, boolean rowsInFront, long rows) {
    return given.isConcrete()
        && (!rowsInFront || (given.rank() > 0 && given.dim(0) == rows))
        && (declared.accepts(given) || (hint && wrong.isServed(given, declared)));
  }

  /**
   * Checks type, shape and size of the value for a batch. One that is scattered may have any shape.
   *
   * @param rows of the batch
   */
  public @Nullable InferenceException checkBatch(
      DataType type, Shape given, long byteSize, long rows) {
    if (type != dataType) {
      return wrongType(type);
    }
    Shape declared = repeated.orElse(shape);
    boolean rowsInFront = hasRows || repeated.isPresent();
    return (scattered && given.isConcrete()) || fits(declared, given, rowsInFront, rows)
        ? checkSize(given, byteSize)
        : wrongShape(given, declared, rowsInFront, rows);
  }

  private InferenceException wrongType(DataType type) {
    return wrong.wrong("type " + type, dataType.toString());
  }

  private InferenceException wrongShape(
      Shape given, Shape declared, boolean rowsInFront, long rows) {
    Shape expected = rowsInFront ? declared.withFirst(rows) : declared;
    return wrong.wrong(
        "shape " + WrongOutput.text(given),
        expected + (given.isConcrete() ? "" : " without negative dimensions"));
  }

  private @Nullable InferenceException checkSize(Shape given, long byteSize) {
    long expected = byteSize(dataType, given);
    if (expected == NO_SIZE) {
      return wrong.wrong(
          "shape " + WrongOutput.text(given), "at most %d bytes".formatted(Long.MAX_VALUE));
    }
    if (dataType.hasFixedSize() ? byteSize != expected : byteSize < 0) {
      return wrong.wrong(
          byteSize + " bytes",
          "%s for the shape %s of %s"
              .formatted(
                  dataType.hasFixedSize() ? expected : "0 or more",
                  WrongOutput.text(given),
                  dataType));
    }
    return null;
  }

  /** The failure of a batch that is too small for the parts of its requests. */
  public InferenceException tooSmall(Shape given, long elements) {
    return wrong.wrong(
        "%d elements in the shape %s".formatted(given.elementCount(), WrongOutput.text(given)),
        "at least %d for the requests of the batch".formatted(elements));
  }

  /** The failure of a response that has this output already. */
  public InferenceException givenTwice() {
    return wrong.wrong("given twice", "once");
  }

  /** Checks that memory of the backend can be read now, and by any thread. */
  public @Nullable InferenceException checkMemory(MemorySegment data) {
    if (!data.scope().isAlive()) {
      return closed();
    }
    if (!data.isAccessibleBy(ANY_THREAD)) {
      return wrong.wrong("memory of a confined arena", "memory that every thread may read");
    }
    return data.isNative() ? null : wrong.wrong("memory on the Java heap", "native memory");
  }

  private InferenceException closed() {
    return wrong.wrong("memory that is closed", "memory that is open until its release");
  }

  /**
   * Checks the content of a value that is complete: its memory is open, and BYTES have as many
   * elements as the shape says, with nothing behind them. Only for BYTES it depends on the size.
   */
  public @Nullable InferenceException checkContent(Shape given, MemorySegment data) {
    if (!data.scope().isAlive()) {
      return closed();
    }
    return dataType == DataType.BYTES ? checkElements(given, data) : null;
  }

  private @Nullable InferenceException checkElements(Shape given, MemorySegment data) {
    long count = given.elementCount();
    long end = data.byteSize();
    long offset = 0;
    for (long i = 0; i < count; i++) {
      long left = end - offset - BytesElements.PREFIX;
      if (left < 0) {
        return wrong.wrong(
            "%d whole elements of BYTES in %d bytes".formatted(i, end),
            "%d for the shape %s".formatted(count, WrongOutput.text(given)));
      }
      long length = BytesElements.lengthAt(data, offset);
      if (length > left) {
        return wrong.wrong(
            "a length of %d bytes of element %d of BYTES".formatted(length, i),
            "at most the %d bytes that follow it".formatted(left));
      }
      offset += BytesElements.PREFIX + length;
    }
    return offset == end
        ? null
        : wrong.wrong(
            "%d bytes behind %d elements of BYTES".formatted(end - offset, count), "none");
  }

  /** The value in the shape that clients see. */
  public Tensor forClient(Tensor value) {
    Shape given = value.shape();
    if (reshaped.isEmpty() || (hint && !shape.accepts(given))) {
      return value;
    }
    boolean rowsInFront = given.rank() > shape.rank() || hasRows;
    Shape dims = hasRows ? shape.withoutLeading() : shape;
    Shape seen = Reshape.apply(dims, reshaped.get(), given, rowsInFront);
    return new Tensor(value.name(), value.dataType(), seen, value.data());
  }
}
