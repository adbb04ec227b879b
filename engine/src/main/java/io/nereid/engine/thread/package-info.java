/**
 * What keeps the server's own threads at work: no failure of one of them may end it. Knows nothing
 * of what they do. Read {@link io.nereid.engine.thread.ThreadGuard} first.
 */
@NullMarked
package io.nereid.engine.thread;

import org.jspecify.annotations.NullMarked;
