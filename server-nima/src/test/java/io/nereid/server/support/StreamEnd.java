package io.nereid.server.support;

import io.grpc.stub.StreamObserver;
import io.nereid.protocol.inference.ModelStreamInferResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A client of a stream that waits for its end, and ignores the responses. */
public final class StreamEnd implements StreamObserver<ModelStreamInferResponse> {
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  /** Waits until the server has completed the stream; fails if it has failed. */
  public void await() throws Exception {
    ended.get(60, TimeUnit.SECONDS);
  }

  @Override
  public void onNext(ModelStreamInferResponse response) {}

  @Override
  public void onError(Throwable failure) {
    ended.completeExceptionally(failure);
  }

  @Override
  public void onCompleted() {
    ended.complete(null);
  }
}
