package io.nereid.server;

import io.nereid.server.execution.ratelimit.RateLimiter.ResourceLimit;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code --rate-limit}. */
enum RateLimitMode {
  OFF,
  EXECUTION_COUNT;

  /** Triton's names, in upper or lower case. */
  static final class Converter implements ITypeConverter<RateLimitMode> {
    @Override
    public RateLimitMode convert(String text) {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "off" -> OFF;
        case "execution_count" -> EXECUTION_COUNT;
        default -> throw new TypeConversionException("invalid argument for --rate-limit");
      };
    }
  }

  /** {@code <name>:<count>} or {@code <name>:<count>:<device>}. */
  static final class ResourceConverter implements ITypeConverter<ResourceLimit> {
    private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9]+");

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
          number(parts[1]),
          parts.length == 3 ? OptionalInt.of(number(parts[2])) : OptionalInt.empty());
    }

    private static int number(String text) {
      if (!NUMBER.matcher(text).matches()) {
        throw new TypeConversionException("Invalid option value. Got " + text);
      }
      try {
        int number = Integer.parseInt(text);
        if (number >= 0) {
          return number;
        }
      } catch (NumberFormatException _) {
        // as a negative one
      }
      throw new TypeConversionException("Provided option value is out of bound. Got " + text);
    }
  }
}
