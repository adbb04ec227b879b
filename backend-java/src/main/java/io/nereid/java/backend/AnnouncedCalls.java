package io.nereid.java.backend;

import io.nereid.spi.CallMemory;
import io.nereid.spi.CallResponse;
import io.nereid.spi.CallResponses;
import io.nereid.spi.ModelCall;
import io.nereid.spi.ModelCalls;
import java.util.concurrent.CompletableFuture;

/**
 * Calls of which each is announced before it begins.
 *
 * @param onCall any thread may run it
 */
record AnnouncedCalls(ModelCalls calls, Runnable onCall) implements ModelCalls {
  @Override
  public CallResponse infer(ModelCall call) {
    onCall.run();
    return calls.infer(call);
  }

  @Override
  public CompletableFuture<CallResponse> inferAsync(ModelCall call) {
    onCall.run();
    return calls.inferAsync(call);
  }

  @Override
  public CallResponses stream(ModelCall call) {
    onCall.run();
    return calls.stream(call);
  }

  @Override
  public CallMemory allocate(String model, long byteSize) {
    return calls.allocate(model, byteSize);
  }
}
