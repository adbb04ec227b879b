package io.nereid.engine.model.config.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.TextFormat;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.protocol.config.ModelConfig;
import java.util.Optional;
import java.util.regex.Pattern;

/** Any bytes as {@code config.pbtxt}, and protobuf's own parser as the judge of accepted ones. */
class ConfigTextFuzzTest {
  /** What Triton's parser accepts and protobuf's for Java does not: see ConfigTextsAgreeTest. */
  private static final Pattern ACCEPTED_ALONE = Pattern.compile("-([\\s#]|(?i:nan))|0X|\\x0B");

  @FuzzTest
  void hasTheMessageThatProtobufReads(byte[] input) {
    FuzzedMemory.run(
        input,
        _ -> {
          ConfigText read = ConfigTextReader.read(input);
          for (TextProblem problem : read.problems()) {
            assertThat(problem.message()).isNotEmpty();
            assertThat(read.line(problem.position().line())).isNotNull();
          }
          String text = new String(input, UTF_8);
          boolean accepted = read.problems().stream().noneMatch(TextProblem::fails);
          if (accepted && !ACCEPTED_ALONE.matcher(text).find()) {
            assertThat(Optional.of(read.message())).isEqualTo(protobufs(text));
          }
        });
  }

  private static Optional<ModelConfig> protobufs(String text) {
    var config = ModelConfig.newBuilder();
    try {
      TextFormat.getParser().merge(text, config);
      return Optional.of(config.build());
    } catch (TextFormat.ParseException malformed) {
      return Optional.empty();
    }
  }

  @FuzzTest
  void isReadAgainAsItWasWritten(byte[] input) {
    FuzzedMemory.run(
        input,
        _ -> {
          ModelConfig message = ConfigTextReader.read(input).message();
          ConfigText again = ConfigTextReader.read(message.toString().getBytes(UTF_8));
          assertThat(again.problems()).noneMatch(TextProblem::fails); // a key may be given twice
          assertThat(again.message()).isEqualTo(message);
        });
  }
}
