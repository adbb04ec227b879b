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
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/**
 * The options of Triton 2.73 (triton-inference-server/server, src/command_line_parser.cc) that have
 * no effect, or stop the start. The others are declared where they take effect.
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

  /** In the order of Triton's help. */
  static final List<TritonOption> ALL =
      List.of(
          noEffect("--enable-peer-access", BOOLEAN, "the server copies nothing between GPUs"),
          noEffect(
              "--http-thread-count", INTEGER, "each connection has a virtual thread of its own"),
          noEffect(
              "--grpc-infer-thread-count", INTEGER, "there is an event loop for each processor"),
          noEffect("--grpc-infer-allocation-pool-size", INTEGER, "requests are not pooled"),
          noEffect(
              "--grpc-max-response-pool-size",
              INTEGER,
              "responses that a client has not read are limited by their bytes, to 128 MiB for a"
                  + " stream"),
          noEffect(
              "--grpc-http2-max-pings-without-data",
              INTEGER,
              "the number of the server's pings is not limited"),
          noEffect(
              "--grpc-http2-max-ping-strikes",
              INTEGER,
              "two pings that come too early are accepted;"
                  + " --grpc-http2-min-recv-ping-interval-without-data=0 permits all"),
          refused("--allow-sagemaker", NO_SAGEMAKER),
          noEffect("--sagemaker-port", INTEGER, SAGEMAKER),
          noEffect("--sagemaker-safe-port-range", RANGE, SAGEMAKER),
          noEffect("--sagemaker-thread-count", INTEGER, SAGEMAKER),
          refused("--allow-vertex-ai", NO_VERTEX),
          noEffect("--vertex-ai-port", INTEGER, VERTEX),
          noEffect("--vertex-ai-thread-count", INTEGER, VERTEX),
          noEffect("--vertex-ai-default-model", TEXT, VERTEX),
          noEffect("--repoagent-directory", TEXT, "there are no agents of repositories"),
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
          noEffect(
              "--model-load-gpu-limit",
              PER_DEVICE,
              "a load that needs more memory than the GPU has fails"));

  private TritonOptions() {}

  private static TritonOption noEffect(String name, ValueType type, String reason) {
    return new TritonOption(name, new Outcome.NoEffect(type, reason));
  }

  private static TritonOption refused(String name, String advice) {
    return new TritonOption(name, new Outcome.Refused(advice));
  }

  /** Declares the options that have no effect, or stop the start, to a command. */
  public static void declare(CommandSpec command) {
    CommandSpec topic = CommandSpec.create();
    for (TritonOption option : ALL) {
      switch (option.outcome()) {
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
    for (TritonOption option : ALL) {
      switch (option.outcome()) {
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
