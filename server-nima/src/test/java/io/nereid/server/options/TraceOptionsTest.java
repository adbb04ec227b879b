package io.nereid.server.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.telemetry.trace.TraceDestination;
import io.nereid.engine.telemetry.trace.TraceLevel;
import io.nereid.engine.telemetry.trace.TraceSettings;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.ParameterException;

/** Sources: Triton, help of its options; user_guide/trace.md; src/command_line_parser.cc. */
class TraceOptionsTest {
  private static final Set<TraceLevel> BOTH = Set.of(TraceLevel.TIMESTAMPS, TraceLevel.TENSORS);

  private static String[] withRepository(String... arguments) {
    return Stream.concat(Stream.of("--model-store=/a"), Stream.of(arguments))
        .toArray(String[]::new);
  }

  private static TraceOptions parse(String... arguments) {
    return ParsedOptions.of(withRepository(arguments)).traces();
  }

  private static TraceSettings settings(String... arguments) {
    return parse(arguments).settings(Map.of());
  }

  private static String shown(TraceSettings settings) {
    return settings.destination().shown().entrySet().stream()
        .map(Map.Entry::toString)
        .collect(Collectors.joining(" "));
  }

  @Test
  void clientsSeeTheAddressOfTheCollectorWithoutItsPassword() {
    assertThat(
            shown(
                settings(
                    "--trace-config=mode=opentelemetry",
                    "--trace-config=opentelemetry,url=https://user:pass@word@host:4318/v1/@traces")))
        .contains("url=https://host:4318/v1/@traces ")
        .doesNotContain("user", "pass", "word");
  }

  @Test
  void filesHaveLimits() {
    assertThat(
            settings(
                    "--trace-config=triton,max-bytes=5000000000",
                    "--trace-config=triton,max-files=6",
                    "--trace-config=triton,max-elements=7")
                .destination())
        .isEqualTo(new TraceDestination.Files("", 5_000_000_000L, 6, 7));
    assertThat(settings().destination())
        .isEqualTo(new TraceDestination.Files("", 1 << 30, 1000, 1000));
    for (String wrong :
        new String[] {
          "max-bytes=0", "max-bytes=-1", "max-bytes=1k", "max-files=-1", "max-elements=-1"
        }) {
      assertThatExceptionOfType(ParameterException.class)
          .as(wrong)
          .isThrownBy(() -> settings("--trace-config=triton," + wrong))
          .withMessageContaining("triton," + wrong.substring(0, wrong.indexOf('=')));
    }
  }

  @Test
  void thereAreNoTracesByDefault() {
    assertThat(settings())
        .isEqualTo(new TraceSettings(Set.of(), 1000, -1, 0, new TraceDestination.Files("")));
  }

  @Test
  void eachSettingIsRead() {
    assertThat(
            settings(
                "--trace-config=level=TIMESTAMPS",
                "--trace-config",
                "level=TENSORS",
                "--trace-config=rate=5",
                "--trace-config=count=7",
                "--trace-config=mode=Triton",
                "--trace-config=TRITON,file=/t=1",
                "--trace-config=triton,log-frequency=9"))
        .isEqualTo(new TraceSettings(BOTH, 5, 7, 9, new TraceDestination.Files("/t=1")));
  }

  @Test
  void deprecatedOptionsStandForSettings() {
    assertThat(
            settings(
                "--trace-level=MAX",
                "--trace-level=TENSORS",
                "--trace-rate=5",
                "--trace-count=7",
                "--trace-file=/t",
                "--trace-log-frequency=9"))
        .isEqualTo(new TraceSettings(BOTH, 5, 7, 9, new TraceDestination.Files("/t")));
  }

  @Test
  void settingsTakeThePlaceOfDeprecatedOptions() {
    assertThat(
            settings(
                "--trace-config=rate=6",
                "--trace-config=count=8",
                "--trace-config=triton,file=/new",
                "--trace-config=triton,log-frequency=10",
                "--trace-rate=5",
                "--trace-count=7",
                "--trace-file=/old",
                "--trace-log-frequency=9"))
        .isEqualTo(new TraceSettings(Set.of(), 6, 8, 10, new TraceDestination.Files("/new")));
  }

  @ParameterizedTest
  @CsvSource({
    "--trace-file=/t,'triton,file=<filepath>'",
    "--trace-level=OFF,level=<OFF|TIMESTAMPS|TENSORS>",
    "--trace-rate=1,rate=<rate value>",
    "--trace-count=1,count=<count value>",
    "--trace-log-frequency=1,'triton,log-frequency=<log frequency value>'"
  })
  void aDeprecatedOptionIsNamedInAWarning(String argument, String instead) {
    String option = argument.substring(0, argument.indexOf('='));

    assertThat(ParsedOptions.warnings(withRepository(argument)))
        .containsExactly(
            ("Warning: '%s' has been deprecated and will be removed. Please use '--trace-config %s'"
                    + " instead.")
                .formatted(option, instead));
  }

  @Test
  void theLastValueOfASettingTakesPrecedence() {
    TraceSettings settings =
        settings(
            "--trace-config=rate=1",
            "--trace-config=rate=2",
            "--trace-config=mode=opentelemetry",
            "--trace-config=mode=triton");

    assertThat(settings.rate()).isEqualTo(2);
    assertThat(settings.destination().mode()).isEqualTo("triton");
  }

