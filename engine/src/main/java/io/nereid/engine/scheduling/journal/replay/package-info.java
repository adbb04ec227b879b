/**
 * The replay of a scheduler journal: creates the policies again, passes the recorded events to
 * them, and compares and explains their decisions. Runs on the thread of the command line. Read
 * {@link io.nereid.engine.scheduling.journal.replay.Replay} first.
 */
@NullMarked
package io.nereid.engine.scheduling.journal.replay;

import org.jspecify.annotations.NullMarked;
