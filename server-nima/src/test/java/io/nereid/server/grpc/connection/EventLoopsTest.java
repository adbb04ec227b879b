package io.nereid.server.grpc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EventLoopsTest {
  @Test
  void aThreadGoesOnBehindAnErrorOfATask() throws InterruptedException {
    var loops = new EventLoops();
    var ran = new CountDownLatch(1);

    loops.executeAccepting(() -> {
      throw new OutOfMemoryError("of a test");
    });
    loops.executeAccepting(ran::countDown);

    assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
    loops.close();
  }
}
