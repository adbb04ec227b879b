package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleTable;
import io.nereid.tck.wire.LogSettingsResponse;
import io.nereid.tck.wire.TraceSettingResponse;
import java.util.List;

/** The settings of log and traces. What a test changes it changes back. */
public abstract class GrpcSettingsVerification extends GrpcVerification {
  private static final String SIMPLE = "model_name: 'simple' ";
  private static final String RATE = "settings { key: 'trace_rate' value { %s } }";

  private TraceSettingResponse trace(String request) {
    return (TraceSettingResponse) call("TraceSetting", request);
  }

  private static List<String> values(TraceSettingResponse settings, String name) {
    return settings.getSettingsOrThrow(name).getValueList();
  }

  private List<String> rate(String request) {
    return values(trace(request), "trace_rate");
  }

  private LogSettingsResponse log(String request) {
    return (LogSettingsResponse) call("LogSettings", request);
  }

  private LogSettingsResponse level(int level) {
    return log("settings { key: 'log_verbose_level' value { uint32_param: %d } }".formatted(level));
  }

  @Rule("GRPC-TRACE-01")
  void readsTheSettingsOfTracesAsTexts() {
    for (String request : List.of("", SIMPLE)) {
      var settings = trace(request);

      assertThat(values(settings, "trace_level")).isNotEmpty();
      for (String name : List.of("trace_rate", "trace_count", "trace_mode")) {
        assertThat(values(settings, name)).as(name).hasSize(1);
      }
    }
  }

  @Rule("GRPC-TRACE-02")
  void changesASettingOfTracesForAModelUntilItIsCleared() {
    var before = rate("");
    assertThat(rate(SIMPLE + RATE.formatted("value: '77'"))).containsExactly("77");
    assertThat(rate(SIMPLE)).containsExactly("77");
    assertThat(rate("")).isEqualTo(before);

    assertThat(rate(SIMPLE + RATE.formatted(""))).isEqualTo(before);
  }

  @RuleTable(
      """
      GRPC-TRACE-03 | TraceSetting | trace_file        | value: 'f'             | UNIMPLEMENTED    | trace file location can not be updated through network protocol
      GRPC-TRACE-03 | TraceSetting | trace_level       | value: ['OFF','TENSORS'] | INVALID_ARGUMENT | Expect only one trace level 'OFF' is specified
      GRPC-TRACE-03 | TraceSetting | trace_rate        | value: ['1','2']       | INVALID_ARGUMENT | expect only 1 value for 'trace_rate'
      GRPC-TRACE-03 | TraceSetting | trace_rate        | value: 'x'             | INVALID_ARGUMENT | Unable to parse 'trace_rate', got: x
      GRPC-TRACE-03 | TraceSetting | trace_count       | value: '-2'            | INVALID_ARGUMENT | Unable to parse 'trace_count'. Expecting value >= -1, got: -2
      GRPC-LOG-03   | LogSettings  | log_file          | string_param: 'f'      | UNIMPLEMENTED    | log file location can not be updated through network protocol
      GRPC-LOG-03   | LogSettings  | log_info          | string_param: 'true'   | INVALID_ARGUMENT | expect boolean for 'log_info'
      GRPC-LOG-03   | LogSettings  | log_verbose_level | string_param: '1'      | INVALID_ARGUMENT | expect int32 for 'log_verbose_level'
      GRPC-LOG-03   | LogSettings  | log_format        | bool_param: true       | INVALID_ARGUMENT | expect string for 'log_format'
      GRPC-LOG-03   | LogSettings  | log_format        | string_param: 'x'      | INVALID_ARGUMENT | invalid argument for log_format, got: x
      """)
  void refusesSettingsWithTheirTexts(
      String method, String name, String value, Status.Code code, String text) {
    rejected(method, "settings { key: '%s' value { %s } }".formatted(name, value), code, text);
  }

  @Rule("GRPC-TRACE-04")
  void refusesAnUnknownModel() {
    try {
      var settings = trace("model_name: 'unknown'").getSettingsMap();
      assumeThat(settings).as("settings of no model").isNotEmpty();
      throw new AssertionError("model 'unknown': expected a refusal, got " + settings);
    } catch (StatusRuntimeException refused) {
      assertThat(refused.getStatus().getCode())
          .isIn(Status.Code.NOT_FOUND, Status.Code.INVALID_ARGUMENT);
    }
  }

  @Rule("GRPC-LOG-01")
  void readsTheSettingsOfTheLog() {
    var settings = log("");

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

  @Rule("GRPC-LOG-02")
  void changesASettingOfTheLog() {
    var before = log("");
    int level = before.getSettingsOrThrow("log_verbose_level").getUint32Param();

    var changed = level(1);

    assertThat(changed.getSettingsOrThrow("log_verbose_level").getUint32Param()).isEqualTo(1);
    assertThat(level(level)).isEqualTo(before);
  }
}
