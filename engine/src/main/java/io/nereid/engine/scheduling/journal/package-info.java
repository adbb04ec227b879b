/**
 * The scheduler journal: {@link io.nereid.engine.scheduling.journal.SchedulerJournal} writes the
 * events and actions of policies to a file. Knows policies, and nothing of requests, models or
 * instances. Schedulers publish their decisions to a ring, and a thread of the journal writes them.
 * Read {@link io.nereid.engine.scheduling.journal.JournalRecord} first.
 */
@NullMarked
package io.nereid.engine.scheduling.journal;

import org.jspecify.annotations.NullMarked;
