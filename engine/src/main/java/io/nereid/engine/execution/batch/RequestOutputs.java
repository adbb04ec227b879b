package io.nereid.engine.execution.batch;

import io.nereid.engine.execution.output.DeclaredOutput;
import io.nereid.engine.execution.output.DeclaredOutputs;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The outputs of single requests: their memory and their checks. Thread-safe.
 *
 * @param fillsOutputs whether the backend writes all memory of outputs, which is then not cleared
 */
record RequestOutputs(DeclaredOutputs outputs, boolean fillsOutputs, BufferPool pool) {
  /** Clears memory that may hold data of other requests, unless the backend writes all of it. */
  void clear(Lease lease) {
    if (!fillsOutputs) {
      lease.segment().fill((byte) 0);
    }
  }

  /** Memory for an output, which belongs to the request: see {@link ResponseBuilder#end}. */
  MemorySegment allocate(
      ResponseBuilder builder,
      boolean isPadding,
      String output,
      DataType dataType,
      Shape shape,
      long byteSize) {
    DeclaredOutput declared = checked(builder, isPadding, output, dataType, shape, byteSize);
    Lease lease = pool.lease(byteSize);
    if (declared != null && builder.wants(output)) {
      clear(lease);
      builder.add(
          declared.forClient(new Tensor(output, dataType, shape, lease.segment())), lease::close);
    } else {
      builder.keep(lease::close); // the response frees it: a long execution may allocate many
    }
    return lease.segment();
  }

  /** Adds an output in memory of the backend. Takes it, also if this throws. */
  void give(ResponseBuilder builder, boolean isPadding, Tensor output, Runnable release) {
    Objects.requireNonNull(release);
    boolean added = false;
    try {
      DeclaredOutput declared =
          checked(
              builder,
              isPadding,
              output.name(),
              output.dataType(),
              output.shape(),
              output.byteSize());
      if (declared != null && builder.wants(output.name())) {
        InferenceException wrong = declared.checkMemory(output.data());
        if (wrong == null) {
          builder.add(declared.forClient(output), release);
          added = true;
        } else {
          builder.refuse(wrong);
        }
      }
    } finally {
      if (!added) {
        builder.release(List.of(release));
      }
    }
  }

  /**
   * Checks an output of one request, which fails if it is wrong. What is given for a request that
   * has ended, or for padding, is dropped and need not be right.
   *
   * @return null if the output is to be dropped
   */
  private @Nullable DeclaredOutput checked(
      ResponseBuilder builder,
      boolean isPadding,
      String output,
      DataType dataType,
      Shape shape,
      long byteSize) {
    if (builder.hasEnded() || isPadding) {
      if (byteSize < 0) {
        throw InferenceException.internal(
            "output '%s' has no size of %d bytes".formatted(output, byteSize));
      }
      return null;
    }
    DeclaredOutput declared = outputs.output(output);
    InferenceException wrong;
    if (declared == null) {
      wrong = outputs.undeclared(output);
    } else if (builder.holds(output)) {
      wrong = declared.givenTwice();
    } else {
      wrong = declared.check(dataType, shape, byteSize, builder.rows());
    }
    if (wrong == null) {
      return declared;
    }
    refuse(builder, wrong, byteSize);
    return null;
  }

  /** Fails a request for a wrong output; throws if there is no memory of that size for it. */
  static void refuse(ResponseBuilder builder, InferenceException wrong, long byteSize) {
    builder.refuse(wrong);
    if (byteSize < 0) {
      throw wrong;
    }
  }
}
