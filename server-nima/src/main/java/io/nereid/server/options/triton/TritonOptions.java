package io.nereid.server.options.triton;

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

  private static final String NO_SAGEMAKER =
      "there are no endpoints for SageMaker. Remove the option, and have a proxy map /ping to"
          + " /v2/health/ready and /invocations to /v2/models/NAME/infer";
  private static final String NO_VERTEX =
      "there are no endpoints for Vertex AI. Remove the option, and state /v2/health/ready and"
          + " /v2/models/NAME/infer as the routes of the container";
  private static final String NO_DEVICE_MEMORY =
      "the server allocates no memory of GPUs; the backends do";
  private static final String DEPRECATED = "deprecated: a warning names its successor";

  /** The options below one heading. */
  private record Topic(String heading, List<TritonOption> options) {}

  private static final List<Topic> TOPICS =
      List.of(
          new Topic(
              "Server",
              List.of(
                  works("--help"),
                  works("--id", "the default is `nereid`"),
                  works("--exit-timeout-secs"))),
          new Topic(
              "Logging",
              List.of(
                  works(
                      "--log-verbose",
                      "details of libraries need the property `nereid.log.wire`, and clients set at"
                          + " most 1"),
                  works("--log-info"),
                  works("--log-warning"),
                  works("--log-error"),
                  works("--log-format"),
                  works("--log-file"))),
          new Topic(
              "Model Repository",
              List.of(
                  works("--model-store", "as `--model-repository`"),
                  works("--model-repository", "not `gs://` and `as://`"),
                  works("--exit-on-error"),
                  works("--disable-auto-complete-config"),
                  works(
                      "--strict-readiness",
                      "what has served serves; `every-model` is Triton's `true`"),
                  works("--model-control-mode"),
                  works("--repository-poll-secs"),
                  works("--load-model"),
                  works("--model-config-name"),
                  works("--model-load-thread-count"),
                  works("--model-load-retry-count"),
                  works("--model-namespacing"),
                  noEffect(
                      "--enable-peer-access",
                      ValueType.BOOLEAN,
                      "the server copies nothing between GPUs"))),
          new Topic(
              "HTTP",
              List.of(
                  works("--allow-http"),
                  works("--http-address"),
                  works("--http-port", "0 takes any free port"),
                  works("--reuse-http-port"),
                  works("--http-header-forward-pattern"),
                  noEffect(
                      "--http-thread-count",
                      ValueType.INTEGER,
                      "each connection has a virtual thread of its own"),
                  works("--http-max-input-size"),
                  works("--http-restricted-api"))),
          new Topic(
              "gRPC",
              List.of(
                  works("--allow-grpc"),
                  works("--grpc-address"),
                  works("--grpc-port", "0 takes any free port"),
                  works("--reuse-grpc-port"),
                  works("--grpc-header-forward-pattern"),
                  noEffect(
                      "--grpc-infer-thread-count",
                      ValueType.INTEGER,
                      "there is an event loop for each processor"),
                  noEffect(
                      "--grpc-infer-allocation-pool-size",
                      ValueType.INTEGER,
                      "requests are not pooled"),
                  noEffect(
                      "--grpc-max-response-pool-size",
                      ValueType.INTEGER,
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
                      ValueType.INTEGER,
                      "the number of the server's pings is not limited"),
                  works("--grpc-http2-min-recv-ping-interval-without-data"),
                  noEffect(
                      "--grpc-http2-max-ping-strikes",
                      ValueType.INTEGER,
                      "two pings that come too early are accepted;"
                          + " --grpc-http2-min-recv-ping-interval-without-data=0 permits all"),
                  works("--grpc-max-connection-age"),
                  works("--grpc-max-connection-age-grace"),
                  works("--grpc-restricted-protocol"))),
          new Topic(
              "SageMaker",
              List.of(
                  refused("--allow-sagemaker", NO_SAGEMAKER),
                  noEffect(
                      "--sagemaker-port",
                      ValueType.INTEGER,
                      "there are no endpoints for SageMaker"),
                  noEffect(
                      "--sagemaker-safe-port-range",
                      ValueType.RANGE,
                      "there are no endpoints for SageMaker"),
                  noEffect(
                      "--sagemaker-thread-count",
                      ValueType.INTEGER,
                      "there are no endpoints for SageMaker"))),
          new Topic(
              "Vertex AI",
              List.of(
                  refused("--allow-vertex-ai", NO_VERTEX),
                  noEffect(
                      "--vertex-ai-port",
                      ValueType.INTEGER,
                      "there are no endpoints for Vertex AI"),
                  noEffect(
                      "--vertex-ai-thread-count",
                      ValueType.INTEGER,
                      "there are no endpoints for Vertex AI"),
                  noEffect(
                      "--vertex-ai-default-model",
                      ValueType.TEXT,
                      "there are no endpoints for Vertex AI"))),
          new Topic(
              "Metrics",
              List.of(
                  works("--allow-metrics"),
                  works("--allow-gpu-metrics"),
                  works("--allow-cpu-metrics"),
                  works("--metrics-address"),
                  works("--metrics-port", "0 takes any free port"),
                  works("--metrics-interval-ms"),
                  works("--metrics-config"))),
          new Topic(
              "Tracing",
              List.of(
                  works(
                      "--trace-config",
                      "the mode `opentelemetry` needs an optional part of the server"))),
          new Topic(
              "Backend",
              List.of(
                  works("--backend-directory", "backends are folders of jars"),
                  works("--backend-config"))),
          new Topic(
              "Repository Agent",
              List.of(
                  noEffect(
                      "--repoagent-directory",
                      ValueType.TEXT,
                      "there are no agents of repositories"))),
          new Topic(
              "Response Cache",
              List.of(
                  works("--cache-config"),
                  works("--cache-directory", "caches are folders of jars"))),
          new Topic("Rate Limiter", List.of(works("--rate-limit"), works("--rate-limit-resource"))),
          new Topic(
              "Memory and devices",
              List.of(
                  noEffect(
                      "--pinned-memory-pool-byte-size",
                      ValueType.INTEGER,
                      "there is no pool of page-locked memory; --max-tensor-memory limits the memory for"
                          + " tensors"),
                  noEffect("--cuda-memory-pool-byte-size", ValueType.PER_DEVICE, NO_DEVICE_MEMORY),
                  noEffect("--cuda-virtual-address-size", ValueType.PER_DEVICE, NO_DEVICE_MEMORY),
                  noEffect(
                      "--min-supported-compute-capability",
                      ValueType.DECIMAL,
                      "the backends decide which GPUs they support; CUDA_VISIBLE_DEVICES hides a GPU"),
                  noEffect(
                      "--buffer-manager-thread-count",
                      ValueType.INTEGER,
                      "the thread of an instance gathers its batches"),
                  works("--host-policy"),
                  noEffect(
                      "--model-load-gpu-limit",
                      ValueType.PER_DEVICE,
                      "a load that needs more memory than the GPU has fails"))),
          new Topic(
              "Shared Memory",
              List.of(works("--allow-client-shm", "memory of GPUs needs the TensorRT backend"))),
          new Topic(
              "Deprecated",
              List.of(
                  works("--strict-model-config", DEPRECATED),
                  works("--response-cache-byte-size", DEPRECATED),
                  works("--trace-file", DEPRECATED),
                  works("--trace-level", DEPRECATED),
                  works("--trace-rate", DEPRECATED),
                  works("--trace-count", DEPRECATED),
                  works("--trace-log-frequency", DEPRECATED))));

  private TritonOptions() {}

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
                spec(
                    option.name(), ValueType.BOOLEAN, "True stops the start: " + sentence(advice)));
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
            type == ValueType.BOOLEAN
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
