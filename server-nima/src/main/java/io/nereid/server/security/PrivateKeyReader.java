package io.nereid.server.security;

import io.nereid.error.InferenceException;
import io.nereid.server.security.PemFile.Block;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Reads private keys: PKCS #8 of RSA, EC and EdDSA; PKCS #1 of RSA; SEC 1 of EC (RFC 5208, 8017,
 * 5915).
 *
 * <p>The JDK reads PKCS #8 only, and its reader of PEM is a preview feature. The other two forms
 * are the inner part of PKCS #8, so this class writes the outer part around them:
 *
 * <pre>{@code
 * SEQUENCE { INTEGER 0, SEQUENCE { algorithm, parameters }, OCTET STRING { the key } }
 * }</pre>
 */
final class PrivateKeyReader {
  private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");

  private static final int INTEGER = 0x02;
  private static final int OCTET_STRING = 0x04;
  private static final int SEQUENCE = 0x30;
  private static final int PARAMETERS = 0xA0;

  private static final byte[] VERSION = HexFormat.of().parseHex("020100");

  /** rsaEncryption, without parameters. */
  private static final byte[] RSA = HexFormat.of().parseHex("06092a864886f70d0101010500");

  /** ecPublicKey; the curve follows. */
  private static final byte[] EC = HexFormat.of().parseHex("06072a8648ce3d0201");

  private PrivateKeyReader() {}

  /**
   * Reads the first private key of a file.
   *
   * @throws InferenceException INVALID_ARGUMENT if there is none, or none that this class reads
   */
  static PrivateKey read(PemFile file) {
    Block block =
        file.blocks().stream()
            .filter(each -> each.label().endsWith("PRIVATE KEY"))
            .findFirst()
            .orElseThrow(() ->
                InferenceException.invalid(
                    "%s has no private key: expected PEM, -----BEGIN PRIVATE KEY-----"
                        .formatted(file)));
    if (block.label().startsWith("ENCRYPTED") || block.content().contains("ENCRYPTED")) {
      throw InferenceException.invalid(
          "the private key in %s is encrypted, which is not supported: store it decrypted, as by"
                  .formatted(file)
              + " 'openssl pkey -in encrypted.pem -out key.pem', readable for the server only");
    }
    try {
      return switch (block.label()) {
        case "PRIVATE KEY" -> generate(block.decode());
        case "RSA PRIVATE KEY" -> generate(pkcs8(RSA, block.decode()));
        case "EC PRIVATE KEY" -> {
          byte[] key = block.decode();
          yield generate(pkcs8(concat(EC, curve(key)), key));
        }
        default ->
            throw InferenceException.invalid(
                "%s has a %s, which is not supported: expected RSA, EC or EdDSA"
                    .formatted(file, block.label()));
      };
    } catch (IllegalArgumentException | GeneralSecurityException malformed) {
      throw InferenceException.invalid(
          "the private key in %s is malformed: %s".formatted(file, malformed.getMessage()));
    }
  }

  private static PrivateKey generate(byte[] pkcs8) throws GeneralSecurityException {
    var specification = new PKCS8EncodedKeySpec(pkcs8);
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(specification);
      } catch (InvalidKeySpecException | RuntimeException _) {
        // of another algorithm, or malformed: the JDK does not check all indices
      }
    }
    throw new InvalidKeySpecException("expected a key of RSA, EC or EdDSA");
  }

  private static byte[] pkcs8(byte[] algorithm, byte[] key) {
    return value(
        SEQUENCE, concat(VERSION, concat(value(SEQUENCE, algorithm), value(OCTET_STRING, key))));
  }

  /**
   * The curve of a key in SEC 1, an object identifier with its tag.
   *
   * @throws IllegalArgumentException if there is none where it is expected
   */
  private static byte[] curve(byte[] key) {
    int position = content(key, 0, SEQUENCE);
    position = end(key, position, INTEGER);
    position = end(key, position, OCTET_STRING);
    int start = content(key, position, PARAMETERS);
    return Arrays.copyOfRange(key, start, end(key, position, PARAMETERS));
  }

  /** Where the content of the value at {@code position} begins. */
  private static int content(byte[] der, int position, int tag) {
    if (position + 1 >= der.length || (der[position] & 0xFF) != tag) {
      throw new IllegalArgumentException("an EC key does not name its curve");
    }
    int length = der[position + 1] & 0xFF;
    return position + 2 + (length < 0x80 ? 0 : length & 0x7F);
  }

  /** Where the value after the one at {@code position} begins. */
  private static int end(byte[] der, int position, int tag) {
    int start = content(der, position, tag);
    long length = der[position + 1] & 0xFF;
    if (length >= 0x80) {
      length = 0;
      for (int i = position + 2; i < start && i < der.length; i++) {
        length = Math.min(length << 8 | (der[i] & 0xFF), Integer.MAX_VALUE);
      }
    }
    if (start + length > der.length) {
      throw new IllegalArgumentException("an EC key is cut off");
    }
    return (int) (start + length);
  }

  /** A value in DER: tag, length, content. */
  private static byte[] value(int tag, byte[] content) {
    int length = content.length;
    if (length < 0x80) {
      return concat(new byte[] {(byte) tag, (byte) length}, content);
    }
    int bytes = (Integer.SIZE - Integer.numberOfLeadingZeros(length) + 7) / 8;
    byte[] head = new byte[2 + bytes];
    head[0] = (byte) tag;
    head[1] = (byte) (0x80 | bytes);
    for (int i = 0; i < bytes; i++) {
      head[2 + i] = (byte) (length >> (8 * (bytes - 1 - i)));
    }
    return concat(head, content);
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
