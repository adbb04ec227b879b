package io.nereid.server.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.nereid.server.faults.Change.Conduct;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The words of the table. */
class ChangeTest {
  @Test
  void readsEachChange() {
    assertThat(Change.parse("status 400 500")).isEqualTo(new Change.Status("400", "500"));
    assertThat(Change.parse("header A: b: c")).isEqualTo(new Change.Header("A", "b: c"));
    assertThat(Change.parse("header -A")).isEqualTo(new Change.Header("A", ""));
    assertThat(Change.parse("reply 200 {}")).isEqualTo(new Change.Reply("200 {}"));
    assertThat(Change.parse("reply")).isEqualTo(new Change.Reply(""));
    assertThat(Change.parse("length -9")).isEqualTo(new Change.Length(-9));
    assertThat(Change.parse("swap")).isEqualTo(Conduct.SWAP);
  }

  @Test
  void replacesEachMatch() {
    var change = Change.Substitution.parse("s|a(.)/|$1;|");

    assertThat(change.apply("ab/ a\n/ c")).isEqualTo("b; \n; c");
  }

  @ParameterizedTest
  @CsvSource({
    "nothing of these,no change is called so",
    "answer s/a/b,s/regex/replacement/ expected",
    "answer y/a/b/,s/regex/replacement/ expected",
    "request s/a/b/g,s/regex/replacement/ expected"
  })
  void rejectsOthers(String text, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Change.parse(text))
        .withMessageStartingWith(message);
  }

  @Test
  void rejectsALineWithAnotherNumberOfColumns() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Fault.parse("HTTP-INFER-01\tHTTP\tPOST"))
        .withMessageStartingWith("6 columns expected: HTTP-INFER-01");
  }
}
