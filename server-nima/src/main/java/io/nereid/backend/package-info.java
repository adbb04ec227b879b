/**
 * Finds backends: on the class path, and in folders of jars that each get a class loader of their
 * own. Knows nothing of models. Read {@link io.nereid.backend.BackendCatalog} first.
 */
@NullMarked
package io.nereid.backend;

import org.jspecify.annotations.NullMarked;
