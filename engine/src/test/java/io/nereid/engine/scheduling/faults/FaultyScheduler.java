package io.nereid.engine.scheduling.faults;

import io.nereid.tck.scheduler.SchedulerModel;
import io.nereid.tck.scheduler.SchedulerUnderTest;
import io.nereid.tck.scheduler.Statistics;
import io.nereid.tck.scheduler.TestRequest;
import io.nereid.tck.scheduler.TestResponse;
import java.time.Duration;
import java.util.Map;

/** A right scheduler that reads and counts something else than it is given. */
record FaultyScheduler(SchedulerUnderTest right, SchedulerFault fault)
    implements SchedulerUnderTest {
  @Override
  public SchedulerModel load(String configPbtxt, Map<String, byte[]> files) {
    SchedulerModel model = right.load(fault.config().apply(configPbtxt), files);
    return new SchedulerModel() {
      @Override
      public TestResponse submit(TestRequest request) {
        return model.submit(fault.request().apply(request));
      }

      @Override
      public Statistics statistics() {
        return fault.statistics().apply(model.statistics());
      }
    };
  }

  @Override
  public void advance(Duration time) {
    right.advance(time);
  }

  @Override
  public void settle() {
    right.settle();
  }

  @Override
  public void close() {
    right.close();
  }
}
