/**
 * What calls of gRPC have in common, whatever their method: their admission, restricted APIs, the
 * access log, the memory of their messages, and failures as statuses. Runs on Netty's event loops,
 * and on the threads that answer. Read {@link io.nereid.server.grpc.call.CallAdmission} first.
 */
@NullMarked
package io.nereid.server.grpc.call;

import org.jspecify.annotations.NullMarked;
