/**
 * Traces of requests: which requests are sampled, by settings that clients change, and what is
 * recorded of them. Knows no file and no wire form. A traced request records itself on the threads
 * that serve it. Read {@link io.nereid.engine.telemetry.trace.Tracer} first.
 */
@NullMarked
package io.nereid.engine.telemetry.trace;

import org.jspecify.annotations.NullMarked;
