package io.nereid.tck.scheduler.sequence;

import io.nereid.error.StatusCode;
import io.nereid.request.SequenceId;
import io.nereid.tck.scheduler.GatedModel;
import io.nereid.tck.scheduler.SchedulerVerification;
import io.nereid.tck.scheduler.TestRequest;
import io.nereid.tck.scheduler.TestResponse;

/** What tests of sequences share: models with sequence controls, and requests of sequences. */
abstract class SequenceSchedulerVerification extends SchedulerVerification {
  /** An idle time that does not expire by accident. */
  static final String PATIENT = "max_sequence_idle_microseconds: 3000000000\n";

  /** Where in its sequence a request is. */
  enum Place {
    FIRST,
    MIDDLE,
    LAST,
    ONLY
  }

  /** {@code sequence_batching} with all controls, that strategy, and further settings. */
  static String sequences(String strategy, String more) {
    return "sequence_batching {\n%s%s\n%s }\n".formatted(CONTROLS, strategy, more);
  }

  /** The sequence's request at that place. */
  static TestRequest in(TestRequest request, long sequence, Place place) {
    return request.inSequence(
        new SequenceId.OfNumber(sequence),
        place == Place.FIRST || place == Place.ONLY,
        place == Place.LAST || place == Place.ONLY);
  }

  /** Submits a request of one row. */
  static TestResponse submit(GatedModel model, String id, long sequence, Place place) {
    return model.submit(in(model.request(id, 1), sequence, place));
  }

  /** Blocks the instance with a sequence of one request, which leaves its slot at once. */
  static void block(GatedModel model) {
    model.block(in(model.request("", 1), 99, Place.ONLY));
  }

  /** The failure of a request whose sequence does not exist. */
  static void assertNeedsStart(GatedModel model, TestResponse answer, long sequence) {
    assertFailed(
        answer,
        StatusCode.INVALID_ARGUMENT,
        ("inference request for sequence %d to model '%s' must specify the START flag on the first"
                + " request of the sequence")
            .formatted(sequence, model.name()));
  }
}
