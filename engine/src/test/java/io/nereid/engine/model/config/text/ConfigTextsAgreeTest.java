package io.nereid.engine.model.config.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.nereid.protocol.config.ModelConfig;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@link ConfigTextReader} against protobuf's own parser, on good texts and on mutations of them.
 */
class ConfigTextsAgreeTest {
  private static final List<String> GOOD =
      List.of(
          """
          # A model with a dynamic batcher.
          name: "m" platform: 'onnxruntime_onnx'
          max_batch_size: 0x10
          input [
            { name: "a" data_type: TYPE_FP32 format: FORMAT_NCHW dims: [ 3, -1, 010 ] },
            { name: "b", data_type: 11; dims: -1 reshape: { shape: [] } allow_ragged_batch: true }
          ]
          output < name: "o" data_type: TYPE_STRING dims: 1 label_filename: "la" "bels\\n.txt" >
          dynamic_batching {
            preferred_batch_size: [ 4, 8 ]
            max_queue_delay_microseconds: 18446744073709551615
            priority_levels: 2 default_priority_level: 1
            priority_queue_policy { key: 1 value { timeout_action: DELAY max_queue_size: 4294967295 } }
          }
          parameters: { key: "k" value: { string_value: "\\303\\274\\x41" } }
          parameters { key: "l" value { string_value: 'ü"' } }
          version_policy: { specific: { versions: [1, -9223372036854775808] } }
          instance_group [ { count: 2, kind: KIND_CPU, rate_limiter { priority: 3 } } ]
          """,
          """
          backend: "b"
          sequence_batching {
            direct { minimum_slot_utilization: 1.5e-1f }
            control_input [
              { name: "START" control [ { kind: CONTROL_SEQUENCE_START fp32_false_true: [0, 1.] } ] },
              { name: "READY" control { kind: CONTROL_SEQUENCE_READY bool_false_true: [False, t] } }
            ]
            state { input_name: "i" output_name: "o" data_type: TYPE_INT32 dims: -1
              initial_state { data_type: TYPE_INT32 dims: 1 zero_data: true name: "z" } }
          }
          optimization { cuda { graph_spec { batch_size: 1 input { key: "a" value { dim: [1] } } } } }
          model_metrics { metric_control { histogram_options { buckets: [-inf, .5, 1e3, nan] } } }
          model_warmup { name: "w" inputs { key: "a" value { dims: 1 random_data: false } } }
          """,
          """
          platform: "ensemble"
          ensemble_scheduling: { step: [ { model_name: "x" model_version: -1
              input_map { key: "a" value: "t" } output_map { key: "o" value: "u" } },
            { model_name: "y" input_map: { key: "u", value: "v" } } ] }
          response_cache { enable: 1 }
          cc_model_filenames [ { key: "7.5" value: "x.plan" }, { key: "8.0" value: "y.plan" } ]
          """);

  private static Optional<ModelConfig> protobufs(String text) {
    var config = ModelConfig.newBuilder();
    try {
      TextFormat.getParser().merge(text, config);
      return Optional.of(config.build());
    } catch (TextFormat.ParseException malformed) {
      return Optional.empty();
    }
  }

  @ParameterizedTest
  @FieldSource("GOOD")
  void readsWhatProtobufReads(String text) {
    ConfigText read = ConfigTextReader.read(text.getBytes(UTF_8));

    assertThat(read.problems()).isEmpty();
    assertThat(read.isComplete()).isTrue();
    assertThat(Optional.of(read.message())).isEqualTo(protobufs(text));
  }

  @Test
  void readsAnUpperCaseHexadecimalPrefixAsTritonDoes() {
    ConfigText read = ConfigTextReader.read("max_batch_size: 0X1f".getBytes(UTF_8));

    assertThat(read.problems()).isEmpty();
    assertThat(read.message().getMaxBatchSize()).isEqualTo(31);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void acceptsAMutatedTextOnlyWithTheMessageThatProtobufReads(int seed) {
    var random = new Random(seed);
    int accepted = 0;
    int rounds = Integer.getInteger("nereid.mutations", 800);
    for (int round = 0; round < rounds; round++) {
      String text = mutated(GOOD.get(random.nextInt(GOOD.size())), random);
      ConfigText read = ConfigTextReader.read(text.getBytes(UTF_8));
      Optional<ModelConfig> expected = protobufs(text);
      boolean good = read.problems().stream().noneMatch(TextProblem::fails);
      if (good && expected.isEmpty()) { // as for Triton's parser: a sign apart or before nan, 0X
        assertThat(text).as("%d/%d", seed, round).containsPattern("-([\\s#]|nan)|0X");
      } else if (good) {
        accepted++;
        assertThat(Optional.of(read.message()))
            .as("%d/%d:%n%s", seed, round, text)
            .isEqualTo(expected);
      } else if (expected.isPresent()) {
        assertThat(read.problems())
            .as("%d/%d: protobuf accepts%n%s", seed, round, text)
            .anyMatch(ConfigTextsAgreeTest::isStricter);
      }
    }
    assertThat(accepted).isPositive();
  }

  /** What Triton's parser rejects, and protobuf's for Java does not. */
  private static boolean isStricter(TextProblem problem) {
    return problem.message().contains("set already")
        || problem.message().contains("exclude each other")
        || problem.message().contains("not UTF-8")
        || problem.message().matches("(?s).* got '-*[+-]{1,2}[^']*'");
  }

  private static String mutated(String text, Random random) {
    var mutated = new StringBuilder(text);
    String alphabet = "{}[]<>:;,=\"'#/\\ \n\t.-0123456789abefxTYPE_ü\u00A0";
    for (int i = random.nextInt(3); i >= 0; i--) {
      int at = random.nextInt(Math.max(1, mutated.length() - 1));
      int end = Math.clamp(at + 1L + random.nextInt(4), at, mutated.length());
      String one = String.valueOf(alphabet.charAt(random.nextInt(alphabet.length())));
      switch (random.nextInt(5)) {
        case 0 -> mutated.replace(at, end, one);
        case 1 -> mutated.insert(at, one);
        case 2 -> mutated.delete(at, end);
        case 3 -> mutated.insert(at, mutated.substring(at, end));
        default -> mutated.setLength(Math.max(1, at));
      }
    }
    return mutated.append(' ').toString();
  }

  @ParameterizedTest
  @FieldSource("GOOD")
  void readsOrRejectsATextThatEndsAnywhere(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    for (int length = 0; length < bytes.length; length++) {
      byte[] head = Arrays.copyOf(bytes, length);
      ConfigText read = ConfigTextReader.read(head);
      Optional<ModelConfig> expected = protobufs(new String(head, UTF_8));
      boolean good = read.problems().stream().noneMatch(TextProblem::fails);
      assertThat(good ? Optional.of(read.message()) : Optional.empty())
          .as("length %d", length)
          .isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void readsOrRejectsAnyBytes(int seed) {
    var random = new Random(seed);
    for (int round = 0; round < 500; round++) {
      byte[] bytes = GOOD.get(random.nextInt(GOOD.size())).getBytes(UTF_8);
      for (int i = random.nextInt(20); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      ConfigText read = ConfigTextReader.read(bytes);
      read.problems()
          .forEach(problem -> assertThat(read.line(problem.position().line())).isNotNull());
    }
  }
}
