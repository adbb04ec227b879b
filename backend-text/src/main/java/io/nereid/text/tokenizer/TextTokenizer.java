package io.nereid.text.tokenizer;

import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The tokenizer of a {@code tokenizer.json}. A long text costs what its first tokens cost: the
 * library tokenises all that it is given before it cuts, so it is given the beginning, and more of
 * it only while that has too few tokens.
 *
 * <p>Any thread may use it; closed by its owner once no thread does.
 */
public final class TextTokenizer implements AutoCloseable {
  /**
   * What {@code tokenizer.json} may have; the largest vocabularies in use have some ten million.
   */
  private static final long MAX_FILE_BYTES = 256 << 20;

  /**
   * Bytes of the beginning for each token that the model takes; a token of a word has some four.
   */
  private static final int BYTES_PER_TOKEN = 16;

  /** Bytes for each token behind which a text is never read. */
  private static final int MAX_BYTES_PER_TOKEN = 256;

  /** With this many pieces cut off, what is behind the beginning changes none of its tokens. */
  private static final int ENOUGH_CUT = 2;

  private final TokenizerLibrary library;
  private final long handle;
  private final int maxTokens;

  /** The special tokens of a single text. */
  private int special;

  private TextTokenizer(TokenizerLibrary library, long handle, int maxTokens) {
    this.library = library;
    this.handle = handle;
    this.maxTokens = maxTokens;
  }

  /**
   * Reads a tokenizer.
   *
   * @param maxTokens that the model takes, special tokens included
   * @throws InferenceException if the file cannot be read, or is no tokenizer; the message names it
   */
  public static TextTokenizer open(TokenizerLibrary library, Path file, int maxTokens) {
    String json = read(file);
    long handle;
    try {
      handle = library.create(TokenizerCheck.checked(json));
    } catch (InferenceException refused) {
      throw new InferenceException(
          refused.code(), "'%s' cannot be used: %s".formatted(file, refused.getMessage()));
    }
    var tokenizer = new TextTokenizer(library, handle, maxTokens);
    try {
      tokenizer.prepare(file);
      return tokenizer;
    } catch (RuntimeException | Error failed) {
      tokenizer.close();
      throw failed;
    }
  }

  private static String read(Path file) {
    try {
      if (Files.size(file) > MAX_FILE_BYTES) {
        throw InferenceException.invalid(
            "'%s' has %d bytes, at most %d are read"
                .formatted(file, Files.size(file), MAX_FILE_BYTES));
      }
      return Files.readString(file);
    } catch (MalformedInputException noText) {
      throw InferenceException.invalid("'%s' is not in UTF-8".formatted(file));
    } catch (IOException unreadable) {
      throw InferenceException.unavailable(
          "cannot read '%s': %s".formatted(file, IoReason.of(unreadable)));
    }
  }

  private void prepare(Path file) {
    library.disablePadding(handle);
    // Without truncation of the file, which could be shorter than what special tokens need.
    library.truncate(handle, Integer.MAX_VALUE);
    special = encodeAll("", null).length();
    int most = Math.max(special, encodeAll("", "").length());
    if (maxTokens <= most) {
      throw InferenceException.invalid(
          "'%s' adds %d special tokens, and the model takes %d tokens at most"
              .formatted(file, most, maxTokens));
    }
    library.truncate(handle, maxTokens);
  }

  private Encoding encodeAll(String text, @Nullable String pair) {
    long encoding =
        pair == null
            ? library.encode(handle, text, true)
            : library.encode(handle, text, pair, true);
    try {
      return new Encoding(library.ids(encoding), library.typeIds(encoding));
    } finally {
      library.deleteEncoding(encoding);
    }
  }

  /**
   * Tokenises a text, or a pair.
   *
   * @param pair empty for a single text
   * @param truncates whether a text that has more tokens than the model takes is cut
   * @throws InferenceException INVALID_ARGUMENT if it is too long and not to be cut, has no token,
   *     or is not in UTF-8
   */
  public Encoding encode(TextBytes text, Optional<TextBytes> pair, boolean truncates) {
    return read(text, pair, truncates, true, (encoding, _) -> encoding(encoding));
  }

