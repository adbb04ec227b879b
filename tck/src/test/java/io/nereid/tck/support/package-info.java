/** Tools of the TCK's own tests. Read {@link io.nereid.tck.support.Launched} first. */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.support;
