/**
 * Verifications of ensembles: which of them load, which steps are executed, and what limits them.
 * The models of the steps have gates; an ensemble has none. Read {@link
 * io.nereid.tck.scheduler.ensemble.EnsembleStepsVerification} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.scheduler.ensemble;
