package io.nereid.server.options.triton;

import static io.nereid.server.options.triton.TritonOption.ValueType.BOOLEAN;
import static io.nereid.server.options.triton.TritonOption.ValueType.DECIMAL;
import static io.nereid.server.options.triton.TritonOption.ValueType.INTEGER;
import static io.nereid.server.options.triton.TritonOption.ValueType.PER_DEVICE;
import static io.nereid.server.options.triton.TritonOption.ValueType.RANGE;
import static io.nereid.server.options.triton.TritonOption.ValueType.TEXT;

import io.nereid.server.options.triton.TritonOption.Outcome;
import io.nereid.server.options.triton.TritonOption.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/**
 * All options of Triton 2.73 (triton-inference-server/server, src/command_line_parser.cc), in the
 * order and with the headings of its help. Longer than other classes, as it is a table.
 */
public final class TritonOptions {
  /** The heading, in the help, of the options that have no effect. */
  static final String HEADING = "Options of Triton without an effect here";

  private static final String SAGEMAKER = "there are no endpoints for SageMaker";
  private static final String VERTEX = "there are no endpoints for Vertex AI";
  private static final String NO_SAGEMAKER =
      SAGEMAKER
          + ". Remove the option, and have a proxy map /ping to"
          + " /v2/health/ready and /invocations to /v2/models/NAME/infer";
  private static final String NO_VERTEX =
      VERTEX
          + ". Remove the option, and state /v2/health/ready and"
          + " /v2/models/NAME/infer as the routes of the container";
  private static final String NO_DEVICE_MEMORY =
      "the server allocates no memory of GPUs; the backends do";
  private static final String DEPRECATED = "deprecated: a warning names its successor";

  /** The options below one heading. */
  private record Topic(String heading, List<TritonOption> options) {}

