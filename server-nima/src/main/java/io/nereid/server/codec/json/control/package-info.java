/**
 * The bodies of REST that have no tensors: settings of the log and of traces, shared memory, the
 * model repository, statistics. Runs on the connection's thread, and on threads of long work. Read
 * {@link io.nereid.server.codec.json.control.JsonBody} first.
 */
@NullMarked
package io.nereid.server.codec.json.control;

import org.jspecify.annotations.NullMarked;
