/**
 * The replay of a scheduler journal: builds the policies again, tells them the recorded events,
 * compares and describes what they decide. Runs on the thread of the command line. Read {@link
 * io.nereid.server.scheduling.journal.replay.Replay} first.
 */
@NullMarked
package io.nereid.server.scheduling.journal.replay;

import org.jspecify.annotations.NullMarked;
