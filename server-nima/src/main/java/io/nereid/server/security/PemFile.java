package io.nereid.server.security;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.nereid.error.InferenceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The content of a file in PEM (RFC 7468): blocks of base64, each with a label, and any text around
 * them. Two are equal if their options, paths and contents are.
 *
 * @param option names the file to the operator
 */
record PemFile(String option, Path path, String text) {
  private static final int MAX_SIZE = 1 << 20;
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*(?:-(?!----)[^-]*)*)-----END \\1-----");

  /**
   * One block.
   *
   * @param content base64; headers before it in the older form of encrypted keys
   */
  record Block(String label, String content) {
    /**
     * @throws IllegalArgumentException if the content is not base64
     */
    byte[] decode() {
      return Base64.getDecoder().decode(content.replaceAll("\\s", ""));
    }
  }

  /**
   * Reads a file.
   *
   * @throws InferenceException INVALID_ARGUMENT if it cannot be read; the message names option and
   *     path
   */
  static PemFile read(String option, Path path) {
    try (InputStream in = Files.newInputStream(path)) {
      byte[] bytes = in.readNBytes(MAX_SIZE + 1);
      if (bytes.length > MAX_SIZE) {
        throw InferenceException.invalid(
            "'%s' (%s) is larger than 1 MiB: expected PEM".formatted(path, option));
      }
      return new PemFile(option, path, new String(bytes, ISO_8859_1));
    } catch (NoSuchFileException _) {
      throw unreadable(option, path, "no such file");
    } catch (AccessDeniedException _) {
      throw unreadable(option, path, "permission denied");
    } catch (IOException failed) {
      throw unreadable(option, path, Objects.requireNonNullElse(failed.getMessage(), "" + failed));
    }
  }

  private static InferenceException unreadable(String option, Path path, String reason) {
    return InferenceException.invalid("cannot read '%s' (%s): %s".formatted(path, option, reason));
  }

  /**
   * The blocks, in order.
   *
   * @throws InferenceException INVALID_ARGUMENT if the last one has no end: the file is still being
   *     written
   */
  List<Block> blocks() {
    List<Block> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(text);
    int end = 0;
    while (matcher.find()) {
      blocks.add(new Block(matcher.group(1), matcher.group(2)));
      end = matcher.end();
    }
    if (text.indexOf("-----", end) >= 0) {
      throw InferenceException.invalid("%s is cut off: a block has no end".formatted(this));
    }
    return blocks;
  }

  /** {@code '<path>' (<option>)}: the content may be a secret. */
  @Override
  public String toString() {
    return "'%s' (%s)".formatted(path, option);
  }
}
