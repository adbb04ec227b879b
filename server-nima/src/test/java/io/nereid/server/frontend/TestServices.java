package io.nereid.server.frontend;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.MemorySettings;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.control.ModelControl;
import io.nereid.engine.scheduling.FakeClock;
import io.nereid.engine.utilization.LoadMeter;
import io.nereid.server.codec.LongWork;
import java.util.List;

/** What a front end needs to serve without a model. */
public final class TestServices {
  private TestServices() {}

  public static FrontEndServices of(
      ModelControl models, BufferPool pool, RequestMemory requestMemory) {
    return of(models, pool, requestMemory, new LongWork(2));
  }

  public static FrontEndServices of(
      ModelControl models, BufferPool pool, RequestMemory requestMemory, LongWork longWork) {
    return new FrontEndServices(
        new RequestAdmission(
            new ModelRegistry(),
            new FakeClock(),
            () -> true,
            Readiness.SERVING,
            MemorySettings.DEFAULT_MAX_STRINGS),
        models,
        RuntimeSettings.detached(),
        new ServerIdentity("test", "1", List.of()),
        new FrontEndMemory(pool, requestMemory, SharedRegions.NONE),
        longWork,
        LoadMeter.of(List::of, System::nanoTime));
  }
}
