package io.nereid.server.codec.json.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.region.DeviceMemoryOpener;
import io.nereid.engine.memory.region.RegionKind;
import io.nereid.engine.memory.region.RegionStatus;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** Any body of a request that registers a shared memory region. */
class RegionRequestFuzzTest {
  private static final String NAME = "r";

  @FuzzTest
  void isRegisteredOrRejected(byte[] body) {
    FuzzedMemory.run(
        body,
        memory -> {
          try (Lease lease = memory.copyOf(body);
              SharedRegions regions = SharedRegions.open(2, DeviceMemoryOpener.NONE)) {
            readOrReject(
                lease,
                segment -> {
                  RegionRequestReader.SystemRegion region = RegionRequestReader.system(segment);
                  regions.register(
                      ClientKey.LOCAL, NAME, region.key(), region.offset(), region.byteSize());
                  assertThat(regions.status(RegionKind.SYSTEM, NAME))
                      .containsExactly(
                          new RegionStatus.SystemMemory(
                              NAME, region.key(), region.offset(), region.byteSize()));
                });
            readOrReject(
                lease,
                segment -> {
                  RegionRequestReader.CudaRegion region = RegionRequestReader.cuda(segment);
                  regions.registerCuda(
                      ClientKey.LOCAL,
                      NAME,
                      region.rawHandle(),
                      region.deviceId(),
                      region.byteSize());
                });
          }
        });
  }

  private static void readOrReject(Lease body, Consumer<MemorySegment> reading) {
    try {
      reading.accept(body.segment());
    } catch (InferenceException rejected) {
      assertThat(rejected.getMessage()).isNotEmpty();
      assertThat(rejected.getStackTrace()).as("a failure that clients cause").isEmpty();
    }
  }
}
