package io.nereid.server.codec.json.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.engine.telemetry.trace.TraceOverrides;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import io.nereid.server.telemetry.logging.LogControl;
import io.nereid.server.telemetry.logging.LogSettings;

/** Any body of a request that changes the settings of the log or of traces. */
class SettingsRequestFuzzTest {
  @FuzzTest
  void changesTheLogOrIsRejected(byte[] body) {
    FuzzedMemory.run(
        body,
        memory -> {
          var control = new LogControl(LogSettings.DEFAULT, ClientSettings.ALL, _ -> {});
          try (Lease lease = memory.copyOf(body)) {
            LogSettingsJson.apply(lease.segment(), control);
          } catch (InferenceException rejected) {
            assertRejected(rejected);
          }
          assertThat(control.settings().file()).isEmpty();
          assertThat(control.settings().verboseLevel()).isNotNegative();
        });
  }

  @FuzzTest
  void changesTracesOrIsRejected(byte[] body) {
    FuzzedMemory.run(
        body,
        memory -> {
          try (Lease lease = memory.copyOf(body)) {
            TraceOverrides changed =
                TraceSettingsJson.change(lease.segment()).apply(TraceOverrides.NONE);
            assertThat(changed.rate() == null ? 0 : changed.rate()).isBetween(0L, 0xFFFF_FFFFL);
            assertThat(changed.count() == null ? 0 : changed.count()).isGreaterThanOrEqualTo(-1);
          } catch (InferenceException rejected) {
            assertRejected(rejected);
          }
        });
  }

  private static void assertRejected(InferenceException rejected) {
    assertThat(rejected.getMessage()).isNotEmpty();
    assertThat(rejected.getStackTrace()).as("a failure that clients cause").isEmpty();
  }
}
