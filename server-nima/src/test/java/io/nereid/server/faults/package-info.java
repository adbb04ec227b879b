/**
 * A server with one fault of a table: proxies for HTTP and gRPC in front of a good one, which show
 * that the TCK's rules for servers can fail. Read {@link io.nereid.server.faults.Fault} first.
 */
@NullMarked
package io.nereid.server.faults;

import org.jspecify.annotations.NullMarked;
