package io.nereid.engine.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.scheduling.ensemble.EnsembleFixture.Sent;
import io.nereid.request.InferenceRequest;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The ids, options and sequences that an ensemble passes on. */
class PassedOptionsTest {
  private static final List<String> OUT = List.of("out");

  @Test
  void requestsTheMappedOutputsOfEachModelWithTheClientsIdAndOptions() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    var options =
        new RequestOptions(
            new SequenceId.OfNumber(5),
            true,
            false,
            3,
            1_000,
            Map.of("key", new Parameter.OfString("value")));
    Sent sent = fixture.send(fixture.scheduler(), "mine", options, OUT);

    fixture.model("a").answer(1);
    InferenceRequest second = fixture.model("b").first().request();

    assertThat(second.id()).isEqualTo("mine");
    assertThat(second.options()).isEqualTo(options);
    assertThat(second.outputs()).containsExactly("O");
    assertThat(second.model().name()).isEqualTo("b");
    fixture.model("b").answer(1);
    sent.response().close();
  }

  @Test
  void theRequestsOfStepsAreThoseOfTheClient() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    Sent sent = fixture.send(fixture.scheduler(), "mine", RequestOptions.NONE, OUT);

    assertThat(fixture.model("a").first().client()).isEqualTo("client");
    fixture.model("a").answer(1);
    assertThat(fixture.model("b").first().client()).isEqualTo("client");
    fixture.model("b").answer(1);
    sent.response().close();
  }

  @Test
  void respondsWithTheClientsIdTheEnsemblesNameAndTheSequence() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    Sent sent = fixture.send(fixture.scheduler(), "mine", RequestOptions.NONE, OUT);

    fixture.model("a").answer(1);
    fixture.model("b").answer(1);

    try (InferenceResponse response = sent.response()) {
      assertThat(response.id()).isEqualTo("mine");
      assertThat(response.model().name()).isEqualTo("e");
      assertThat(response.parameters())
          .containsOnly(
              Map.entry("sequence_id", new Parameter.OfLong(0)),
              Map.entry("sequence_start", new Parameter.OfBoolean(false)),
              Map.entry("sequence_end", new Parameter.OfBoolean(false)));
    }
  }

  @Test
  void aResponseMaySetTheSequenceOfTheStepsBehindIt() {
    EnsembleFixture fixture = EnsembleFixture.chain();
    Sent sent = fixture.send(fixture.scheduler());

    fixture
        .model("a")
        .answer(
            1,
            Map.of(
                "sequence_id", new Parameter.OfString("s"),
                "sequence_start", new Parameter.OfBoolean(true)));
    RequestOptions options = fixture.model("b").first().request().options();
    fixture.model("b").answer(2);

    assertThat(options.sequenceId()).isEqualTo(new SequenceId.OfString("s"));
    assertThat(options.sequenceStart()).isTrue();
    try (InferenceResponse response = sent.response()) {
      assertThat(response.parameters()).containsEntry("sequence_id", new Parameter.OfString("s"));
    }
  }
}
