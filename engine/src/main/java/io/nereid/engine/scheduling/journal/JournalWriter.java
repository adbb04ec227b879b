package io.nereid.engine.scheduling.journal;

import com.google.protobuf.CodedOutputStream;
import io.nereid.config.BatchCostSettings;
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
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.request.SequenceId;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.function.Function;
import java.util.zip.CRC32C;

/** Writes a journal in the format of {@code scheduler_journal.proto}, buffered. For one thread. */
public final class JournalWriter {
  /** The first bytes of a file; the last one is the version of the format. */
  static final byte[] HEADER = {'n', 'e', 'r', 'e', 'i', 'd', 'J', 7};

  private static final int BUFFER_SIZE = 1 << 16;

  private final CodedOutputStream file;
  private final Function<SchedulingSettings, ModelConfig> settings;

  /**
   * Writes the header to the file.
   *
   * @param file not closed by the writer
   * @param settings the conversion of a scheduler's settings
   */
  public JournalWriter(OutputStream file, Function<SchedulingSettings, ModelConfig> settings)
      throws IOException {
    this.file = CodedOutputStream.newInstance(file, BUFFER_SIZE);
    this.settings = settings;
    this.file.writeRawBytes(HEADER);
    this.file.flush();
  }

  /** Adds a record to the buffer, and writes the buffer to the file if it is full. */
  public void write(JournalRecord record) throws IOException {
    byte[] message = message(record).toByteArray();
    var checksum = new CRC32C();
    checksum.update(message);
    file.writeUInt32NoTag(message.length);
    file.writeRawBytes(message);
    file.writeFixed32NoTag((int) checksum.getValue());
  }

  /** Writes the buffer to the file. */
  public void flush() throws IOException {
    file.flush();
  }

  private Journal.Record message(JournalRecord record) {
    var message = Journal.Record.newBuilder();
    return switch (record) {
      case SchedulerStarted started -> message.setSchedulerStarted(message(started)).build();
      case Decision decision -> message.setDecision(message(decision)).build();
      case Incomplete(int scheduler, long lost) ->
          message
              .setIncomplete(Journal.Incomplete.newBuilder().setScheduler(scheduler).setLost(lost))
              .build();
      case SchedulerEnded(int scheduler, long nanos) ->
          message
              .setSchedulerEnded(
                  Journal.SchedulerEnded.newBuilder().setScheduler(scheduler).setAtNanos(nanos))
              .build();
      case Closed() -> message.setClosed(Journal.Closed.getDefaultInstance()).build();
    };
  }

  private Journal.SchedulerStarted.Builder message(SchedulerStarted started) {
    var message = Journal.SchedulerStarted.newBuilder();
    if (started.limits().maxWaitNanos() != Ticket.NEVER) {
      message.setMaxWaitNanos(started.limits().maxWaitNanos());
    }
    if (started.costs() != null) {
      message.setBatchCost(message(started.costs()));
    }
    return message
        .setScheduler(started.scheduler())
        .setModel(started.model().name())
        .setVersion(started.model().version())
        .setSettings(settings.apply(started.settings()))
        .setMaxBatchSize(started.maxBatchSize())
        .setCapacity(started.limits().requests())
        .setMaxClientRequests(started.limits().clientRequests())
        .setMaxClientSequences(started.limits().clientSequences())
        .setInstances(started.instances())
        .setHasRule(started.hasRule())
        .setAtNanos(started.nanos());
  }

  private static Journal.BatchCost.Builder message(BatchCostSettings costs) {
    return Journal.BatchCost.newBuilder()
        .setWeightInput(costs.weightInput())
        .setKind(costs.kind().name())
        .setMaxCost(costs.maxCost())
        .setMaxPaddingPercent(costs.maxPaddingPercent())
        .setMaxReorderingMicros(costs.maxReorderingMicros());
  }

