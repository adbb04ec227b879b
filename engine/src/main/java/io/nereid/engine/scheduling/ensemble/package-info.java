/**
 * Ensembles: the execution of a request by the models that its ensemble is composed of. Knows no
 * wire form and no repository: {@link io.nereid.engine.call.CalledModel} is the part of the engine
 * that it uses. Has no thread: the thread that reports an event, of a connection or an instance,
 * handles it. Read {@link io.nereid.engine.scheduling.ensemble.EnsembleScheduler} first, then
 * {@link io.nereid.engine.scheduling.ensemble.EnsembleRun}.
 */
@NullMarked
package io.nereid.engine.scheduling.ensemble;

import org.jspecify.annotations.NullMarked;