  @ParameterizedTest
  @CsvSource({
    "off,OFF",
    "FALSE,OFF",
    "true,TIMESTAMPS",
    "On,TIMESTAMPS",
    "MIN,TIMESTAMPS",
    "max,TIMESTAMPS",
    "Timestamps,TIMESTAMPS",
    "tensors,TENSORS",
    "TIMESTAMPS tensors,TIMESTAMPS TENSORS",
    "TIMESTAMPS off TENSORS,OFF"
  })
  void levelsHaveSynonymsAndOffExcludesTheOthers(String levels, String expected) {
    for (String option : List.of("--trace-config=level=", "--trace-level=")) {
      String[] arguments =
          Arrays.stream(levels.split(" ")).map(option::concat).toArray(String[]::new);

      assertThat(settings(arguments).levelNames())
          .as(option)
          .containsExactlyInAnyOrder(expected.split(" "));
    }
  }

  @Test
  void otherSettingsAreIgnored() {
    assertThat(settings("--trace-config=other=1", "--trace-config=triton,rate=many"))
        .isEqualTo(TraceSettings.DEFAULT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rate|--trace-config option format is '<trace mode>,<setting>=<value>'. Got rate",
        "rate=|--trace-config option format is '<trace mode>,<setting>=<value>'. Got rate=",
        "=1|--trace-config option format is '<trace mode>,<setting>=<value>'. Got =1",
        "triton,file|--trace-config option format is '<trace mode>,<setting>=<value>'. Got"
            + " triton,file",
        ",file=/t|No trace mode specified. --trace-config option format is <trace"
            + " mode>,<setting>=<value> or <setting>=<value>. Got ,file=/t",
        "zipkin,url=u|invalid value for trace mode option: zipkin. Available options are \"triton\""
            + " and \"opentelemetry\"",
        "mode=zipkin|Bad option: \"--trace-config mode\". invalid value for trace mode option:"
            + " zipkin. Available options are \"triton\" and \"opentelemetry\"",
        "level=ALL|Bad option: \"--trace-config level\". invalid value for trace level option: ALL",
        "rate=many|Bad option: \"--trace-config rate\". Invalid option value. Got many",
        "rate=-1|Bad option: \"--trace-config rate\". Provided option value is out of bound. Got"
            + " -1",
        "count=-2|Bad option: \"--trace-config count\". Provided option value is out of bound. Got"
            + " -2",
        "triton,log-frequency=x|Bad option: \"--trace-config triton,log-frequency\". Invalid option"
            + " value. Got x",
        "opentelemetry,bsp_schedule_delay=1s|Bad option: \"--trace-config"
            + " opentelemetry,bsp_schedule_delay\". Invalid option value. Got 1s"
      })
  void whatIsNoSettingIsRejected(String setting, String message) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse("--trace-config=" + setting))
        .withMessageEndingWith(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--trace-level=ALL",
        "--trace-rate=-1",
        "--trace-rate=many",
        "--trace-count=-2",
        "--trace-log-frequency=x"
      })
  void aDeprecatedOptionWithAWrongValueIsRejected(String argument) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse(argument))
        .withMessageContaining(argument.substring(0, argument.indexOf('=')));
  }

  @Test
  void spansAreBatchedByTheDefaultsOfOpenTelemetry() {
    TraceSettings settings =
        settings(
            "--trace-config=mode=OpenTelemetry",
            "--trace-config=opentelemetry,url=http://c/v1/traces",
            "--trace-config=opentelemetry,resource=a=1",
            "--trace-config=opentelemetry,resource=b=2",
            "--trace-config=triton,file=/t");

    assertThat(settings.destination()).isInstanceOf(TraceDestination.OpenTelemetry.class);
    assertThat(shown(settings))
        .isEqualTo(
            "url=http://c/v1/traces resource=a=1,b=2 bsp_max_export_batch_size=512"
                + " bsp_max_queue_size=2048 bsp_schedule_delay=5000");
  }

  @Test
  void variablesOfTheEnvironmentTakeThePlaceOfDefaultsAndOptionsThatOfVariables() {
    TraceOptions options =
        parse(
            "--trace-config=mode=opentelemetry",
            "--trace-config=opentelemetry,bsp_max_queue_size=10");

    assertThat(
            shown(
                options.settings(
                    Map.of(
                        "OTEL_BSP_MAX_QUEUE_SIZE", "11",
                        "OTEL_BSP_SCHEDULE_DELAY", "12",
                        "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", ""))))
        .isEqualTo("bsp_max_queue_size=10 bsp_max_export_batch_size=512 bsp_schedule_delay=12");
  }

  @Test
  void aVariableThatIsNoNumberIsRejectedIfItCounts() {
    Map<String, String> environment = Map.of("OTEL_BSP_SCHEDULE_DELAY", "soon");
    TraceOptions options = parse("--trace-config=mode=opentelemetry");

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> options.settings(environment))
        .withMessage("Bad option: \"OTEL_BSP_SCHEDULE_DELAY\". Invalid option value. Got soon")
        .satisfies(rejected -> assertThat(rejected.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
    assertThat(parse().settings(environment)).isEqualTo(TraceSettings.DEFAULT);
    assertThat(
            parse(
                    "--trace-config=mode=opentelemetry",
                    "--trace-config=opentelemetry,bsp_schedule_delay=1")
                .settings(environment)
                .destination()
                .shown())
        .containsEntry("bsp_schedule_delay", "1");
  }
}
