package io.nereid.server.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.nereid.engine.request.UnexpectedFailures;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * A unary call whose work may wait, so that no event loop does it: a virtual thread of its own
 * serves it. A call that ends early, by its deadline or because the server stops, leaves its thread
 * to finish; the response is dropped.
 */
final class BlockingCall {
  private static final System.Logger LOG = System.getLogger(BlockingCall.class.getName());

  private BlockingCall() {}

  /**
   * Starts a call.
   *
   * @param method its name, for the thread and messages
   * @param work returns the response
   */
  static <T> void serve(String method, StreamObserver<T> caller, Supplier<T> work) {
    // With a handler, a response to a cancelled call is dropped instead of thrown.
    ((ServerCallStreamObserver<T>) caller).setOnCancelHandler(() -> {});
    Thread.ofVirtual()
        .name(method)
        .start(() -> {
          try {
            respond(method, caller, work);
          } catch (RejectedExecutionException stopped) {
            LOG.log(System.Logger.Level.DEBUG, "the server has stopped before " + method, stopped);
          }
        });
  }

  private static <T> void respond(String method, StreamObserver<T> caller, Supplier<T> work) {
    T response;
    try {
      response = work.get();
    } catch (Throwable thrown) {
      caller.onError(GrpcErrors.exception(UnexpectedFailures.of(LOG, method, thrown)));
      return;
    }
    caller.onNext(response);
    caller.onCompleted();
  }
}
