/**
 * The graph of an ensemble: its steps, the tensors between them, and the check against its models.
 * Values, made when the ensemble is loaded. Read {@link
 * io.nereid.engine.scheduling.ensemble.graph.EnsembleGraph} first.
 */
@NullMarked
package io.nereid.engine.scheduling.ensemble.graph;

import org.jspecify.annotations.NullMarked;
