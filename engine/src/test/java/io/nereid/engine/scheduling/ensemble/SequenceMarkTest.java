package io.nereid.engine.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SequenceMarkTest {
  private static final SequenceMark MARK =
      new SequenceMark(new SequenceId.OfNumber(7), true, false);

  @Test
  void keepsItsValueWithoutSequenceParameters() {
    assertThat(MARK.changedBy(Map.of("other", new Parameter.OfLong(1)))).isSameAs(MARK);
  }

  @Test
  void takesANewId() {
    assertThat(MARK.changedBy(Map.of("sequence_id", new Parameter.OfLong(8))))
        .isEqualTo(new SequenceMark(new SequenceId.OfNumber(8), false, false));
    assertThat(MARK.changedBy(Map.of("sequence_id", new Parameter.OfString("s"))).id())
        .isEqualTo(new SequenceId.OfString("s"));
  }

  @Test
  void aFlagReplacesBothFlagsAndKeepsTheId() {
    assertThat(MARK.changedBy(Map.of("sequence_end", new Parameter.OfBoolean(true))))
        .isEqualTo(new SequenceMark(new SequenceId.OfNumber(7), false, true));
  }

  @Test
  void rejectsParametersOfOtherTypes() {
    assertThatThrownBy(() -> MARK.changedBy(Map.of("sequence_id", new Parameter.OfDouble(1))))
        .hasMessage(
            "expected parameter 'sequence_id' to be TRITONSERVER_PARAMETER_INT or"
                + " TRITONSERVER_PARAMETER_STRING");
    assertThatThrownBy(() -> MARK.changedBy(Map.of("sequence_start", new Parameter.OfString("1"))))
        .hasMessage("expect parameter 'sequence_start' to be TRITONSERVER_PARAMETER_BOOL");
  }

  @Test
  void isAppliedToOptionsAndWrittenAsParameters() {
    var options = new RequestOptions(SequenceId.NONE, false, false, 4, 5, Map.of());

    RequestOptions marked = MARK.applyTo(options);

    assertThat(SequenceMark.of(marked)).isEqualTo(MARK);
    assertThat(marked.priority()).isEqualTo(4);
    assertThat(marked.timeoutMicros()).isEqualTo(5);
    assertThat(MARK.parameters())
        .containsEntry("sequence_id", new Parameter.OfLong(7))
        .containsEntry("sequence_start", new Parameter.OfBoolean(true));
  }
}
