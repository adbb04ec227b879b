package io.nereid.server.codec.json.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** Any body of a request to list, load or unload models. */
class RepositoryRequestFuzzTest {
  @FuzzTest
  void isReadOrRejected(byte[] body) {
    FuzzedMemory.run(
        body,
        memory -> {
          try (Lease lease = memory.copyOf(body)) {
            readOrReject(RepositoryRequestReader::readyOnly, lease.segment());
            readOrReject(RepositoryRequestReader::loadParameters, lease.segment());
            readOrReject(RepositoryRequestReader::unloadDependents, lease.segment());
          }
        });
  }

  private static void readOrReject(Consumer<MemorySegment> reading, MemorySegment body) {
    try {
      reading.accept(body);
    } catch (InferenceException rejected) {
      assertThat(rejected.getMessage()).isNotEmpty();
      assertThat(rejected.getStackTrace()).as("a failure that clients cause").isEmpty();
    }
  }
}
