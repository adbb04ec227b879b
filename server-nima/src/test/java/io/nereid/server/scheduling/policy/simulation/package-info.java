/**
 * Schedulers put to the test by chance. From a seed come a configuration and a course of events;
 * the policy and a naive model of the specification, which shares nothing with it but the tickets,
 * live through it side by side, and must take the same steps at the same times. A course that shows
 * a difference is shortened before it is printed. Read {@link
 * io.nereid.server.scheduling.policy.simulation.Simulation} first.
 */
@NullMarked
package io.nereid.server.scheduling.policy.simulation;

import org.jspecify.annotations.NullMarked;
