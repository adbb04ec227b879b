package io.nereid.server.grpc.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.nereid.server.grpc.control.PlainCall.ResponseSink;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HealthCallsTest {
  /** A client that watches. */
  private static final class Client implements ResponseSink<HealthCheckResponse> {
    private final BlockingQueue<ServingStatus> told = new LinkedBlockingQueue<>();

    @Override
    public void send(HealthCheckResponse response) {
      told.add(response.getStatus());
    }

    @Override
    public boolean isReady() {
      return true;
    }
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
      var _ = health.watch(client);

      assertThat(client.told.poll(30, TimeUnit.SECONDS)).isEqualTo(ServingStatus.SERVING);
      assertThat(client.told.poll(30, TimeUnit.SECONDS)).isEqualTo(ServingStatus.NOT_SERVING);
    }
  }
}
