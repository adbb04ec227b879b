package io.nereid.server.codec.protobuf;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.InvalidProtocolBufferException;
import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.engine.telemetry.trace.TraceOverrides;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.LogSettingsRequest;
import io.nereid.protocol.inference.TraceSettingRequest;
import io.nereid.server.telemetry.logging.LogControl;
import io.nereid.server.telemetry.logging.LogSettings;

/** Any message that changes the settings of the log or of traces. */
class SettingMessagesFuzzTest {
  @FuzzTest
  void changeTheLogOrAreRejected(byte[] input) {
    FuzzedMemory.run(
        input,
        _ -> {
          var control = new LogControl(LogSettings.DEFAULT, ClientSettings.ALL, _ -> {});
          try {
            LogSettingsMessages.apply(LogSettingsRequest.parseFrom(input), control);
          } catch (InferenceException rejected) {
            assertThat(rejected.getStackTrace()).as("a failure that clients cause").isEmpty();
          } catch (InvalidProtocolBufferException malformed) {
            assertThat(malformed.getMessage()).isNotEmpty(); // gRPC's answer
          }
          assertThat(control.settings().file()).isEmpty();
        });
  }

  @FuzzTest
  void changeTracesOrAreRejected(byte[] input) {
    FuzzedMemory.run(
        input,
        _ -> {
          try {
            TraceOverrides changed =
                TraceSettingMessages.change(
                    TraceSettingRequest.parseFrom(input), TraceOverrides.NONE);
            assertThat(changed.count() == null ? 0 : changed.count()).isGreaterThanOrEqualTo(-1);
          } catch (InferenceException rejected) {
            assertThat(rejected.getStackTrace()).as("a failure that clients cause").isEmpty();
          } catch (InvalidProtocolBufferException malformed) {
            assertThat(malformed.getMessage()).isNotEmpty(); // gRPC's answer
          }
        });
  }
}
