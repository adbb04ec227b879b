package io.nereid.engine.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.BatchingSettings;
import io.nereid.config.EnsembleSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.Control.Kind;
import io.nereid.config.SequenceSettings.Strategy.Oldest;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tensor.DataType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Schedulers that a backend chooses for a model. */
class ChosenSchedulerTest extends CompletedConfigs {
  @Test
  void keepsTheSchedulerOfTheFile() {
    String text = "backend: 'b' max_batch_size: 4 dynamic_batching {}" + IO;

    var kept =
        complete(
            text,
            draft ->
                draft.withScheduling(
                    new BatchingSettings(List.of(1), 9, true, 0, 0, QueuePolicy.NONE, Map.of())));

    assertThat(kept.settings().scheduling()).isEqualTo(BatchingSettings.of(List.of(4), 0));
    assertThatThrownBy(
            () -> complete(text, draft -> draft.withScheduling(new SchedulingSettings.Direct())))
        .hasMessageContaining("Cannot update scheduling choice")
        .extracting(thrown -> ((InferenceException) thrown).code())
        .isEqualTo(StatusCode.INTERNAL);
  }

  @Test
  void showsASequenceBatcherOfTheBackend() {
    var start = new Control("start", Kind.CONTROL_SEQUENCE_START, DataType.INT32, 0, 1);
    var chosen =
        new SequenceSettings(
            0, List.of(start), new Oldest(3, List.of(), 5, false), List.of(), false);

    var completed =
        complete("backend: 'b' max_batch_size: 2" + IO, draft -> draft.withScheduling(chosen));

    assertThat(completed.settings().sequence())
        .contains(
            new SequenceSettings(
                1_000_000,
                chosen.controls(),
                new Oldest(3, List.of(2), 5, false),
                List.of(),
                false));
    assertThat(completed.message().getSequenceBatching().getControlInput(0).getName())
        .isEqualTo("start");
  }

  @Test
  void validatesTheSchedulerOfTheBackend() {
    assertThatThrownBy(() ->
            complete(
                "backend: 'b' max_batch_size: 2" + IO,
                draft -> draft.withScheduling(BatchingSettings.of(List.of(3), 0))))
        .hasMessageStartingWith(
            "dynamic batching preferred size must be <= max batch size for m (config.pbtxt,");
  }

  @Test
  void rejectsAnEnsembleOfTheBackend() {
    assertThatThrownBy(() ->
            complete(
                "backend: 'b'" + IO,
                draft -> draft.withScheduling(new EnsembleSettings(List.of(), 0))))
        .hasMessageContaining("Cannot update scheduling choice");
  }
}
