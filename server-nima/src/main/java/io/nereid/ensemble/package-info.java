/**
 * Models that run one behind the other as one: the graph of an ensemble, and the way of a request
 * through it. Knows no wire form and no repository: the models that an ensemble is composed of are
 * {@link io.nereid.ensemble.ComposingModel}s. Has no thread of its own: whoever brings an event, a
 * connection or an instance, carries the request on. Read {@link
 * io.nereid.ensemble.EnsembleScheduler} first, then {@link io.nereid.ensemble.EnsembleRun}.
 */
@NullMarked
package io.nereid.ensemble;

import org.jspecify.annotations.NullMarked;
