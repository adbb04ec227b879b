/**
 * Decisions of schedulers, written down and made again. {@link io.nereid.journal.SchedulerJournal}
 * writes what policies are told and what they decide; {@link io.nereid.journal.Replay} rebuilds the
 * policies from such a file, tells them the same, and compares. Knows policies, and nothing of
 * requests, models or instances. Schedulers hand over what they decided by a ring, and a thread of
 * the journal writes it. Read {@link io.nereid.journal.JournalRecord} first.
 */
@NullMarked
package io.nereid.journal;

import org.jspecify.annotations.NullMarked;
