package io.nereid.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.FakeModelControl;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A load of a model that lasts until the test ends it. */
public final class HeldLoad {
  private static final long TIMEOUT_SECONDS = 50;

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

  /** Holds each load of the models. */
  HeldLoad(FakeModelControl models) {
    models.setWhileLoading(() -> {
      begun.countDown();
      await(ended);
    });
  }

  /** Asks for a load as stream 1, and waits until it has begun. */
  void begin(Http2Socket client) throws Exception {
    begin(client, GrpcTestServer.EMPTY);
  }

  void begin(Http2Socket client, byte[] message) throws Exception {
    client.writeCall(1, GrpcTestServer.LOAD);
    client.writeMessage(1, false, message, true);
    await(begun);
  }

  void end() {
    ended.countDown();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
