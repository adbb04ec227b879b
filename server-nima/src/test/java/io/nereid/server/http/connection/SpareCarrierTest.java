package io.nereid.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import jdk.management.VirtualThreadSchedulerMXBean;
import org.junit.jupiter.api.Test;

class SpareCarrierTest {
  private final VirtualThreadSchedulerMXBean scheduler =
      ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);

  @Test
  void isThereFromTheFirstLargeResponseToTheLast() {
    int usual = scheduler.getParallelism();

    SpareCarrier.take();
    SpareCarrier.take();
    assertThat(scheduler.getParallelism()).isEqualTo(usual + 1);

    SpareCarrier.giveBack();
    assertThat(scheduler.getParallelism()).isEqualTo(usual + 1);

    SpareCarrier.giveBack();
    assertThat(scheduler.getParallelism()).isEqualTo(usual);
  }
}