  private static Journal.Decision.Builder message(Decision decision) {
    var message = Journal.Decision.newBuilder().setScheduler(decision.scheduler());
    decision.entries().forEach(entry -> message.addEntry(message(entry)));
    if (decision.wakeNanos() != Ticket.NEVER) {
      message.setWakeNanos(decision.wakeNanos());
    }
    return message;
  }

  private static Journal.Entry.Builder message(Entry entry) {
    var message = Journal.Entry.newBuilder();
    return switch (entry) {
      case Entry.At(long nanos) -> message.setAtNanos(nanos);
      case Entry.Arrived arrived -> message.setArrived(message(arrived));
      case Entry.Announced(Entry.Arrived head) -> message.setAnnounced(message(head));
      case Entry.Cancelled(long ticket) -> message.setCancelled(ticket);
      case Entry.Rescheduled(long ticket, int batchClass) ->
          message.setRescheduled(
              Journal.Rescheduled.newBuilder().setTicket(ticket).setBatchClass(batchClass));
      case Entry.Ready(int instance) -> message.setReady(instance);
      case Entry.CutShort(int instance) -> message.setCutShort(instance);
      case Entry.Executed(int instance, long endNanos) ->
          message.setExecuted(
              Journal.Executed.newBuilder().setInstance(instance).setEndNanos(endNanos));
      case Entry.InstanceAdded(int instance, long priority) ->
          message.setInstanceAdded(
              Journal.InstanceAdded.newBuilder().setInstance(instance).setPriority(priority));
      case Entry.InstanceRemoved(int instance) -> message.setInstanceRemoved(instance);
      case Entry.Stopped() -> message.setStopped(true);
      case Entry.RuleResult(boolean joins) -> message.setRuleJoins(joins);
      case Entry.Woken(int instance) -> message.setWoken(instance);
      case Entry.Idled(int instance) -> message.setIdled(instance);
      case Entry.Dispatched(int instance, DispatchReason reason, List<Long> tickets) ->
          message.setDispatched(
              Journal.Dispatched.newBuilder()
                  .setInstance(instance)
                  .setReason(reason.name())
                  .addAllTicket(tickets));
      case Entry.Rejected(long ticket, Rejection rejection) ->
          message.setRejected(
              Journal.Rejected.newBuilder().setTicket(ticket).setRejection(rejection.name()));
      case Entry.Refused(long ticket, PredictedWait wait) ->
          message.setRefused(
              Journal.Refused.newBuilder()
                  .setTicket(ticket)
                  .setWaitNanos(wait.nanos())
                  .setLimitNanos(wait.limitNanos())
                  .setRequestsAhead(wait.requestsAhead()));
      case Entry.Ended(long firstTicket) -> message.setEnded(firstTicket);
      case Entry.Failed(String exception) -> message.setFailed(exception);
    };
  }

  private static Journal.Arrived.Builder message(Entry.Arrived arrived) {
    var message =
        Journal.Arrived.newBuilder()
            .setTicket(arrived.ticket())
            .setId(arrived.id())
            .setRows(arrived.rows())
            .setWeight(arrived.weight())
            .setArrivalNanos(arrived.arrivalNanos())
            .setBatchClass(arrived.batchClass())
            .setPriority(arrived.priority())
            .setTimeoutMicros(arrived.timeoutMicros())
            .setSequenceStart(arrived.sequenceStart())
            .setSequenceEnd(arrived.sequenceEnd())
            .setEnsembleStep(arrived.ensembleStep())
            .setAnnounced(arrived.announced())
            .setClient(arrived.client());
    if (arrived.deadlineNanos() != Ticket.NEVER) {
      message.setDeadlineNanos(arrived.deadlineNanos());
    }
    if (!arrived.sequenceId().equals(SequenceId.NONE)) {
      switch (arrived.sequenceId()) {
        case SequenceId.OfNumber(long value) -> message.setSequenceNumber(value);
        case SequenceId.OfString(String value) -> message.setSequenceText(value);
      }
    }
    return message;
  }
}
