package io.nereid.benchmarks.torture.stop;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import java.net.ConnectException;

/**
 * A client that sends the same request again and again over gRPC, until the server refuses
 * connections. The channel repeats a call that the server says it has not accepted (GOAWAY), so
 * that it ends with a connection that is refused.
 */
record GrpcClient(ManagedChannel channel, ModelInferRequest request, Ledger ledger)
    implements Runnable {
  @Override
  public void run() {
    var stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
    while (true) {
      long start = System.nanoTime();
      try {
        var _ = stub.modelInfer(request);
        ledger.answered(System.nanoTime() - start);
      } catch (StatusRuntimeException e) {
        ledger.failed(isRefusal(e) ? Long.MAX_VALUE : start, "gRPC: " + e.getStatus());
        return;
      }
    }
  }

  /**
   * Whether the server has not accepted the call: it says so, or the repetition finds no server.
   */
  private static boolean isRefusal(StatusRuntimeException failure) {
    return failure.getCause() instanceof ConnectException
        || Ledger.isRefusal(String.valueOf(failure.getStatus().getDescription()));
  }
}
