package io.nereid.engine.scheduling.journal;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.nereid.config.BatchCostSettings;
import io.nereid.config.EnsembleSettings;
import io.nereid.config.SchedulingSettings;
import io.nereid.engine.protobuf.journal.Journal;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.journal.JournalRecord.Closed;
import io.nereid.engine.scheduling.journal.JournalRecord.Decision;
import io.nereid.engine.scheduling.journal.JournalRecord.Incomplete;
import io.nereid.engine.scheduling.journal.JournalRecord.SchedulerEnded;
import io.nereid.engine.scheduling.journal.JournalRecord.SchedulerStarted;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.request.ModelKey;
import io.nereid.request.SequenceId;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Function;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads a journal, record by record: the inverse of {@link JournalWriter}. */
public final class JournalReader implements AutoCloseable {
  /** More than any server has of one model. */
  private static final int MAX_INSTANCE = 1 << 16;

  private final InputStream file;
  private final Function<ModelConfig, SchedulingSettings> settings;
  private boolean truncated;

  /**
   * Opens a file and reads its header.
   *
   * @param settings the conversion of a scheduler's settings
   * @throws DamagedJournalException if the file is not a journal of this version
   */
  public static JournalReader open(Path path, Function<ModelConfig, SchedulingSettings> settings)
      throws IOException {
    InputStream file = new BufferedInputStream(Files.newInputStream(path), 1 << 16);
    try {
      readHeader(file);
      return new JournalReader(file, settings);
    } catch (IOException unreadable) {
      file.close();
      throw unreadable;
    }
  }

  private JournalReader(InputStream file, Function<ModelConfig, SchedulingSettings> settings) {
    this.file = file;
    this.settings = settings;
  }

  private static void readHeader(InputStream file) throws IOException {
    byte[] expected = JournalWriter.HEADER;
    byte[] header = file.readNBytes(expected.length);
    int last = expected.length - 1;
    if (header.length < expected.length || !Arrays.equals(header, 0, last, expected, 0, last)) {
      throw new DamagedJournalException("it is not a journal of a scheduler");
    }
    if (header[last] != expected[last]) {
      throw new DamagedJournalException(
          "it is a journal of version %d; this server reads version %d",
          header[last], expected[last]);
    }
  }

  /**
   * Reads the next record; returns null at the end of the file, or if the last record is truncated.
   *
   * @throws DamagedJournalException if the bytes are not a record
   */
  public @Nullable JournalRecord next() throws IOException {
    int first = file.read();
    if (first < 0) {
      return null;
    }
    try {
      int size = CodedInputStream.readRawVarint32(first, file);
      if (size < 0) {
        throw new DamagedJournalException("a record has the impossible size %d", size);
      }
      byte[] message = file.readNBytes(size);
      byte[] checksum = file.readNBytes(Integer.BYTES);
      if (checksum.length == Integer.BYTES) {
        return read(message, ByteBuffer.wrap(checksum).order(ByteOrder.LITTLE_ENDIAN).getInt());
      }
    } catch (InvalidProtocolBufferException badSize) {
      if (file.read() >= 0) {
        throw new DamagedJournalException("a record has no valid size");
      }
    }
    truncated = true;
    return null;
  }

  /** Whether the file has ended within a record. */
  public boolean isTruncated() {
    return truncated;
  }

  private JournalRecord read(byte[] message, int checksum) throws DamagedJournalException {
    var actual = new CRC32C();
    actual.update(message);
    if ((int) actual.getValue() != checksum) {
      throw new DamagedJournalException("the checksum of a record is wrong");
    }
    try {
      return record(Journal.Record.parseFrom(message));
    } catch (InvalidProtocolBufferException
        | IllegalArgumentException
        | IndexOutOfBoundsException // of settings without a value that configurations must have
        | InferenceException bad) {
      throw new DamagedJournalException(
          "a record is malformed: %s", String.valueOf(bad.getMessage()));
    }
  }

  private JournalRecord record(Journal.Record message) {
    return switch (message.getKindCase()) {
      case SCHEDULER_STARTED -> started(message.getSchedulerStarted());
      case DECISION -> decision(message.getDecision());
      case INCOMPLETE ->
          new Incomplete(message.getIncomplete().getScheduler(), message.getIncomplete().getLost());
      case SCHEDULER_ENDED ->
          new SchedulerEnded(
              message.getSchedulerEnded().getScheduler(), message.getSchedulerEnded().getAtNanos());
      case CLOSED -> new Closed();
      case KIND_NOT_SET -> throw new IllegalArgumentException("unknown kind of record");
    };
  }

