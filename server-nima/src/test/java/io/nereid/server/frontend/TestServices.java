package io.nereid.server.frontend;

import io.nereid.server.codec.LongWork;
import io.nereid.server.engine.InferenceEngine;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.RequestMemory;
import io.nereid.server.memory.region.SharedRegions;
import io.nereid.server.model.ModelRegistry;
import io.nereid.server.model.control.ModelControl;
import io.nereid.server.scheduling.FakeClock;
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
        new InferenceEngine(new ModelRegistry(), new FakeClock(), () -> true, true),
        models,
        RuntimeSettings.detached(),
        new ServerIdentity("test", "1", List.of()),
        pool,
        requestMemory,
        SharedRegions.NONE,
        longWork);
  }
}