  private static final List<Topic> TOPICS =
      List.of(
          topic(
              "Server",
              works("--help"),
              works("--id", "the default is `nereid`"),
              works("--exit-timeout-secs")),
          topic(
              "Logging",
              works(
                  "--log-verbose",
                  "details of libraries need the property `nereid.log.wire`, and clients set at"
                      + " most 1"),
              works("--log-info"),
              works("--log-warning"),
              works("--log-error"),
              works("--log-format"),
              works("--log-file")),
          topic(
              "Model Repository",
              works("--model-store", "as `--model-repository`"),
              works("--model-repository", "not `gs://` and `as://`"),
              works("--exit-on-error"),
              works("--disable-auto-complete-config"),
              works(
                  "--strict-readiness", "what has served serves; `every-model` is Triton's `true`"),
              works("--model-control-mode"),
              works("--repository-poll-secs"),
              works("--load-model"),
              works("--model-config-name"),
              works("--model-load-thread-count"),
              works("--model-load-retry-count"),
              works("--model-namespacing"),
              noEffect("--enable-peer-access", BOOLEAN, "the server copies nothing between GPUs")),
          topic(
              "HTTP",
              works("--allow-http"),
              works("--http-address"),
              works("--http-port", "0 takes any free port"),
              works("--reuse-http-port"),
              works("--http-header-forward-pattern"),
              noEffect(
                  "--http-thread-count",
                  INTEGER,
                  "each connection has a virtual thread of its own"),
              works("--http-max-input-size"),
              works("--http-restricted-api")),
          topic(
              "gRPC",
              works("--allow-grpc"),
              works("--grpc-address"),
              works("--grpc-port", "0 takes any free port"),
              works("--reuse-grpc-port"),
              works("--grpc-header-forward-pattern"),
              noEffect(
                  "--grpc-infer-thread-count",
                  INTEGER,
                  "there is an event loop for each processor"),
              noEffect("--grpc-infer-allocation-pool-size", INTEGER, "requests are not pooled"),
              noEffect(
                  "--grpc-max-response-pool-size",
                  INTEGER,
                  "responses that a client has not read are limited by their bytes, to 128 MiB for a"
                      + " stream"),
              works("--grpc-use-ssl"),
              works("--grpc-use-ssl-mutual", "`false` does not switch TLS on"),
              works("--grpc-server-cert"),
              works("--grpc-server-key"),
              works("--grpc-root-cert"),
              works("--grpc-infer-response-compression-level", "always with gzip"),
              works("--grpc-keepalive-time"),
              works("--grpc-keepalive-timeout"),
              works("--grpc-keepalive-permit-without-calls"),
              noEffect(
                  "--grpc-http2-max-pings-without-data",
                  INTEGER,
                  "the number of the server's pings is not limited"),
              works("--grpc-http2-min-recv-ping-interval-without-data"),
              noEffect(
                  "--grpc-http2-max-ping-strikes",
                  INTEGER,
                  "two pings that come too early are accepted;"
                      + " --grpc-http2-min-recv-ping-interval-without-data=0 permits all"),
              works("--grpc-max-connection-age"),
              works("--grpc-max-connection-age-grace"),
              works("--grpc-restricted-protocol")),
          topic(
              "SageMaker",
              refused("--allow-sagemaker", NO_SAGEMAKER),
              noEffect("--sagemaker-port", INTEGER, SAGEMAKER),
              noEffect("--sagemaker-safe-port-range", RANGE, SAGEMAKER),
              noEffect("--sagemaker-thread-count", INTEGER, SAGEMAKER)),
          topic(
              "Vertex AI",
              refused("--allow-vertex-ai", NO_VERTEX),
              noEffect("--vertex-ai-port", INTEGER, VERTEX),
              noEffect("--vertex-ai-thread-count", INTEGER, VERTEX),
              noEffect("--vertex-ai-default-model", TEXT, VERTEX)),
          topic(
              "Metrics",
              works("--allow-metrics"),
              works("--allow-gpu-metrics"),
              works("--allow-cpu-metrics"),
              works("--metrics-address"),
              works("--metrics-port", "0 takes any free port"),
              works("--metrics-interval-ms"),
              works("--metrics-config")),
          topic(
              "Tracing",
              works(
                  "--trace-config",
                  "the mode `opentelemetry` needs an optional part of the server")),
          topic(
              "Backend",
              works("--backend-directory", "backends are folders of jars"),
              works("--backend-config")),
          topic(
              "Repository Agent",
              noEffect("--repoagent-directory", TEXT, "there are no agents of repositories")),
          topic(
              "Response Cache",
              works("--cache-config"),
              works("--cache-directory", "caches are folders of jars")),
          topic("Rate Limiter", works("--rate-limit"), works("--rate-limit-resource")),
          topic(
              "Memory and devices",
              noEffect(
                  "--pinned-memory-pool-byte-size",
                  INTEGER,
                  "there is no pool of page-locked memory; --max-tensor-memory limits the memory for"
                      + " tensors"),
              noEffect("--cuda-memory-pool-byte-size", PER_DEVICE, NO_DEVICE_MEMORY),
              noEffect("--cuda-virtual-address-size", PER_DEVICE, NO_DEVICE_MEMORY),
              noEffect(
                  "--min-supported-compute-capability",
                  DECIMAL,
                  "the backends decide which GPUs they support; CUDA_VISIBLE_DEVICES hides a GPU"),
              noEffect(
                  "--buffer-manager-thread-count",
                  INTEGER,
                  "the thread of an instance gathers its batches"),
              works("--host-policy"),
              noEffect(
                  "--model-load-gpu-limit",
                  PER_DEVICE,
                  "a load that needs more memory than the GPU has fails")),
          topic(
              "Shared Memory",
              works("--allow-client-shm", "memory of GPUs needs the TensorRT backend")),
          topic(
              "Deprecated",
              works("--strict-model-config", DEPRECATED),
              works("--response-cache-byte-size", DEPRECATED),
              works("--trace-file", DEPRECATED),
              works("--trace-level", DEPRECATED),
              works("--trace-rate", DEPRECATED),
              works("--trace-count", DEPRECATED),
              works("--trace-log-frequency", DEPRECATED)));

