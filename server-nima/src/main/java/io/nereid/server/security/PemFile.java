package io.nereid.server.security;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The content of a file in PEM (RFC 7468): blocks of base64, each with a label, and any text around
 * them. Two are equal if their options, paths and contents are.
 *
 * @param option names the file to the operator
 */
record PemFile(String option, Path path, String text) {
  private static final int MAX_SIZE = 1 << 20;
  private static final String DASHES = "-----";
  private static final String BEGIN = DASHES + "BEGIN ";

  /** Who may read and write but the owner, and a group that may read. */
  private static final Set<PosixFilePermission> OTHERS =
      Set.of(
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE);

  private static final Pattern LABEL = Pattern.compile("[A-Z0-9 ]+");

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
    } catch (IOException failed) {
      throw unreadable(option, path, IoReason.of(failed));
    }
  }

  private static InferenceException unreadable(String option, Path path, String reason) {
    return InferenceException.invalid("cannot read '%s' (%s): %s".formatted(path, option, reason));
  }

  /**
   * The blocks, in order.
   *
   * @throws InferenceException INVALID_ARGUMENT if one has no end, as while a file is being written
   */
  List<Block> blocks() {
    List<Block> blocks = new ArrayList<>();
    int end = 0;
    for (int begin = text.indexOf(BEGIN); begin >= 0; begin = text.indexOf(BEGIN, end)) {
      int label = begin + BEGIN.length();
      int content = dashes(label) + DASHES.length();
      var block =
          new Block(
              text.substring(label, content - DASHES.length()),
              text.substring(content, dashes(content)));
      String last = DASHES + "END " + block.label() + DASHES;
      end = dashes(content);
      if (!LABEL.matcher(block.label()).matches() || !text.startsWith(last, end)) {
        throw cutOff();
      }
      end += last.length();
      blocks.add(block);
    }
    if (text.indexOf(DASHES, end) >= 0) {
      throw cutOff();
    }
    return blocks;
  }

  /** Where the next dashes are. */
  private int dashes(int from) {
    int found = text.indexOf(DASHES, from);
    if (found < 0) {
      throw cutOff();
    }
    return found;
  }

  /** Says that other users can read or change the file, if they can. */
  Optional<String> exposure() {
    try {
      Set<PosixFilePermission> mode = Files.getPosixFilePermissions(path);
      if (Collections.disjoint(mode, OTHERS)) {
        return Optional.empty();
      }
      String bits = PosixFilePermissions.toString(mode).replaceAll("[rwx]", "1").replace('-', '0');
      return Optional.of(
          "%s has the mode %o, so that other users can read or change it: expected 600, 400, or 640 for a group"
              .formatted(this, Integer.parseInt(bits, 2)));
    } catch (IOException | UnsupportedOperationException _) {
      return Optional.empty(); // replaced meanwhile, or without permissions
    }
  }

  private InferenceException cutOff() {
    return InferenceException.invalid("%s is cut off: a block has no end".formatted(this));
  }

  /** {@code '<path>' (<option>)}: the content may be a secret. */
  @Override
  public String toString() {
    return "'%s' (%s)".formatted(path, option);
  }
}
