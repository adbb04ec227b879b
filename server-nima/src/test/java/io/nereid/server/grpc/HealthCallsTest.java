package io.nereid.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.stub.ServerCallStreamObserver;
import io.nereid.server.protobuf.health.HealthCheckRequest;
import io.nereid.server.protobuf.health.HealthCheckResponse;
import io.nereid.server.protobuf.health.HealthCheckResponse.ServingStatus;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HealthCallsTest {
  /** A client that watches. */
  private static final class Client extends ServerCallStreamObserver<HealthCheckResponse> {
    private final BlockingQueue<ServingStatus> told = new LinkedBlockingQueue<>();

    @Override
    public void onNext(HealthCheckResponse response) {
      told.add(response.getStatus());
    }

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onCompleted() {}

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public void setOnCancelHandler(Runnable handler) {}

    @Override
    public void setCompression(String compression) {}

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setOnReadyHandler(Runnable handler) {}

    @Override
    public void request(int count) {}

    @Override
    public void setMessageCompression(boolean enable) {}

    @Override
    public void disableAutoInboundFlowControl() {}
  }

  @Test
  void clientsAreToldOfChangesBehindAnErrorOfALook() throws InterruptedException {
    var looks = new AtomicInteger();
    var client = new Client();
    try (var health =
        new HealthCalls(() -> {
          int look = looks.incrementAndGet();
          if (look == 2) {
            throw new OutOfMemoryError("of a test");
          }
          return look == 1;
        })) {
      health.watch(HealthCheckRequest.getDefaultInstance(), client);

      assertThat(client.told.poll(30, TimeUnit.SECONDS)).isEqualTo(ServingStatus.SERVING);
      assertThat(client.told.poll(30, TimeUnit.SECONDS)).isEqualTo(ServingStatus.NOT_SERVING);
    }
  }
}
