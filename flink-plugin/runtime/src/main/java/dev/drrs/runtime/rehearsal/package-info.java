/**
 * What a rescale will need is loaded and run once in each TaskManager and in the JobManager, before
 * one is asked for: how that goes, and how it gives way. What is run comes from those who know it.
 */
package dev.drrs.runtime.rehearsal;
