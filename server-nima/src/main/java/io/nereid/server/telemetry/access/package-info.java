/**
 * The access log: one line of JSON for each request of both protocols, written by a thread of its
 * own. Knows no protocol and no model. Front ends fill entries in; a server without an access log
 * makes none. Read {@link io.nereid.server.telemetry.access.AccessLog} first.
 */
@NullMarked
package io.nereid.server.telemetry.access;

import org.jspecify.annotations.NullMarked;
