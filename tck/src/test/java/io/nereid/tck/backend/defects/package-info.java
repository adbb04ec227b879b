/**
 * Backends with one planted defect each, which the verifications must see, and correct ones that
 * they must not fail. Read {@link io.nereid.tck.backend.defects.Specimen} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.backend.defects;
