package io.nereid.server.grpc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EventLoopsTest {
  private static final int LARGEST_READ = 64 << 10;

  @Test
  void aTurnReadsOnceOfAConnectionThatHasMore() {
    var reads = EventLoops.reads().newHandle();
    reads.reset(new EmbeddedChannel().config());

    reads.attemptedBytesRead(LARGEST_READ);
    reads.lastBytesRead(LARGEST_READ);
    reads.incMessagesRead(1);

    assertThat(reads.continueReading()).isFalse();
  }

  @Test
  void aReadIsOf64KibibytesAtMost() {
    var reads = EventLoops.reads().newHandle();
    for (int turn = 0; turn < 100; turn++) {
      reads.reset(new EmbeddedChannel().config());
      reads.attemptedBytesRead(reads.guess());
      reads.lastBytesRead(reads.guess());
      reads.readComplete();
    }

    assertThat(reads.guess()).isEqualTo(LARGEST_READ);
  }

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
