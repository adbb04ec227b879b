/**
 * Files of traces, in Triton's JSON format. Knows no request and no protocol. One thread writes.
 * Read {@link io.nereid.engine.telemetry.trace.file.TraceWriter} first.
 */
@NullMarked
package io.nereid.engine.telemetry.trace.file;

import org.jspecify.annotations.NullMarked;
