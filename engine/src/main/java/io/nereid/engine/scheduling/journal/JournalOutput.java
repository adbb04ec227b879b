package io.nereid.engine.scheduling.journal;

import io.nereid.config.SchedulingSettings;
import io.nereid.engine.scheduling.journal.JournalRecord.OfScheduler;
import io.nereid.engine.scheduling.journal.JournalRecord.SchedulerEnded;
import io.nereid.engine.scheduling.journal.JournalRecord.SchedulerStarted;
import io.nereid.error.IoReason;
import io.nereid.protocol.config.ModelConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;

/**
 * The file that a journal is written to. It ends when it cannot be written, or is as large as it
 * may be; the next scheduler that starts begins another one, in which those that have started
 * before are missing. For one thread.
 */
final class JournalOutput {
  /** Where files come from. */
  @FunctionalInterface
  interface Files {
    /** Begins an empty file. */
    OutputStream begin() throws IOException;
  }

  private static final System.Logger LOG = System.getLogger(SchedulerJournal.class.getName());

  private final Files files;
  private final Function<SchedulingSettings, ModelConfig> settings;
  private OutputStream file;
  private JournalWriter writer;

  /** The schedulers whose start is in this file. */
  private final Set<Integer> schedulers = new HashSet<>();

  private boolean ended;
  private boolean unflushed;

  /**
   * Begins the first file.
   *
   * @param settings the conversion of a scheduler's settings
   */
  JournalOutput(Files files, Function<SchedulingSettings, ModelConfig> settings)
      throws IOException {
    this.files = files;
    this.settings = settings;
    this.file = files.begin();
    this.writer = new JournalWriter(file, settings);
  }

  /** Writes a record, unless the file has ended, or is without the start of its scheduler. */
  void write(JournalRecord record) {
    unflushed = true;
    try {
      if (record instanceof SchedulerStarted started) {
        if (ended) {
          beginAnew(started);
        }
        schedulers.add(started.scheduler());
      }
      if (!ended && isWhole(record)) {
        writer.write(record);
      }
    } catch (Throwable failed) { // also an Error: the record may be written in part
      end(failed);
    }
  }

  private boolean isWhole(JournalRecord record) {
    return switch (record) {
      case SchedulerEnded end -> schedulers.remove(end.scheduler());
      case OfScheduler part -> schedulers.contains(part.scheduler());
      case JournalRecord.Closed() -> true;
    };
  }

  private void beginAnew(SchedulerStarted first) throws IOException {
    schedulers.clear();
    file = files.begin();
    writer = new JournalWriter(file, settings);
    ended = false;
    LOG.log(Level.INFO, "the scheduler journal begins anew with model {0}", first.model());
  }

  /** Writes what is buffered; returns false if no record was added since. */
  boolean flush() {
    boolean written = unflushed;
    unflushed = false;
    if (written && !ended) {
      try {
        writer.flush();
      } catch (Throwable failed) { // also an Error, as above
        end(failed);
      }
    }
    return written;
  }

  private void end(Throwable failed) {
    ended = true;
    close(); // so that its space is free once it is deleted
    if (failed instanceof IOException reason) {
      LOG.log(Level.ERROR, "the scheduler journal ends here: {0}", IoReason.withPath(reason));
    } else {
      LOG.log(Level.ERROR, "the scheduler journal ends here: it cannot be written", failed);
    }
  }

  void close() {
    try {
      file.close();
    } catch (IOException failed) {
      LOG.log(Level.ERROR, "the scheduler journal cannot be closed", failed);
    }
  }
}
