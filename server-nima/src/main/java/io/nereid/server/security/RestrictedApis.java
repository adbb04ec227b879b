package io.nereid.server.security;

import static java.nio.charset.StandardCharsets.UTF_16BE;

import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The calls of one protocol that need a header with a secret value. Immutable; any thread may use
 * it.
 *
 * <pre>{@code
 * var restricted = RestrictedApis.of(Protocol.HTTP, List.of(
 *     Group.parse(Protocol.HTTP, "model-repository,logging:admin-key=secret")));
 * restricted.missing(ApiCategory.LOGGING, headers::get); // "admin-key" unless it has the value
 * }</pre>
 */
public final class RestrictedApis {
  /** No call needs a header. */
  public static final RestrictedApis NONE = new RestrictedApis(Map.of());

  private static final Pattern HEADER = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
  private static final Pattern VALUE = Pattern.compile("[!-~]([ -~]*[!-~])?");

  /** The protocols, each with its own option. */
  public enum Protocol {
    HTTP("http-restricted-api", "api", ""),
    GRPC("grpc-restricted-protocol", "protocol", "triton-grpc-protocol-");

    private final String option;
    private final String noun;
    private final String headerPrefix;

    Protocol(String option, String noun, String headerPrefix) {
      this.option = option;
      this.noun = noun;
      this.headerPrefix = headerPrefix;
    }
  }

  /**
   * One value of an option.
   *
   * @param header as clients send it, with the protocol's prefix
   */
  public record Group(List<ApiCategory> categories, String header, String value) {
    public Group {
      categories = List.copyOf(categories);
    }

    /**
     * Parses {@code <category>,<category>:<key>=<value>}.
     *
     * @throws IllegalArgumentException with Triton's text, if it has one for this fault
     */
    public static Group parse(Protocol protocol, String text) {
      int colon = text.indexOf(':');
      int equals = text.indexOf('=', colon + 1);
      if (colon <= 0 || equals <= colon + 1 || equals == text.length() - 1) {
        throw new IllegalArgumentException(
            "--%s option format is '<config name>:<setting>=<value>'. Got %s"
                .formatted(protocol.option, withoutValue(text)));
      }
      List<ApiCategory> categories = new ArrayList<>();
      for (String name : text.substring(0, colon).split(",", -1)) {
        categories.add(
            ApiCategory.parse(name)
                .filter(api -> api != ApiCategory.CONSOLE || protocol == Protocol.HTTP)
                .orElseThrow(() ->
                    new IllegalArgumentException(
                        "unknown restricted %s '%s'".formatted(protocol.noun, name))));
      }
      String key = text.substring(colon + 1, equals);
      if (!HEADER.matcher(key).matches()
          || (protocol == Protocol.GRPC && key.toLowerCase(Locale.ROOT).endsWith("-bin"))) {
        throw new IllegalArgumentException("'%s' cannot be the name of a header".formatted(key));
      }
      String value = text.substring(equals + 1);
      if (!VALUE.matcher(value).matches()) {
        throw new IllegalArgumentException(
            "no header can have this value of '%s': expected printable ASCII characters, without a space at either end"
                .formatted(key));
      }
      return new Group(categories, protocol.headerPrefix + key, value);
    }

    /** What comes behind the last word that is no secret is left out. */
    private static String withoutValue(String text) {
      int equals = text.indexOf('=');
      int colon = text.indexOf(':', Math.max(0, text.indexOf(':') + 1));
      int end = equals >= 0 ? equals + 1 : colon >= 0 ? colon + 1 : text.length();
      return end < text.length() ? text.substring(0, end) + "…" : text;
    }

    /** Without the value, which is a secret. */
    @Override
    public String toString() {
      return categories + ":" + header;
    }
  }

  private final Map<ApiCategory, Group> groups;

  private RestrictedApis(Map<ApiCategory, Group> groups) {
    this.groups = groups;
  }

  /**
   * Combines the values of an option.
   *
   * @throws IllegalArgumentException if a category is in it twice; with Triton's text
   */
  public static RestrictedApis of(Protocol protocol, List<Group> groups) {
    Map<ApiCategory, Group> byCategory = new EnumMap<>(ApiCategory.class);
    for (Group group : groups) {
      for (ApiCategory category : group.categories) {
        if (byCategory.put(category, group) != null) {
          throw new IllegalArgumentException(
              "restricted %s '%s' can not be specified in multiple config groups"
                  .formatted(protocol.noun, category));
        }
      }
    }
    return new RestrictedApis(byCategory);
  }

  /** Whether no call needs a header. */
  public boolean isEmpty() {
    return groups.isEmpty();
  }

  /** Whether calls of a category need a header. */
  public boolean covers(ApiCategory category) {
    return groups.containsKey(category);
  }

  /** The header that calls of a category need; empty if they need none. */
  public Optional<String> header(ApiCategory category) {
    return Optional.ofNullable(groups.get(category)).map(Group::header);
  }

  /**
   * Looks for the header that a call of {@code category} needs. Bytes are compared, in a time that
   * depends on the length of what the client sent only.
   *
   * @param headers returns the value of a header by its name, in any letter case
   * @return the name of the header that is missing or has another value; empty if the call is
   *     allowed
   */
  public Optional<String> missing(
      ApiCategory category, Function<String, Optional<String>> headers) {
    Group group = groups.get(category);
    if (group == null) {
      return Optional.empty();
    }
    // UTF-16, since others put a question mark for characters that they lack.
    byte[] expected = group.value.getBytes(UTF_16BE);
    return headers
            .apply(group.header)
            .filter(value -> MessageDigest.isEqual(value.getBytes(UTF_16BE), expected))
            .isPresent()
        ? Optional.empty()
        : Optional.of(group.header);
  }
}
