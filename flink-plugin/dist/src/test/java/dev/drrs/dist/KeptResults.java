package dev.drrs.dist;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/** A sink that counts how often each result comes, by the job's name: the sinks run in this JVM. */
record KeptResults(String job) implements Sink<String> {

    private static final Map<String, Map<String, Integer>> OF_JOBS = new ConcurrentHashMap<>();

    /** Results to how often they came; empty for a job that has not started. */
    static Map<String, Integer> of(String job) {
        return OF_JOBS.computeIfAbsent(job, name -> new ConcurrentHashMap<>());
    }

    /** What differs, by result: how often it came instead of how often. Empty if nothing does. */
    static Map<String, String> difference(String job, Map<String, Integer> expected) {
        Map<String, Integer> came = of(job);
        Set<String> all = new TreeSet<>(came.keySet());
        all.addAll(expected.keySet());
        Map<String, String> difference = new TreeMap<>();
        for (String result : all) {
            int times = came.getOrDefault(result, 0);
            int wanted = expected.getOrDefault(result, 0);
            if (times != wanted) {
                difference.put(result, times + " times instead of " + wanted);
            }
        }
        return difference;
    }

    @Override
    public SinkWriter<String> createWriter(WriterInitContext context) {
        return new Writer(of(job));
    }

    private record Writer(Map<String, Integer> results) implements SinkWriter<String> {
        @Override
        public void write(String result, Context context) {
            results.merge(result, 1, Integer::sum);
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public void close() {}
    }
}
