/**
 * State that goes through shared storage: files, and the folders that they are in. Nothing here
 * knows of tasks or of the JobMaster.
 */
package dev.drrs.runtime.remote;
