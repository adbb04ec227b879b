/** Servers whose requests wait: queues, limits, deadlines, shares of clients and resources. */
@NullMarked
package io.nereid.server.scheduling;

import org.jspecify.annotations.NullMarked;
