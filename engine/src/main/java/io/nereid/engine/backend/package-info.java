/**
 * The backends that the server has found, and those that are open. Knows nothing of models. Called
 * by the threads that load models. Read {@link io.nereid.engine.backend.BackendCatalog} first.
 */
@NullMarked
package io.nereid.engine.backend;

import org.jspecify.annotations.NullMarked;
