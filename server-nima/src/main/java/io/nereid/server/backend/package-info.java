/**
 * The backends that the server has found, and those that are open. Knows nothing of models. Called
 * by the threads that load models. Read {@link io.nereid.server.backend.BackendCatalog} first.
 */
@NullMarked
package io.nereid.server.backend;

import org.jspecify.annotations.NullMarked;
