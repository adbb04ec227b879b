package io.nereid.training;

import io.nereid.client.ErrorCode;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.Tensor;
import java.io.IOException;

/** The requests over gRPC: single ones, and those of streams. */
final class GrpcTraining implements AutoCloseable {
  private static final InferRequest SIMPLE = simple("simple");

  private final NereidClient client;

  GrpcTraining(int port) {
    client = NereidClient.connect("grpc://localhost:" + port);
  }

  /** Reads what clients read once, and meets the most usual error. */
  void readMetadata() throws IOException {
    var _ = client.server().isLive();
    var _ = client.server().isReady();
    var _ = client.server().metadata();
    var _ = client.models().metadata("simple");
    try {
      var _ = client.infer(simple("unknown"));
      throw new IOException("expected an error for a model that there is not");
    } catch (NereidException expected) {
      if (expected.code() != ErrorCode.NOT_FOUND) {
        throw new IOException("an unknown model: " + expected.getMessage(), expected);
      }
    }
  }

  /** Sends a single request, and one on a stream. */
  void infer() throws IOException {
    try (var stream = client.stream(SIMPLE)) {
      var _ = client.infer(SIMPLE);
      for (InferResponse response : stream) {
        var _ = response.output("OUTPUT0");
      }
    } catch (NereidException failed) {
      throw new IOException(failed.getMessage(), failed);
    }
  }

  private static InferRequest simple(String model) {
    var numbers = Tensor.of(new int[16], 1, 16);
    return InferRequest.to(model).input("INPUT0", numbers).input("INPUT1", numbers).build();
  }

  @Override
  public void close() {
    client.close();
  }
}
