/**
 * When requests of a load are due: by a closed loop, at a rate, or in steps of rates. Knows no
 * protocol and no server. In an open loop the thread of the {@link
 * io.nereid.tools.load.arrival.ArrivalGenerator} adds requests to the queue, and the thread of the
 * load takes them.
 */
@NullMarked
package io.nereid.tools.load.arrival;

import org.jspecify.annotations.NullMarked;
