/**
 * Local copies of objects: downloads that are resumed and verified, a directory in which contents
 * are kept by their hashes, and snapshots of directories made of links to them. Knows nothing of
 * models. Called by the threads that load models. Read {@link
 * io.nereid.engine.model.repository.cache.ObjectCache} first.
 */
@NullMarked
package io.nereid.engine.model.repository.cache;

import org.jspecify.annotations.NullMarked;
