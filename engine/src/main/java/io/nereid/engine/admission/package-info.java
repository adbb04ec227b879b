/**
 * The single entry point for requests: model look-up, validation, admission. Front ends, steps of
 * ensembles and programs that embed the engine all use it. Knows no wire form. Runs on the thread
 * that submits a request and never blocks. Read {@link io.nereid.engine.admission.RequestAdmission}
 * first.
 */
@NullMarked
package io.nereid.engine.admission;

import org.jspecify.annotations.NullMarked;
