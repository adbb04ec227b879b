package io.nereid.client.rest;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Arguments in paths. */
final class Paths {
  private static final Pattern PLAIN = Pattern.compile("[\\w-]+");

  private Paths() {}

  /** A name as one segment of a path. */
  static String segment(String name) {
    return PLAIN.matcher(name).matches()
        ? name
        : URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A");
  }
}
