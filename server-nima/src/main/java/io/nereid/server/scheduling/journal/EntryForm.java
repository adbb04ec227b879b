package io.nereid.server.scheduling.journal;

import io.nereid.request.SequenceId;
import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.policy.DispatchReason;
import io.nereid.server.scheduling.policy.Rejection;
import java.util.ArrayList;
import java.util.List;

/** The entries of one decision in a journal: a number for the kind, then its fields. */
final class EntryForm {
  private static final int AT = 0;
  private static final int ARRIVED = 1;
  private static final int CANCELLED = 2;
  private static final int RESCHEDULED = 3;
  private static final int EXECUTED = 4;
  private static final int INSTANCE_ADDED = 5;
  private static final int INSTANCE_REMOVED = 6;
  private static final int STOPPED = 7;
  private static final int DISPATCHED = 8;
  private static final int REJECTED = 9;
  private static final int ENDED = 10;
  private static final int FAILED = 11;
  private static final int JOINS = 12;
  private static final int STAYS_OUT = 13;
  private static final int READY = 14;
  private static final int CALLED = 15;
  private static final int RESTED = 16;
  private static final int KINDS = 17;

  /** Bits of an arrival that say which fields follow, and three that are fields. */
  private static final int START = 1;

  private static final int END = 2;
  private static final int PRIORITY = 4;
  private static final int TIMEOUT = 8;
  private static final int DEADLINE = 16;
  private static final int SEQUENCE_NUMBER = 32;
  private static final int SEQUENCE_TEXT = 64;
  private static final int STEP = 128;
  private static final int ALL_BITS = 256;

  /** Times of a decision are written as differences to this one. */
  private long time;

  void write(Entry entry, JournalBytes bytes) {
    switch (entry) {
      case Entry.At(long nanos) -> {
        write(bytes, AT, nanos);
        time = nanos;
      }
      case Entry.Arrived arrived -> write(arrived, bytes);
      case Entry.Cancelled(long ticket) -> write(bytes, CANCELLED, ticket);
      case Entry.Rescheduled(long ticket, int batchClass) ->
          write(bytes, RESCHEDULED, ticket, batchClass);
      case Entry.Ready(int instance) -> write(bytes, READY, instance);
      case Entry.Executed(int instance, long endNanos) -> {
        write(bytes, EXECUTED, instance);
        bytes.difference(endNanos - time);
      }
      case Entry.InstanceAdded(int instance, long priority) ->
          write(bytes, INSTANCE_ADDED, instance, priority);
      case Entry.InstanceRemoved(int instance) -> write(bytes, INSTANCE_REMOVED, instance);
      case Entry.Stopped() -> bytes.number(STOPPED);
      case Entry.RuleAnswer(boolean joins) -> bytes.number(joins ? JOINS : STAYS_OUT);
      case Entry.Called(int instance) -> write(bytes, CALLED, instance);
      case Entry.Rested(int instance) -> write(bytes, RESTED, instance);
      case Entry.Dispatched(int instance, DispatchReason reason, List<Long> tickets) -> {
        write(bytes, DISPATCHED, instance);
        bytes.text(reason.name());
        bytes.number(tickets.size());
        tickets.forEach(bytes::number);
      }
      case Entry.Rejected(long ticket, Rejection rejection) -> {
        write(bytes, REJECTED, ticket);
        bytes.text(rejection.name());
      }
      case Entry.Ended(long firstTicket) -> write(bytes, ENDED, firstTicket);
      case Entry.Failed(String exception) -> {
        bytes.number(FAILED);
        bytes.text(exception);
      }
    }
  }

  private static void write(JournalBytes bytes, long... numbers) {
    for (long number : numbers) {
      bytes.number(number);
    }
  }

