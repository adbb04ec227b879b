/**
 * A plain server of the model repository extension, its defects, and the verifications that catch
 * them. Read {@link BrokenModelControlTest}.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.repository;
