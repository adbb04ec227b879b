/**
 * The load of the server, for balancers that choose among servers: what it will take to answer a
 * request that comes now. Nothing is measured while no one asks. {@link LoadMeter} is read first;
 * its thread does all work. Knows no protocol.
 */
@NullMarked
package io.nereid.engine.utilization;

import org.jspecify.annotations.NullMarked;
