package io.nereid.tensorrt.builder;

import io.nereid.tensorrt.bindings.nvinfer.IOptimizationProfile_isValid;
import io.nereid.tensorrt.bindings.nvinfer.IOptimizationProfile_setDimensions;
import io.nereid.tensorrt.bindings.nvinfer.IOptimizationProfile_setShapeValuesV2;
import io.nereid.tensorrt.bindings.nvinfer.Nvinfer;
import io.nereid.tensorrt.bindings.nvinfer.trt10_IOptimizationProfile;
import io.nereid.tensorrt.bindings.nvinfer.trt11_IOptimizationProfile;
import io.nereid.tensorrt.bindings.nvinfer.trt_Dims;
import io.nereid.tensorrt.engine.MethodTable;
import io.nereid.tensorrt.engine.NativeObject;
import io.nereid.tensorrt.engine.TensorRt;
import io.nereid.tensorrt.engine.TensorRtException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * {@code nvinfer1::IOptimizationProfile}: ranges of inputs, for which a plan is optimised. It
 * belongs to its builder.
 */
public final class OptimizationProfile {
  /** Since this version, {@code setShapeValuesV2} is in the table. */
  public static final int SHAPE_VALUES_VERSION = 10_11_00;

  private static final int MAX_RANK = 8;

  /** Which bound of a range is set. */
  public enum Bound {
    MIN(Nvinfer.kMIN()),
    OPT(Nvinfer.kOPT()),
    MAX(Nvinfer.kMAX());

    private final int value;

    /**
     * @param value of {@code nvinfer1::OptProfileSelector}
     */
    Bound(int value) {
      this.value = value;
    }
  }

  private final TensorRt tensorRt;
  private final NativeObject builder;
  private final Borrowed profile;
  private final MethodTable methods;

  OptimizationProfile(TensorRt tensorRt, NativeObject builder, Borrowed profile) {
    this.tensorRt = tensorRt;
    this.builder = builder;
    this.profile = profile;
    this.methods =
        MethodTable.of(
            profile.impl(),
            tensorRt.version(),
            trt10_IOptimizationProfile.layout(),
            trt11_IOptimizationProfile.layout());
  }

  /** The object, for a method that takes it as an argument. */
  MemorySegment address() {
    builder.impl(); // throws if the builder is closed, and the profile with it
    return profile.object();
  }

  /**
   * Sets a bound of the dimensions of an input.
   *
   * @throws TensorRtException if TensorRT refuses it
   */
  public void setDimensions(String input, Bound bound, List<Long> dims) {
    builder.impl();
    if (dims.size() > MAX_RANK) {
      throw new IllegalArgumentException("TensorRT has at most 8 dimensions, not " + dims.size());
    }
    tensorRt.clearError();
    try (var arena = Arena.ofConfined()) {
      MemorySegment memory = trt_Dims.allocate(arena);
      trt_Dims.nbDims(memory, dims.size());
      for (int i = 0; i < dims.size(); i++) {
        trt_Dims.d(memory, i, dims.get(i));
      }
      if (!IOptimizationProfile_setDimensions.invoke(
          methods.method("setDimensions"),
          profile.impl(),
          arena.allocateFrom(input),
          bound.value,
          memory)) {
        throw refused(input, bound, dims);
      }
    }
  }

  /**
   * Sets a bound of the values of a shape tensor.
   *
   * @throws TensorRtException if TensorRT refuses it, or is older than {@link
   *     #SHAPE_VALUES_VERSION}
   */
  public void setValues(String input, Bound bound, List<Long> values) {
    builder.impl();
    tensorRt.clearError();
    if (!tensorRt.version().isAtLeast(SHAPE_VALUES_VERSION)) {
      throw tensorRt.failure(
          "TensorRT %s has no ranges for shape tensors such as '%s', 10.11 has"
              .formatted(tensorRt.version(), input));
    }
    try (var arena = Arena.ofConfined()) {
      MemorySegment memory =
          arena.allocateFrom(
              ValueLayout.JAVA_LONG, values.stream().mapToLong(Long::longValue).toArray());
      if (!IOptimizationProfile_setShapeValuesV2.invoke(
          methods.method("setShapeValuesV2"),
          profile.impl(),
          arena.allocateFrom(input),
          bound.value,
          memory,
          values.size())) {
        throw refused(input, bound, values);
      }
    }
  }

  private TensorRtException refused(String input, Bound bound, List<Long> numbers) {
    return tensorRt.failure("input '%s' cannot have %s %s".formatted(input, bound, numbers));
  }

  /** Whether every range is complete and in order. */
  public boolean isValid() {
    builder.impl();
    return IOptimizationProfile_isValid.invoke(methods.method("isValid"), profile.impl());
  }
}