  private SchedulerStarted started(Journal.SchedulerStarted message) {
    SchedulingSettings recorded = settings.apply(message.getSettings());
    if (recorded instanceof EnsembleSettings) {
      throw new IllegalArgumentException("an ensemble has no scheduler that is recorded");
    }
    return new SchedulerStarted(
        message.getScheduler(),
        new ModelKey(message.getModel(), message.getVersion()),
        recorded,
        message.getMaxBatchSize(),
        message.hasBatchCost() ? costs(message.getBatchCost()) : null,
        new QueueLimits(
            message.getCapacity(),
            message.hasMaxWaitNanos() ? message.getMaxWaitNanos() : Ticket.NEVER,
            message.getMaxClientRequests(),
            message.getMaxClientSequences()),
        message.getInstances(),
        message.getHasRule(),
        message.getAtNanos());
  }

  private static BatchCostSettings costs(Journal.BatchCost message) {
    return new BatchCostSettings(
        message.getWeightInput(),
        BatchCostSettings.Kind.valueOf(message.getKind()),
        message.getMaxCost(),
        message.getMaxPaddingPercent(),
        message.getMaxReorderingMicros());
  }

  private static Decision decision(Journal.Decision message) {
    return new Decision(
        message.getScheduler(),
        message.getEntryList().stream().map(JournalReader::entry).toList(),
        message.hasWakeNanos() ? message.getWakeNanos() : Ticket.NEVER);
  }

  private static Entry entry(Journal.Entry message) {
    return switch (message.getKindCase()) {
      case AT_NANOS -> new Entry.At(message.getAtNanos());
      case ARRIVED -> arrived(message.getArrived());
      case ANNOUNCED -> new Entry.Announced(arrived(message.getAnnounced()));
      case CANCELLED -> new Entry.Cancelled(message.getCancelled());
      case RESCHEDULED -> {
        var rescheduled = message.getRescheduled();
        yield new Entry.Rescheduled(rescheduled.getTicket(), rescheduled.getBatchClass());
      }
      case READY -> new Entry.Ready(instance(message.getReady()));
      case CUT_SHORT -> new Entry.CutShort(instance(message.getCutShort()));
      case EXECUTED -> {
        var executed = message.getExecuted();
        yield new Entry.Executed(instance(executed.getInstance()), executed.getEndNanos());
      }
      case INSTANCE_ADDED -> {
        var added = message.getInstanceAdded();
        yield new Entry.InstanceAdded(instance(added.getInstance()), added.getPriority());
      }
      case INSTANCE_REMOVED -> new Entry.InstanceRemoved(instance(message.getInstanceRemoved()));
      case STOPPED -> new Entry.Stopped();
      case RULE_JOINS -> new Entry.RuleResult(message.getRuleJoins());
      case WOKEN -> new Entry.Woken(message.getWoken());
      case IDLED -> new Entry.Idled(message.getIdled());
      case DISPATCHED -> {
        var dispatched = message.getDispatched();
        var reason = DispatchReason.valueOf(dispatched.getReason());
        yield new Entry.Dispatched(dispatched.getInstance(), reason, dispatched.getTicketList());
      }
      case REJECTED -> {
        var rejected = message.getRejected();
        yield new Entry.Rejected(rejected.getTicket(), Rejection.valueOf(rejected.getRejection()));
      }
      case REFUSED -> {
        var refused = message.getRefused();
        yield new Entry.Refused(
            refused.getTicket(),
            new PredictedWait(
                refused.getWaitNanos(), refused.getLimitNanos(), refused.getRequestsAhead()));
      }
      case ENDED -> new Entry.Ended(message.getEnded());
      case FAILED -> new Entry.Failed(message.getFailed());
      case KIND_NOT_SET -> throw new IllegalArgumentException("unknown kind of entry");
    };
  }

  /** The number of an instance; a policy has an entry for each number up to it. */
  private static int instance(int number) {
    if (number < 0 || number > MAX_INSTANCE) {
      throw new IllegalArgumentException("an instance has the impossible number " + number);
    }
    return number;
  }

  private static Entry.Arrived arrived(Journal.Arrived message) {
    return new Entry.Arrived(
        message.getTicket(),
        message.getId(),
        message.getRows(),
        message.getWeight(),
        message.getArrivalNanos(),
        message.hasDeadlineNanos() ? message.getDeadlineNanos() : Ticket.NEVER,
        message.getBatchClass(),
        message.getPriority(),
        message.getTimeoutMicros(),
        switch (message.getSequenceIdCase()) {
          case SEQUENCE_NUMBER -> new SequenceId.OfNumber(message.getSequenceNumber());
          case SEQUENCE_TEXT -> new SequenceId.OfString(message.getSequenceText());
          case SEQUENCEID_NOT_SET -> SequenceId.NONE;
        },
        message.getSequenceStart(),
        message.getSequenceEnd(),
        message.getEnsembleStep(),
        message.getAnnounced(),
        message.getClient());
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
