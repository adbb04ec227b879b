/**
 * Loads one version of a model: backend, completed configuration, warm instances and scheduler, or
 * the graph of an ensemble. Does not know which versions are to serve, and writes no registry. Runs
 * on the threads that load models. Read {@link io.nereid.engine.model.loading.ModelLoader} first,
 * then {@link io.nereid.engine.model.loading.EnsembleLoader}.
 */
@NullMarked
package io.nereid.engine.model.loading;

import org.jspecify.annotations.NullMarked;
