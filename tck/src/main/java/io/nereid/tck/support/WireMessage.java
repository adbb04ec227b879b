package io.nereid.tck.support;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A message that a test sent, or that came back.
 *
 * @param isSent whether the test sent it
 * @param call such as {@code POST /v2/models/simple/infer}, or {@code ModelInfer} of gRPC
 * @param model the model that a request names; {@link #ALL_MODELS} if it asks for all; empty for
 *     neither, and for what came back
 * @param bytes the first {@link #MAX_BYTES} of the message, with HTTP's head; of gRPC the protobuf
 *     message, or none of a status
 * @param byteSize of the whole message
 * @param text for gRPC the message in protobuf's text format, or the status; empty for HTTP, and
 *     for large messages
 */
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
public record WireMessage(
    boolean isSent, String call, String model, byte[] bytes, long byteSize, String text) {
  /** How many bytes of a message are kept. */
  public static final int MAX_BYTES = 4096;

  /** How much of a text is kept: messages and arguments of tests may have megabytes. */
  private static final int MAX_TEXT = 8 << 10;

  /** In the place of a model's name: the request is answered from all models. */
  public static final String ALL_MODELS = "*";

  private static final Pattern REQUEST_LINE = Pattern.compile("([A-Z]+ (\\S+)) HTTP/.*");
  private static final Pattern ALL =
      Pattern.compile("/v2/(models(/stats)?|repository/(\\w+/)?index)");
  private static final Pattern ONE =
      Pattern.compile("/v2/(repository/(\\w+/)?)?models/(?<name>[^/?]+).*");

  /** The text, or its beginning. */
  public static String limited(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
  }

  /** A request of HTTP, right or wrong. */
  static WireMessage request(byte[] bytes) {
    byte[] kept = Arrays.copyOf(bytes, Math.min(bytes.length, MAX_BYTES));
    String line = new String(kept, ISO_8859_1).lines().findFirst().orElse("");
    Matcher request = REQUEST_LINE.matcher(line);
    if (!request.matches()) {
      return new WireMessage(true, line, "", kept, bytes.length, "");
    }
    return new WireMessage(
        true, request.group(1), modelOf(request.group(2)), kept, bytes.length, "");
  }

  private static String modelOf(String target) {
    if (ALL.matcher(target).matches()) {
      return ALL_MODELS;
    }
    Matcher one = ONE.matcher(target);
    return one.matches() ? decoded(one.group("name")) : "";
  }

  /** A part of a path without percent signs, or as it is if they are wrong. */
  private static String decoded(String part) {
    try {
      return URLDecoder.decode(part, UTF_8);
    } catch (IllegalArgumentException wrong) {
      return part;
    }
  }
}