  /**
   * The tokens of a single text, with their places.
   *
   * @throws InferenceException as above
   */
  public List<TextToken> tokens(TextBytes text, boolean truncates, boolean withSpecialTokens) {
    return read(text, Optional.empty(), truncates, withSpecialTokens, this::tokens);
  }

  /** Has a result read of an encoding of as much of a text as its tokens need. */
  private <T> T read(
      TextBytes text,
      Optional<TextBytes> pair,
      boolean truncates,
      boolean withSpecialTokens,
      BiFunction<Long, String, T> reader) {
    long most = (long) maxTokens * MAX_BYTES_PER_TOKEN;
    long longest = Math.max(text.byteSize(), pair.map(TextBytes::byteSize).orElse(0L));
    if (longest > most && !truncates) {
      throw tooLong("%d bytes, which is above %d".formatted(longest, most));
    }
    long window = (long) maxTokens * BYTES_PER_TOKEN;
    while (true) {
      boolean isWhole = window >= longest || window >= most;
      String first = pair.isEmpty() ? text.beginning(window) : enough(text, most);
      long encoding =
          pair.isEmpty()
              ? library.encode(handle, first, withSpecialTokens)
              : library.encode(handle, first, enough(pair.get(), most), withSpecialTokens);
      try {
        int cut = library.overflowCount(encoding);
        if (isWhole || cut >= ENOUGH_CUT || pair.isPresent()) {
          requireWhole(encoding, cut, isWhole && pair.isEmpty(), truncates);
          return reader.apply(encoding, first);
        }
      } finally {
        library.deleteEncoding(encoding);
      }
      window *= 2;
    }
  }

  /**
   * As much of a text of a pair as has more tokens than the model takes, or all of it: by the
   * number of its tokens the library finds how much of each text it keeps. Of two long texts either
   * may keep the odd token.
   */
  private String enough(TextBytes text, long most) {
    for (long window = (long) maxTokens * BYTES_PER_TOKEN; ; window *= 2) {
      String beginning = text.beginning(window);
      if (window >= text.byteSize() || window >= most) {
        return beginning;
      }
      long encoding = library.encode(handle, beginning, false);
      try {
        if (library.overflowCount(encoding) >= ENOUGH_CUT) {
          return beginning;
        }
      } finally {
        library.deleteEncoding(encoding);
      }
    }
  }

  private void requireWhole(long encoding, int cut, boolean isCounted, boolean truncates) {
    if (cut > 0 && !truncates) {
      throw tooLong(
          isCounted
              ? "%d tokens".formatted(count(encoding))
              : "more than %d tokens".formatted(maxTokens));
    }
  }

  private Encoding encoding(long encoding) {
    var tokens = new Encoding(library.ids(encoding), library.typeIds(encoding));
    if (tokens.length() == 0) {
      throw InferenceException.invalid("has no token");
    }
    return tokens;
  }

  private List<TextToken> tokens(long encoding, String text) {
    long[] ids = library.ids(encoding);
    long[] special = library.specialMask(encoding);
    String[] names = library.tokens(encoding);
    int[] spans = library.spans(encoding);
    var places = new TextPlaces(text);
    List<TextToken> tokens = new ArrayList<>(ids.length);
    for (int i = 0; i < ids.length; i++) {
      boolean isInText = special[i] == 0 && spans[2 * i] >= 0;
      tokens.add(
          isInText
              ? places.token(ids[i], spans[2 * i], spans[2 * i + 1])
              : new TextToken(ids[i], names[i], special[i] != 0, -1, -1));
    }
    return tokens;
  }

  /** The tokens of an encoding and of what was cut off it. */
  private long count(long encoding) {
    long count = library.ids(encoding).length;
    for (long part : library.overflowing(encoding)) {
      count += library.ids(part).length - special;
      library.deleteEncoding(part);
    }
    return count;
  }

  private InferenceException tooLong(String what) {
    return InferenceException.invalid(
        "has %s; the model takes %d tokens at most, and 'truncate' is false"
            .formatted(what, maxTokens));
  }

  @Override
  public void close() {
    library.delete(handle);
  }
}
