/**
 * The options of what clients connect to: where HTTP, gRPC, metrics and other front ends are
 * served, their limits, TLS, and restricted APIs. A class for each topic.
 */
@NullMarked
package io.nereid.server.options.frontend;

import org.jspecify.annotations.NullMarked;
