/**
 * Discovery of backends: on the class path, and in folders of jars, each with a class loader of its
 * own. Knows nothing of models. Called by the threads that load models. Read {@link
 * io.nereid.server.backend.BackendCatalog} first.
 */
@NullMarked
package io.nereid.server.backend;

import org.jspecify.annotations.NullMarked;
