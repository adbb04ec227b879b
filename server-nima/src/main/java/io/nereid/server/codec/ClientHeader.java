package io.nereid.server.codec;

import io.nereid.engine.memory.ClientKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Whose an inference request is: the client that a header names, or its address. A value may be a
 * client's key, so it is known by its digest, which logs and journals may have. Immutable.
 *
 * @param name of the header; empty for none
 */
public record ClientHeader(String name) {
  /** A client is an address. */
  public static final ClientHeader NONE = new ClientHeader("");

  private static final int DIGEST_BYTES = 16;

  /**
   * The client of a request.
   *
   * @param headers in which {@code value} looks up a name
   * @param address the client of a request without the header
   */
  public <H> ClientKey client(
      H headers, BiFunction<H, String, Optional<String>> value, ClientKey address) {
    return name.isEmpty()
        ? address
        : value.apply(headers, name).map(ClientHeader::named).orElse(address);
  }

  private static ClientKey named(String value) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8));
      return new ClientKey("named " + HexFormat.of().formatHex(digest, 0, DIGEST_BYTES));
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError("every Java platform has SHA-256", impossible);
    }
  }
}
