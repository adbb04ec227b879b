package io.nereid.server.options;

import io.nereid.engine.execution.ratelimit.RateLimiter.ResourceLimit;
import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.server.codec.ClientHeader;
import io.nereid.server.codec.HeaderForwarding;
import io.nereid.server.grpc.message.ResponseCompression;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Stack;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** Converters from the values of {@link ServerOptions}, with Triton's spellings and messages. */
final class OptionConverters {
  private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9]+");

  private OptionConverters() {}

  /** The value of an option that has no default; empty if it is not given. */
  static OptionalInt optional(@Nullable Integer value) {
    return value == null ? OptionalInt.empty() : OptionalInt.of(value);
  }

  /** A boolean in any letter case. */
  static final class Switch implements ITypeConverter<Boolean>, IParameterPreprocessor {
    @Override
    public Boolean convert(String value) {
      return switch (value.toLowerCase(Locale.ROOT)) {
        case "true", "on", "1" -> true;
        case "false", "off", "0" -> false;
        default -> throw new TypeConversionException("expected true or false, got '" + value + "'");
      };
    }

    /** Rejects an empty value, which picocli takes for false before it asks the converter. */
    @Override
    public boolean preprocess(
        Stack<String> arguments, CommandSpec command, ArgSpec option, Map<String, Object> info) {
      if (!arguments.isEmpty() && arguments.peek().isEmpty()) {
        throw new ParameterException(
            command.commandLine(),
            "Invalid value for option '%s': expected true or false, got ''"
                .formatted(((OptionSpec) option).longestName()));
      }
      return false;
    }
  }

  /** The pattern of the names of forwarded headers. */
  static final class Forwarding implements ITypeConverter<HeaderForwarding> {
    @Override
    public HeaderForwarding convert(String pattern) {
      try {
        return HeaderForwarding.of(pattern);
      } catch (PatternSyntaxException invalid) {
        throw new TypeConversionException(
            "'%s' is no regular expression: %s".formatted(pattern, invalid.getDescription()));
      }
    }
  }

  /** The name of a header, and of metadata of gRPC. */
  static final class HeaderName implements ITypeConverter<ClientHeader> {
    @Override
    public ClientHeader convert(String name) {
      if (!name.matches("[A-Za-z0-9][A-Za-z0-9_.-]*") || name.endsWith("-bin")) {
        throw new TypeConversionException(
            "expected the name of a header with a text, such as x-api-key, got '%s'"
                .formatted(name));
      }
      return new ClientHeader(name.toLowerCase(Locale.ROOT));
    }
  }

  /** The level of compression, in any letter case. */
  static final class Compression implements ITypeConverter<ResponseCompression> {
    @Override
    public ResponseCompression convert(String text) {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "none" -> ResponseCompression.NONE;
        case "low" -> ResponseCompression.LOW;
        case "medium" -> ResponseCompression.MEDIUM;
        case "high" -> ResponseCompression.HIGH;
        default ->
            throw new TypeConversionException(
                "expected none, low, medium or high, got '%s'".formatted(text));
      };
    }
  }

  /** An address, with or without the prefix that Triton requires of IPv6: {@code ipv6:[::1]}. */
  static final class Address implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      return text.startsWith("ipv6:") || text.startsWith("ipv4:") ? text.substring(5) : text;
    }
  }

  /** A number of bytes above 0. */
  static final class ByteSize implements ITypeConverter<Long> {
    @Override
    public Long convert(String value) {
      long size = parse(value);
      if (size <= 0) {
        throw new TypeConversionException("expected a number of bytes above 0, got " + value);
      }
      return size;
    }

    static long parse(String value) {
      if (!NUMBER.matcher(value).matches()) {
        throw new TypeConversionException("Invalid option value. Got " + value);
      }
      try {
        return Long.parseLong(value);
      } catch (NumberFormatException _) {
        throw new TypeConversionException("Provided option value is out of bound. Got " + value);
      }
    }
  }

  /** The value of {@code --http-max-input-size}, with Triton's messages. */
  static final class InputSize implements ITypeConverter<Long> {
    @Override
    public Long convert(String value) {
      long size = ByteSize.parse(value);
      if (size <= 0) {
        throw new TypeConversionException("Error: --http-max-input-size must be greater than 0.");
      }
      return size;
    }
  }

  /** A number, or the booleans that Triton accepted before it had levels. */
  static final class Verbosity implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String value) {
      return switch (value.toLowerCase(Locale.ROOT)) {
        case "true" -> 1;
        case "false" -> 0;
        default -> Math.max(0, Integer.parseInt(value));
      };
    }
  }

  /** The mode of the rate limiter, in any letter case. */
  static final class RateLimitMode implements ITypeConverter<RateLimitOptions.Mode> {
    @Override
    public RateLimitOptions.Mode convert(String text) {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "off" -> RateLimitOptions.Mode.OFF;
        case "execution_count" -> RateLimitOptions.Mode.EXECUTION_COUNT;
        default ->
            throw new TypeConversionException(
                "expected off or execution_count, got '%s'".formatted(text));
      };
    }
  }

  /** {@code <name>:<count>} or {@code <name>:<count>:<device>}. */
  static final class Resource implements ITypeConverter<ResourceLimit> {
    @Override
    public ResourceLimit convert(String text) {
      String[] parts = text.split(":", -1);
      if (parts.length < 2 || parts.length > 3 || parts[0].isEmpty()) {
        throw new TypeConversionException(
            "--rate-limit-resource option format is '<resource_name>:<count>:<device>' or"
                + " '<resource_name>:<count>'. Got "
                + text);
      }
      return new ResourceLimit(
          parts[0],
          count(parts[1]),
          parts.length == 3 ? OptionalInt.of(count(parts[2])) : OptionalInt.empty());
    }
  }

  /** An integer that is not negative. */
  static final class Count implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      return count(text);
    }
  }

  /** An integer above 0. */
  static final class Positive implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      int number = count(text);
      if (number == 0) {
        throw new TypeConversionException("Provided option value is out of bound. Got " + text);
      }
      return number;
    }
  }

  /** A port; 0 for any free one. */
  static final class Port implements ITypeConverter<Integer> {
    private static final int LAST = 65_535;

    @Override
    public Integer convert(String text) {
      if (NUMBER.matcher(text).matches() && text.length() <= 6) {
        int port = Integer.parseInt(text);
        if (port >= 0 && port <= LAST) {
          return port;
        }
      }
      throw new TypeConversionException(
          "expected a port from 0 to %d, got '%s'".formatted(LAST, text));
    }
  }

  /** The mode of model control, in any letter case. */
  static final class Control implements ITypeConverter<ControlMode> {
    @Override
    public ControlMode convert(String text) {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "none" -> ControlMode.NONE;
        case "poll" -> ControlMode.POLL;
        case "explicit" -> ControlMode.EXPLICIT;
        default ->
            throw new TypeConversionException(
                "expected none, poll or explicit, got '%s'".formatted(text));
      };
    }
  }

  /** What readiness needs of the models, in any letter case. */
  static final class ReadinessRule implements ITypeConverter<Readiness> {
    @Override
    public Readiness convert(String text) {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "true", "on", "1" -> Readiness.SERVING;
        case "false", "off", "0" -> Readiness.ACCEPTING;
        case "every-model" -> Readiness.EVERY_MODEL;
        default ->
            throw new TypeConversionException(
                "expected true, false or every-model, got '%s'".formatted(text));
      };
    }
  }

  /** What clients may change, in any letter case. */
  static final class Clients implements ITypeConverter<ClientSettings> {
    @Override
    public ClientSettings convert(String text) {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "none" -> ClientSettings.NONE;
        case "safe" -> ClientSettings.SAFE;
        case "all" -> ClientSettings.ALL;
        default ->
            throw new TypeConversionException(
                "expected none, safe or all, got '%s'".formatted(text));
      };
    }
  }

  /** The name of a configuration: not empty, without spaces. */
  static final class ConfigName implements ITypeConverter<String> {
    @Override
    public String convert(String name) {
      if (name.isEmpty()) {
        throw new TypeConversionException("Error: empty argument for --model-config-name");
      }
      if (name.chars().anyMatch(Character::isWhitespace)) {
        throw new TypeConversionException(
            "the name must not contain any space character, got '" + name + "'");
      }
      return name;
    }
  }

  static int count(String text) {
    if (!NUMBER.matcher(text).matches()) {
      throw new TypeConversionException("Invalid option value. Got " + text);
    }
    try {
      int number = Integer.parseInt(text);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException _) {
      // reported below
    }
    throw new TypeConversionException("Provided option value is out of bound. Got " + text);
  }
}
