package io.nereid.server.options.declaration;

import io.nereid.engine.model.Readiness;
import io.nereid.server.codec.ClientHeader;
import io.nereid.server.codec.HeaderForwarding;
import io.nereid.server.options.ServerOptions;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters from the values of {@link ServerOptions}, with Triton's spellings and messages. */
public final class OptionConverters {
  private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9]+");
  private static final int LAST_PORT = 65_535;

  private OptionConverters() {}

  /** A boolean in any letter case. */
  public static boolean toggle(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "on", "1" -> true;
      case "false", "off", "0" -> false;
      default -> throw expected("true or false", text);
    };
  }

  /** One of some constants, whose names are in any letter case. */
  public static <E extends Enum<E>> ITypeConverter<E> oneOf(E[] constants) {
    return text ->
        Arrays.stream(constants)
            .filter(each -> each.name().equalsIgnoreCase(text))
            .findFirst()
            .orElseThrow(() -> expected(names(constants), text));
  }

  private static String names(Enum<?>[] constants) {
    List<String> names =
        Arrays.stream(constants).map(each -> each.name().toLowerCase(Locale.ROOT)).toList();
    return String.join(", ", names.subList(0, names.size() - 1)) + " or " + names.getLast();
  }

  private static TypeConversionException expected(String what, String text) {
    return new TypeConversionException("expected %s, got '%s'".formatted(what, text));
  }

  /** The pattern of the names of forwarded headers. */
  public static HeaderForwarding forwarding(String pattern) {
    try {
      return HeaderForwarding.of(pattern);
    } catch (PatternSyntaxException invalid) {
      throw new TypeConversionException(
          "'%s' is no regular expression: %s".formatted(pattern, invalid.getDescription()));
    }
  }

  /** The name of a header, and of metadata of gRPC. */
  public static ClientHeader headerName(String name) {
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9_.-]*") || name.endsWith("-bin")) {
      throw expected("the name of a header with a text, such as x-api-key", name);
    }
    return new ClientHeader(name.toLowerCase(Locale.ROOT));
  }

  /** An address, with or without the prefix that Triton requires of IPv6: {@code ipv6:[::1]}. */
  public static String address(String text) {
    return text.startsWith("ipv6:") || text.startsWith("ipv4:") ? text.substring(5) : text;
  }

  /** A number of bytes above 0. */
  public static long byteSize(String text) {
    long size = number(text);
    if (size <= 0) {
      throw new TypeConversionException("expected a number of bytes above 0, got " + text);
    }
    return size;
  }

  /** The value of {@code --http-max-input-size}, with Triton's messages. */
  public static long inputSize(String text) {
    long size = number(text);
    if (size <= 0) {
      throw new TypeConversionException("Error: --http-max-input-size must be greater than 0.");
    }
    return size;
  }

  /** A number, or the booleans that Triton accepted before it had levels. */
  public static int verbosity(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true" -> 1;
      case "false" -> 0;
      default -> {
        try {
          yield Math.max(0, Integer.parseInt(text));
        } catch (NumberFormatException none) {
          throw new TypeConversionException(
              "cannot convert '%s' to int (%s)".formatted(text, none));
        }
      }
    };
  }

  /** A port; 0 for any free one. */
  public static int port(String text) {
    if (NUMBER.matcher(text).matches() && text.length() <= 6) {
      int port = Integer.parseInt(text);
      if (port >= 0 && port <= LAST_PORT) {
        return port;
      }
    }
    throw expected("a port from 0 to " + LAST_PORT, text);
  }

  /** What readiness needs of the models, in any letter case. */
  public static Readiness readiness(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "on", "1" -> Readiness.SERVING;
      case "false", "off", "0" -> Readiness.ACCEPTING;
      case "every-model" -> Readiness.EVERY_MODEL;
      default -> throw expected("true, false or every-model", text);
    };
  }

  /** The name of a configuration: not empty, without spaces. */
  public static String configName(String name) {
    if (name.isEmpty()) {
      throw new TypeConversionException("Error: empty argument for --model-config-name");
    }
    if (name.chars().anyMatch(Character::isWhitespace)) {
      throw new TypeConversionException(
          "the name must not contain any space character, got '" + name + "'");
    }
    return name;
  }

  /** An integer that is not negative. */
  public static int count(String text) {
    long number = number(text);
    if (number < 0 || number > Integer.MAX_VALUE) {
      throw outOfBound(text);
    }
    return (int) number;
  }

  /** An integer above 0. */
  public static int positive(String text) {
    int number = count(text);
    if (number == 0) {
      throw outOfBound(text);
    }
    return number;
  }

  private static long number(String text) {
    if (!NUMBER.matcher(text).matches()) {
      throw new TypeConversionException("Invalid option value. Got " + text);
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException _) {
      throw outOfBound(text);
    }
  }

  private static TypeConversionException outOfBound(String text) {
    return new TypeConversionException("Provided option value is out of bound. Got " + text);
  }
}
