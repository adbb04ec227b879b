/**
 * The methods of all that is no inference, as rows of a table: metadata, statistics, settings,
 * shared memory, the model repository, health and the load. An event loop answers; calls that load
 * or list models block, on virtual threads. Read {@link io.nereid.server.grpc.control.PlainMethods}
 * first.
 */
@NullMarked
package io.nereid.server.grpc.control;

import org.jspecify.annotations.NullMarked;
