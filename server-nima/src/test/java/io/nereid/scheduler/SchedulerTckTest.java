package io.nereid.scheduler;

import io.nereid.repository.LoaderUnderTest;
import io.nereid.tck.scheduler.DefaultSchedulerVerification;
import io.nereid.tck.scheduler.SchedulerUnderTest;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The server's schedulers, held to the kit; each test must also give back all memory. */
class SchedulerTckTest {
  @TempDir private Path repository;

  @Nested
  class Default extends DefaultSchedulerVerification {
    @Override
    protected SchedulerUnderTest openScheduler() {
      return new LoaderUnderTest(repository);
    }
  }
}
