package io.nereid.tck.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.RepositoryFolder;
import io.nereid.tck.Rule;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Models that execute samples before they are ready. */
public abstract class LoadWarmupVerification extends ModelControlVerification {
  private static final int LOADS = 20;

  /** A model that sends a response for each element, and fails a request with a negative one. */
  private static final String REPEAT =
      """
      backend: "tck_repeat"
      input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] }
      output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }
      model_transaction_policy { decoupled: true }
      """;

  /** The text of a file whose bytes are a negative number. */
  private static final String NEGATIVE = "\u00e9\u00e9";

  private static String sample(String input, String data) {
    return """
    model_warmup { name: "s" batch_size: 1 count: 3
      inputs { key: "%s" value { data_type: TYPE_INT32 dims: [ 1 ] %s } } }
    """
        .formatted(input, data);
  }

  private static String failed(String model, String reason) {
    return "load failed for model '%s': version 1 is at UNAVAILABLE state: Invalid argument: %s;"
        .formatted(model, reason);
  }

  @Rule("REPO-71")
  void rejectsAModelWhoseWarmupFailsHoweverOften() {
    repository().add("cold", REPEAT + sample("IN", "input_data_file: \"data\""), 1);
    repository().write("cold", "warmup/data", NEGATIVE);
    int value =
        ByteBuffer.wrap(NEGATIVE.getBytes(StandardCharsets.UTF_8))
            .order(ByteOrder.LITTLE_ENDIAN)
            .getInt();

    for (int i = 0; i < LOADS; i++) {
      loadFails(
          load("cold"),
          failed("cold", "failed to run warmup sample 's': IN[0] is %d; ".formatted(value)));
      assertThat(isReady("cold")).isFalse();
    }

    repository().write("cold", "warmup/data", "good");
    loaded(load("cold"));
    assertThat(isReady("cold")).isTrue();
  }

  @Rule("REPO-71")
  void servesOnIfTheWarmupOfAReloadFails() {
    loadEcho("warm");

    repository().configure("warm", RepositoryFolder.ECHO + sample("INPUT0", ""));
    loadFails(
        load("warm"),
        failed(
            "warm", NO_ID + "warmup setting expects input 'INPUT0' to have input_data_type set"));

    echo("warm");
    assertRows("warm", row("warm", 1, "READY"));
  }

  @Rule("REPO-72")
  void countsTheExecutionsOfAWarmup() {
    repository().add("counted", RepositoryFolder.ECHO + sample("INPUT0", "zero_data: true"), 1);

    loaded(load("counted"));

    assertThat(inferences("counted")).isEqualTo(3);
  }
}