  private void write(Entry.Arrived arrived, JournalBytes bytes) {
    int bits = arrived.sequenceStart() ? START : 0;
    bits |= arrived.sequenceEnd() ? END : 0;
    bits |= arrived.ensembleStep() ? STEP : 0;
    bits |= arrived.priority() != 0 ? PRIORITY : 0;
    bits |= arrived.timeoutMicros() != 0 ? TIMEOUT : 0;
    bits |= arrived.deadlineNanos() != Ticket.NEVER ? DEADLINE : 0;
    bits |=
        switch (arrived.sequenceId()) {
          case SequenceId.OfNumber(long value) -> value == 0 ? 0 : SEQUENCE_NUMBER;
          case SequenceId.OfString _ -> SEQUENCE_TEXT;
        };
    write(bytes, ARRIVED, bits, arrived.ticket(), arrived.rows());
    bytes.difference(arrived.arrivalNanos() - time);
    bytes.number(arrived.batchClass());
    bytes.text(arrived.id());
    if ((bits & PRIORITY) != 0) {
      bytes.number(arrived.priority());
    }
    if ((bits & TIMEOUT) != 0) {
      bytes.number(arrived.timeoutMicros());
    }
    if ((bits & DEADLINE) != 0) {
      bytes.difference(arrived.deadlineNanos() - time);
    }
    switch (arrived.sequenceId()) {
      case SequenceId.OfNumber(long value) -> {
        if (value != 0) {
          bytes.number(value);
        }
      }
      case SequenceId.OfString(String value) -> bytes.text(value);
    }
  }

  Entry read(Frame frame) throws DamagedJournalException {
    return switch (frame.number(KINDS)) {
      case AT -> {
        time = frame.number();
        yield new Entry.At(time);
      }
      case ARRIVED -> arrived(frame);
      case CANCELLED -> new Entry.Cancelled(frame.number());
      case RESCHEDULED -> new Entry.Rescheduled(frame.number(), frame.count());
      case READY -> new Entry.Ready(frame.count());
      case EXECUTED -> new Entry.Executed(frame.count(), time + frame.difference());
      case INSTANCE_ADDED -> new Entry.InstanceAdded(frame.count(), frame.number());
      case INSTANCE_REMOVED -> new Entry.InstanceRemoved(frame.count());
      case STOPPED -> new Entry.Stopped();
      case CALLED -> new Entry.Called(frame.count());
      case RESTED -> new Entry.Rested(frame.count());
      case DISPATCHED -> dispatched(frame);
      case REJECTED -> new Entry.Rejected(frame.number(), frame.constant(Rejection.class));
      case ENDED -> new Entry.Ended(frame.number());
      case FAILED -> new Entry.Failed(frame.text());
      case JOINS -> new Entry.RuleAnswer(true);
      default -> new Entry.RuleAnswer(false);
    };
  }

  private Entry arrived(Frame frame) throws DamagedJournalException {
    int bits = frame.number(ALL_BITS);
    long ticket = frame.number();
    long rows = frame.number();
    long arrivalNanos = time + frame.difference();
    int batchClass = frame.count();
    String id = frame.text();
    long priority = (bits & PRIORITY) == 0 ? 0 : frame.number();
    long timeoutMicros = (bits & TIMEOUT) == 0 ? 0 : frame.number();
    long deadlineNanos = (bits & DEADLINE) == 0 ? Ticket.NEVER : time + frame.difference();
    SequenceId sequenceId = SequenceId.NONE;
    if ((bits & SEQUENCE_NUMBER) != 0) {
      sequenceId = new SequenceId.OfNumber(frame.number());
    } else if ((bits & SEQUENCE_TEXT) != 0) {
      sequenceId = new SequenceId.OfString(frame.text());
    }
    return new Entry.Arrived(
        ticket,
        id,
        rows,
        arrivalNanos,
        deadlineNanos,
        batchClass,
        priority,
        timeoutMicros,
        sequenceId,
        (bits & START) != 0,
        (bits & END) != 0,
        (bits & STEP) != 0);
  }

  private static Entry dispatched(Frame frame) throws DamagedJournalException {
    int instance = frame.count();
    DispatchReason reason = frame.constant(DispatchReason.class);
    List<Long> tickets = new ArrayList<>();
    for (int i = frame.count(); i > 0; i--) {
      tickets.add(frame.number());
    }
    return new Entry.Dispatched(instance, reason, tickets);
  }
}
