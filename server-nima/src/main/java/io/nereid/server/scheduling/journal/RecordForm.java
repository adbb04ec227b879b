package io.nereid.server.scheduling.journal;

import io.nereid.request.ModelKey;
import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.journal.JournalRecord.Closed;
import io.nereid.server.scheduling.journal.JournalRecord.Decision;
import io.nereid.server.scheduling.journal.JournalRecord.Incomplete;
import io.nereid.server.scheduling.journal.JournalRecord.SchedulerStarted;
import java.util.ArrayList;
import java.util.List;

/**
 * How a journal is written. It begins with {@link #MAGIC}, whose last byte is the version. Then
 * come records: a number, how many bytes follow; a number for the kind; its fields. No record needs
 * another one to be read, so a file that breaks off is good up to there.
 */
final class RecordForm {
  /** The first bytes of the file. */
  private static final byte[] MAGIC = {'n', 'e', 'r', 'e', 'i', 'd', 'J', 2};

  private static final int SCHEDULER_STARTED = 1;
  private static final int DECISION = 2;
  private static final int INCOMPLETE = 3;
  private static final int CLOSED = 4;

  private final JournalBytes record = new JournalBytes();

  static byte[] magic() {
    return MAGIC.clone();
  }

  void write(JournalRecord written, JournalBytes target) {
    record.clear();
    switch (written) {
      case SchedulerStarted started -> write(started);
      case Decision decision -> write(decision);
      case Incomplete(int scheduler, long lost) -> {
        record.number(INCOMPLETE);
        record.number(scheduler);
        record.number(lost);
      }
      case Closed() -> record.number(CLOSED);
    }
    target.number(record.size());
    target.append(record.array(), record.size());
  }

  private void write(SchedulerStarted started) {
    record.number(SCHEDULER_STARTED);
    record.number(started.scheduler());
    record.text(started.model().name());
    record.number(started.model().version());
    record.number(started.maxBatchSize());
    record.number(started.capacity());
    record.number(started.instances());
    record.number(started.ruled() ? 1 : 0);
    SettingsForm.write(started.settings(), record);
  }

  private void write(Decision decision) {
    record.number(DECISION);
    record.number(decision.scheduler());
    // One more than the wake time, so that never is the shortest number there is.
    record.number(decision.wakeNanos() == Ticket.NEVER ? 0 : decision.wakeNanos() + 1);
    var form = new EntryForm();
    for (Entry entry : decision.entries()) {
      form.write(entry, record);
    }
  }

  static JournalRecord read(Frame frame) throws DamagedJournalException {
    JournalRecord record =
        switch (frame.number(CLOSED + 1)) {
          case SCHEDULER_STARTED -> started(frame);
          case DECISION -> decision(frame);
          case INCOMPLETE -> new Incomplete(frame.count(), frame.number());
          case CLOSED -> new Closed();
          default -> throw new DamagedJournalException("a record of an unknown kind");
        };
    if (!frame.isOver()) {
      throw new DamagedJournalException("a record that is too long");
    }
    return record;
  }

  private static SchedulerStarted started(Frame frame) throws DamagedJournalException {
    int scheduler = frame.count();
    var model = new ModelKey(frame.text(), frame.number());
    int maxBatchSize = frame.count();
    int capacity = frame.count();
    int instances = frame.count();
    boolean ruled = frame.flag();
    return new SchedulerStarted(
        scheduler, model, SettingsForm.read(frame), maxBatchSize, capacity, instances, ruled);
  }

  private static Decision decision(Frame frame) throws DamagedJournalException {
    int scheduler = frame.count();
    long wake = frame.number();
    var form = new EntryForm();
    List<Entry> entries = new ArrayList<>();
    while (!frame.isOver()) {
      entries.add(form.read(frame));
    }
    return new Decision(scheduler, entries, wake == 0 ? Ticket.NEVER : wake - 1);
  }
}
