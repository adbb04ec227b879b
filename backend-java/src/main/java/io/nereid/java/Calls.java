package io.nereid.java;

import io.nereid.error.InferenceException;
import io.nereid.spi.CallMemory;
import io.nereid.spi.CallResponse;
import io.nereid.spi.ModelCall;
import io.nereid.spi.ModelCalls;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/**
 * Calls of other models on behalf of one request, as {@link ModelCalls} says: of those that the
 * parameter {@code calls} of the configuration names. Inputs may be of {@link TensorArrays}, which
 * are copied into memory that other models read; native memory is not copied. Any thread may use it
 * while {@code infer} runs.
 */
public final class Calls {
  private final ModelCalls calls;

  /** The calls of a request. */
  public Calls(ModelCalls calls) {
    this.calls = calls;
  }

  /** All that a call can have: versions, parameters, sequences, timeouts, streams. */
  public ModelCalls all() {
    return calls;
  }

  /**
   * Calls the newest version of a model for all its outputs, and waits for the response.
   *
   * @return closed by the caller, or with the request
   * @throws InferenceException as of {@link ModelCalls#infer}
   */
  public CallResponse infer(String model, Tensor... inputs) {
    try (var lent = new Lent()) {
      return calls.infer(call(model, inputs, lent));
    } catch (InferenceException failed) {
      throw traced(failed);
    }
  }

  /** What may be a mistake of the caller has a stack trace, so that the log can name its line. */
  private static InferenceException traced(InferenceException failed) {
    return switch (failed.code()) {
      case INVALID_ARGUMENT, NOT_FOUND, UNSUPPORTED ->
          new InferenceException(failed.code(), failed.getMessage(), failed);
      default -> failed;
    };
  }

  /**
   * Begins a call as {@link #infer} makes it and returns at once, so that several run at the same
   * time.
   *
   * @return of a response that is closed by the caller, or with the request; see {@link
   *     ModelCalls#inferAsync}
   */
  public CompletableFuture<CallResponse> inferAsync(String model, Tensor... inputs) {
    var lent = new Lent();
    try {
      CompletableFuture<CallResponse> response = calls.inferAsync(call(model, inputs, lent));
      var _ =
          response.whenComplete((_, failure) -> {
            if (!(failure instanceof CancellationException)) { // else the request frees them
              lent.close();
            }
          });
      return response;
    } catch (Throwable failed) {
      lent.close();
      throw failed;
    }
  }

  private ModelCall call(String model, Tensor[] inputs, Lent lent) {
    var call = ModelCall.to(model);
    for (Tensor input : inputs) {
      MemorySegment data = input.data();
      if (!data.isNative()) {
        MemorySegment copy = lent.add(calls.allocate(model, data.byteSize()));
        data = copy.copyFrom(data);
      }
      call.input(input.name(), input.dataType(), input.shape(), data);
    }
    return call.build();
  }

  /** Memory that the server has lent for one call. */
  private static final class Lent implements AutoCloseable {
    private final List<CallMemory> memory = new ArrayList<>();

    MemorySegment add(CallMemory lent) {
      memory.add(lent);
      return lent.segment();
    }

    @Override
    public void close() {
      memory.forEach(CallMemory::close);
    }
  }
}
