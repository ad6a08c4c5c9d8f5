package dev.drrs.dist;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The output is exact with this feature; read from the source by the generator of {@code
 * docs/support-matrix.md}, which wants a test method after it.
 */
@Retention(RetentionPolicy.SOURCE)
@Target(ElementType.METHOD)
@Repeatable(Covers.All.class)
@interface Covers {

    /** {@code group: name}, with a group of {@code tests/support/harness/features.py}. */
    String value();

    /** Parallelisms the test goes through, in order. */
    int[] path() default {};

    /** Several on one test. */
    @Retention(RetentionPolicy.SOURCE)
    @Target(ElementType.METHOD)
    @interface All {
        /** All of them. */
        Covers[] value();
    }
}
