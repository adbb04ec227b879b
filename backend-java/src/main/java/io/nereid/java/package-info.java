/**
 * What authors of Java models use. A class that implements {@link io.nereid.java.JavaModel}, as
 * source, class or jar in a version's folder, is a model of the backend {@code java}. Nothing here
 * knows how such a class is found or executed. Read {@link io.nereid.java.JavaModel} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.java;
