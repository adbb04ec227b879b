package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.tck.Rule;
import io.nereid.tck.wire.LogSettingsRequest;
import io.nereid.tck.wire.LogSettingsResponse;
import io.nereid.tck.wire.TraceSettingRequest;
import io.nereid.tck.wire.TraceSettingResponse;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The settings of log and traces. What a test changes it changes back. */
public abstract class SettingsVerification extends GrpcVerification {
  private TraceSettingResponse trace(String model, String name, String... values) {
    var value = TraceSettingRequest.SettingValue.newBuilder().addAllValue(List.of(values)).build();
    return calls()
        .traceSetting(
            TraceSettingRequest.newBuilder().setModelName(model).putSettings(name, value).build());
  }

  private TraceSettingResponse trace(String model) {
    return calls().traceSetting(TraceSettingRequest.newBuilder().setModelName(model).build());
  }

  private static List<String> values(TraceSettingResponse settings, String name) {
    return settings.getSettingsOrThrow(name).getValueList();
  }

  private LogSettingsResponse log(
      String name, Consumer<LogSettingsRequest.SettingValue.Builder> change) {
    var value = LogSettingsRequest.SettingValue.newBuilder();
    change.accept(value);
    return calls()
        .logSettings(LogSettingsRequest.newBuilder().putSettings(name, value.build()).build());
  }

  private LogSettingsResponse log() {
    return calls().logSettings(LogSettingsRequest.getDefaultInstance());
  }

  @Test
  @Rule("GRPC-TRACE-01")
  void readsTheSettingsOfTracesAsTexts() {
    for (String model : List.of("", "simple")) {
      var settings = trace(model);

      assertThat(values(settings, "trace_level")).isNotEmpty();
      for (String name : List.of("trace_rate", "trace_count", "trace_mode")) {
        assertThat(values(settings, name)).as(name).hasSize(1);
      }
    }
  }

  @Test
  @Rule("GRPC-TRACE-02")
  void changesASettingOfTracesForAModelUntilItIsCleared() {
    var before = values(trace(""), "trace_rate");

    assertThat(values(trace("simple", "trace_rate", "77"), "trace_rate")).containsExactly("77");
    assertThat(values(trace("simple"), "trace_rate")).containsExactly("77");
    assertThat(values(trace(""), "trace_rate")).isEqualTo(before);
    assertThat(values(trace("simple", "trace_rate"), "trace_rate")).isEqualTo(before);
  }

  @Test
  @Rule("GRPC-TRACE-03")
  void refusesSettingsOfTracesWithTheirTexts() {
    rejected(
        () -> trace("", "trace_file", "f"),
        Status.Code.UNIMPLEMENTED,
        "trace file location can not be updated through network protocol");
    rejected(
        () -> trace("", "trace_level", "OFF", "TENSORS"),
        Status.Code.INVALID_ARGUMENT,
        "Expect only one trace level 'OFF' is specified");
    rejected(
        () -> trace("", "trace_rate", "1", "2"),
        Status.Code.INVALID_ARGUMENT,
        "expect only 1 value for 'trace_rate'");
    rejected(
        () -> trace("", "trace_rate", "x"),
        Status.Code.INVALID_ARGUMENT,
        "Unable to parse 'trace_rate', got: x");
    rejected(
        () -> trace("", "trace_count", "-2"),
        Status.Code.INVALID_ARGUMENT,
        "Unable to parse 'trace_count'. Expecting value >= -1, got: -2");
  }

  @Test
  @Rule("GRPC-TRACE-04")
  void refusesAnUnknownModel() {
    try {
      assumeThat(trace("unknown").getSettingsCount()).as("settings of no model").isNotZero();
    } catch (StatusRuntimeException refused) {
      assertThat(refused.getStatus().getCode())
          .isIn(Status.Code.NOT_FOUND, Status.Code.INVALID_ARGUMENT);
    }
  }

  @Test
  @Rule("GRPC-LOG-01")
  void readsTheSettingsOfTheLog() {
    var settings = log();

    assertThat(settings.getSettingsMap())
        .containsOnlyKeys(
            "log_file", "log_info", "log_warning", "log_error", "log_verbose_level", "log_format");
    for (String name : List.of("log_info", "log_warning", "log_error")) {
      assertThat(settings.getSettingsOrThrow(name).hasBoolParam()).as(name).isTrue();
    }
    assertThat(settings.getSettingsOrThrow("log_verbose_level").hasUint32Param()).isTrue();
    assertThat(settings.getSettingsOrThrow("log_format").hasStringParam()).isTrue();
    assertThat(settings.getSettingsOrThrow("log_file").hasStringParam()).isTrue();
  }

  @Test
  @Rule("GRPC-LOG-02")
  void changesASettingOfTheLog() {
    var before = log();
    int level = before.getSettingsOrThrow("log_verbose_level").getUint32Param();

    var changed = log("log_verbose_level", value -> value.setUint32Param(1));

    assertThat(changed.getSettingsOrThrow("log_verbose_level").getUint32Param()).isEqualTo(1);
    assertThat(log("log_verbose_level", value -> value.setUint32Param(level))).isEqualTo(before);
  }

  @Test
  @Rule("GRPC-LOG-03")
  void refusesSettingsOfTheLogWithTheirTexts() {
    rejected(
        () -> log("log_file", value -> value.setStringParam("f")),
        Status.Code.UNIMPLEMENTED,
        "log file location can not be updated through network protocol");
    rejected(
        () -> log("log_info", value -> value.setStringParam("true")),
        Status.Code.INVALID_ARGUMENT,
        "expect boolean for 'log_info'");
    rejected(
        () -> log("log_verbose_level", value -> value.setStringParam("1")),
        Status.Code.INVALID_ARGUMENT,
        "expect int32 for 'log_verbose_level'");
    rejected(
        () -> log("log_format", value -> value.setBoolParam(true)),
        Status.Code.INVALID_ARGUMENT,
        "expect string for 'log_format'");
    rejected(
        () -> log("log_format", value -> value.setStringParam("x")),
        Status.Code.INVALID_ARGUMENT,
        "invalid argument for log_format, got: x");
  }
}
