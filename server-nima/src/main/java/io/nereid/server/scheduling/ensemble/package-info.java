/**
 * Ensembles: a request's way through the models that its ensemble is composed of. Knows no wire
 * form and no repository: the models are {@link
 * io.nereid.server.scheduling.ensemble.ComposingModel}s. Has no thread: the thread that reports an
 * event, of a connection or an instance, carries the request on. Read {@link
 * io.nereid.server.scheduling.ensemble.EnsembleScheduler} first, then {@link
 * io.nereid.server.scheduling.ensemble.EnsembleRun}.
 */
@NullMarked
package io.nereid.server.scheduling.ensemble;

import org.jspecify.annotations.NullMarked;
