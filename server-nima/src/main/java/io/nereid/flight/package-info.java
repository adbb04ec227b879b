/**
 * What the server tells Java Flight Recorder: events of the category {@code Nereid}. Knows nothing
 * of whoever tells it. While nothing is recorded, an event costs a check that the compiler turns
 * into a constant: the JDK gives event classes their code only once a recording starts. Read {@link
 * io.nereid.flight.BatchFormedEvent} first.
 */
@NullMarked
package io.nereid.flight;

import org.jspecify.annotations.NullMarked;
