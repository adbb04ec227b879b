/**
 * Randomized tests of scheduling policies. A seed gives a configuration and a sequence of events.
 * The policy and a reference model, which shares only the tickets with it, receive the same events
 * and must take the same actions at the same times. A failing scenario is shortened before it is
 * printed. Read {@link io.nereid.engine.scheduling.policy.simulation.Simulation} first.
 */
@NullMarked
package io.nereid.engine.scheduling.policy.simulation;

import org.jspecify.annotations.NullMarked;
