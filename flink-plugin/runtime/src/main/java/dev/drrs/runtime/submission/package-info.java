/** What becomes of a job graph at submission: which vertices are elastic, which are not and why. */
package dev.drrs.runtime.submission;
