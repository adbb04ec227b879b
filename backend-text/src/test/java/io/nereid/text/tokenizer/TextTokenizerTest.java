package io.nereid.text.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tokens of long texts, of which the tokenizer reads the beginning. */
@Timeout(120)
class TextTokenizerTest {
  private static final Path FILE = Path.of("src/test/resources/models/rerank/1/tokenizer.json");

  /** The token of a word that the vocabulary does not have. */
  private static final long UNKNOWN = 1;

  private final TextTokenizer tokenizer =
      TextTokenizer.open(
          TokenizerLibrary.open(Optional.empty(), Optional.empty()), FILE, /* maxTokens= */ 16);

  @AfterEach
  void close() {
    tokenizer.close();
  }

  private static TextBytes text(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    MemorySegment data = MemorySegment.ofArray(utf8);
    return new TextBytes("", data);
  }

  private long[] ids(String text) {
    return tokenizer.encode(text(text), Optional.empty(), true).ids();
  }

  private long[] ids(String first, String second) {
    return tokenizer.encode(text(first), Optional.of(text(second)), true).ids();
  }

  @Test
  void blanksBeforeALongTextChangeNothing() {
    String ships = "ships ".repeat(500);
    assertThat(ids(" ".repeat(400) + "sea " + ships)).isEqualTo(ids("sea " + ships));
  }

  /** How much is kept of one text of a pair depends on how many tokens the other has. */
  @ParameterizedTest
  @ValueSource(ints = {0, 100, 400, 2000})
  void blanksBeforeAShortTextOfAPairWithALongOneChangeNothing(int blanks) {
    String ships = "ships ".repeat(500);
    String sea = " ".repeat(blanks) + "the sea";

    assertThat(ids(sea, ships)).isEqualTo(ids("the sea", ships)).contains(4, 5);
    assertThat(ids(ships, sea)).isEqualTo(ids(ships, "the sea")).contains(4, 5);
  }

  @Test
  void twoLongTextsOfAPairHaveAHalfEach() {
    String words = ("w".repeat(99) + " ").repeat(40); // a token of a hundred bytes
    String ships = "ships ".repeat(500);

    assertThat(ids(words, ships))
        .hasSize(16)
        .satisfies(ids -> assertThat(unknown(ids)).isBetween(6L, 7L)); // of 13 without the special
  }

  private static long unknown(long[] ids) {
    return LongStream.of(ids).filter(id -> id == UNKNOWN).count();
  }
}