  private TritonOptions() {}

  private static Topic topic(String heading, TritonOption... options) {
    return new Topic(heading, List.of(options));
  }

  private static TritonOption works(String name) {
    return works(name, "");
  }

  private static TritonOption works(String name, String remark) {
    return new TritonOption(name, new Outcome.Works(remark));
  }

  private static TritonOption noEffect(String name, ValueType type, String reason) {
    return new TritonOption(name, new Outcome.NoEffect(type, reason));
  }

  private static TritonOption refused(String name, String advice) {
    return new TritonOption(name, new Outcome.Refused(advice));
  }

  /** All options. */
  public static List<TritonOption> all() {
    return TOPICS.stream().flatMap(topic -> topic.options().stream()).toList();
  }

  /** The tables of the guide for users of Triton, in Markdown: one below each heading. */
  public static String tables() {
    return TOPICS.stream()
        .map(topic ->
            "### %s\n\n| option | here |\n| --- | --- |\n%s\n"
                .formatted(
                    topic.heading(),
                    topic.options().stream()
                        .map(TritonOption::row)
                        .collect(Collectors.joining("\n"))))
        .collect(Collectors.joining("\n"));
  }

  /** Declares the options that have no effect, or stop the start, to a command. */
  public static void declare(CommandSpec command) {
    CommandSpec topic = CommandSpec.create();
    for (TritonOption option : all()) {
      switch (option.outcome()) {
        case Outcome.Works _ -> {} // declared where it takes effect
        case Outcome.NoEffect(ValueType type, String reason) ->
            topic.addOption(spec(option.name(), type, sentence(reason)));
        case Outcome.Refused(String advice) ->
            topic.addOption(
                spec(option.name(), BOOLEAN, "True stops the start: " + sentence(advice)));
      }
    }
    for (CommandSpec mixin : command.mixins().values()) {
      if (!mixin.mixins().isEmpty()) {
        mixin.addMixin(HEADING, topic); // the help looks for topics there
      }
    }
    command.addMixin(HEADING, topic);
  }

  private static OptionSpec spec(String name, ValueType type, String description) {
    return OptionSpec.builder(name)
        .type(List.class)
        .auxiliaryTypes(String.class)
        .arity("1")
        .paramLabel(type.label())
        .description(description)
        .converters(new Check(type))
        .build();
  }

  private static String sentence(String reason) {
    return Character.toUpperCase(reason.charAt(0)) + reason.substring(1) + ".";
  }

  private record Check(ValueType type) implements ITypeConverter<String> {
    @Override
    public String convert(String value) {
      if (!type.accepts(value)) {
        throw new TypeConversionException(
            type == BOOLEAN
                ? "expected true or false, got '" + value + "'"
                : "Invalid option value. Got " + value);
      }
      return value;
    }
  }

  /**
   * A line for each option that was given and has no effect.
   *
   * @throws ParameterException if one was given that stops the start
   */
  public static List<String> withoutEffect(CommandLine line) {
    List<String> lines = new ArrayList<>();
    for (TritonOption option : all()) {
      switch (option.outcome()) {
        case Outcome.Works _ -> {}
        case Outcome.NoEffect(_, String reason) -> {
          if (line.getParseResult().hasMatchedOption(option.name())) {
            lines.add("%s has no effect here: %s".formatted(option.name(), reason));
          }
        }
        case Outcome.Refused(String advice) -> {
          List<String> values =
              line.getParseResult().matchedOptionValue(option.name(), List.of("false"));
          if (TritonOption.isTrue(values.getLast())) {
            throw new ParameterException(line, "%s: %s".formatted(option.name(), advice));
          }
        }
      }
    }
    return lines;
  }
}
