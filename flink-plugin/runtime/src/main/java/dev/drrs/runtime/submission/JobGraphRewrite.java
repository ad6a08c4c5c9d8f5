package dev.drrs.runtime.submission;

import dev.drrs.runtime.AgentState;
import dev.drrs.runtime.DrrsOptions;
import dev.drrs.runtime.LostService;
import dev.drrs.runtime.UnknownOptions;
import dev.drrs.runtime.job.ElasticJob;
import dev.drrs.runtime.job.ElasticJobs;
import dev.drrs.runtime.job.ElasticVertex;
import dev.drrs.runtime.job.FollowerVertex;
import dev.drrs.runtime.job.RigidVertex;
import dev.drrs.runtime.job.VertexCoordinator;
import dev.drrs.runtime.request.Rescales;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobType;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.graph.ExecutionPlan;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.util.SerializedValue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a job elastic when its scheduler is created: raises the parallelism of each elastic vertex
 * to its ceiling and attaches the coordinator. A job whose plan comes again (a new leadership in
 * the same process) is found in the raised form and left so.
 *
 * <p>Runs on the thread that builds the JobMaster.
 */
public final class JobGraphRewrite {

    private static final Logger LOG = LoggerFactory.getLogger(JobGraphRewrite.class);

    /** What the job asked for, kept in the vertex, so that raising it twice is the same as once. */
    private static final ConfigOption<Integer> CONFIGURED_PARALLELISM =
            ConfigOptions.key("drrs.vertex.configured-parallelism").intType().noDefaultValue();

    private static final int DEFAULT_FACTOR = 4;
    private static final int DEFAULT_LEAST = 8;

    private JobGraphRewrite() {}

    /**
     * Called with the execution plan that a scheduler is about to be made for.
     *
     * @return the plan to go on with: a JobGraph if the job is made elastic, else the given one
     */
    public static ExecutionPlan rewrite(
            ExecutionPlan plan, Configuration cluster, ClassLoader loader) throws Exception {
        Configuration configuration = new Configuration(cluster);
        configuration.addAll(plan.getJobConfiguration());
        ElasticJob stale = ElasticJobs.get(plan.getJobID());
        if (stale != null) {
            ElasticJobs.remove(stale);
        }
        if (!configuration.get(DrrsOptions.ENABLED)) {
            return plan;
        }
        if (!AgentState.isArmed()) {
            LOG.warn(
                    "Job {} asks to be elastic, but the plug-in is not armed: {}",
                    plan.getJobID(),
                    AgentState.reason());
            return plan;
        }
        JobGraph graph =
                plan instanceof StreamGraph stream ? stream.getJobGraph(loader) : (JobGraph) plan;
        if (graph.getJobType() != JobType.STREAMING) {
            LOG.info(
                    "Job {} is a batch job and stays as it is: only streaming jobs can be elastic.",
                    graph.getJobID());
            return graph;
        }
        Map<JobVertexID, ElasticVertex> vertices = new LinkedHashMap<>();
        List<FollowerVertex> followers = new ArrayList<>();
        Map<JobVertexID, RigidVertex> rigid = new LinkedHashMap<>();
        List<JobVertex> sorted = graph.getVerticesSortedTopologicallyFromSources();
        VertexSupport support = new VertexSupport(configuration, loader);
        ChainLimits limits = new ChainLimits(plan, loader);
        VertexFunctions functions = new VertexFunctions(configuration, loader);
        Set<String> wanted = wanted(configuration);
        List<String> unknownOptions = UnknownOptions.warnings(configuration);
        for (JobVertex vertex : sorted) {
            if (!support.isKeyed(vertex)) {
                OperatorID keyed = support.keyedBehindTheHead(vertex);
                if (keyed != null) {
                    rigid.put(
                            vertex.getID(),
                            new RigidVertex(
                                    vertex, pair(vertex, keyed), support.notAtTheHead(vertex)));
                }
                continue;
            }
            OperatorIDPair head = head(vertex);
            if (!wanted.isEmpty() && !isWanted(vertex, head, wanted)) {
                rigid.put(
                        vertex.getID(),
                        new RigidVertex(vertex, head, notWanted(vertex, head, wanted)));
                continue;
            }
            ForwardGroup group = new ForwardGroup(vertex, sorted, support, loader);
            String fault =
                    Optional.ofNullable(support.fault(vertex))
                            .or(() -> Optional.ofNullable(group.fault()))
                            .or(() -> Optional.ofNullable(limits.fault(group.members())))
                            .or(() -> Optional.ofNullable(functions.reopenFault(vertex, head)))
                            .or(() -> Optional.ofNullable(LostService.fault(configuration)))
                            .orElse(null);
            if (fault != null) {
                rigid.put(vertex.getID(), new RigidVertex(vertex, head, fault));
                LOG.info(
                        "Vertex {} of job {} is not elastic: {}",
                        vertex.getName(),
                        graph.getJobID(),
                        fault);
                continue;
            }
            int ceiling = ceiling(group.members(), limits, configuration);
            ElasticVertex elastic = lead(vertex, head, ceiling);
            List<String> warnings = new ArrayList<>(functions.warnings(vertex, head));
            warnings.addAll(unknownOptions);
            elastic.functions(functions.reopens(vertex, head), warnings);
            vertices.put(vertex.getID(), elastic);
            for (JobVertex follower : group.followers()) {
                followers.add(follow(follower, head(follower), elastic));
            }
        }
        ElasticJob job =
                new ElasticJob(graph, configuration, vertices, followers, rigid, Rescales::new);
        ElasticJobs.put(job);
        LOG.info(
                "Job {} is elastic in {} of its vertices: {}",
                graph.getJobID(),
                vertices.size(),
                job.describe());
        return graph;
    }

    /** The job runs under the adaptive scheduler, which the plug-in leaves alone. */
    public static void adaptive(ExecutionPlan plan, Configuration cluster) {
        Configuration configuration = new Configuration(cluster);
        configuration.addAll(plan.getJobConfiguration());
        if (configuration.get(DrrsOptions.ENABLED)) {
            LOG.info(
                    "Job {} runs under the adaptive scheduler and stays as it is; set jobmanager.scheduler to default.",
                    plan.getJobID());
        }
    }

    private static Set<String> wanted(Configuration configuration) {
        String list = configuration.get(DrrsOptions.OPERATORS).trim();
        if (list.equals("*")) {
            return Set.of();
        }
        return new HashSet<>(
                Arrays.stream(list.split(";"))
                        .map(String::trim)
                        .filter(s -> !s.isEmpty())
                        .toList());
    }

    private static boolean isWanted(JobVertex vertex, OperatorIDPair head, Set<String> wanted) {
        return wanted.contains(vertex.getName())
                || wanted.contains(String.valueOf(head.getUserDefinedOperatorUid()))
                || wanted.contains(String.valueOf(head.getUserDefinedOperatorName()));
    }

    private static String notWanted(JobVertex vertex, OperatorIDPair head, Set<String> wanted) {
        for (OperatorIDPair chained : vertex.getOperatorIDs()) {
            if (isWanted(vertex, chained, wanted)) {
                return "drrs.operators of this job names "
                        + nameOf(chained)
                        + ", which is chained behind a keyed operator: name the one at the head, "
                        + nameOf(head);
            }
        }
        return "it is not in the list drrs.operators of this job";
    }

    private static String nameOf(OperatorIDPair operator) {
        return operator.getUserDefinedOperatorUid() != null
                ? operator.getUserDefinedOperatorUid()
                : operator.getUserDefinedOperatorName();
    }

    private static OperatorIDPair head(JobVertex vertex) {
        return pair(vertex, new StreamConfig(vertex.getConfiguration()).getOperatorID());
    }

    private static OperatorIDPair pair(JobVertex vertex, OperatorID id) {
        List<OperatorIDPair> chain = vertex.getOperatorIDs();
        for (OperatorIDPair pair : chain) {
            if (pair.getGeneratedOperatorID().equals(id)) {
                return pair;
            }
        }
        return chain.get(chain.size() - 1);
    }

    /** Of all operators of a group: the least of their max parallelisms bounds it. */
    private static int ceiling(
            List<JobVertex> members, ChainLimits limits, Configuration configuration) {
        int parallelism = configuredParallelism(members.get(0));
        int max =
                members.stream()
                        .mapToInt(
                                member ->
                                        Math.min(
                                                maxParallelism(member),
                                                limits.of(member)
                                                        .map(ChainLimits.Limit::maxParallelism)
                                                        .orElse(Integer.MAX_VALUE)))
                        .min()
                        .orElseThrow();
        int ceiling =
                configuration
                        .getOptional(DrrsOptions.CEILING)
                        .orElse(Math.max(DEFAULT_FACTOR * parallelism, DEFAULT_LEAST));
        return Math.max(parallelism, Math.min(ceiling, max));
    }

    private static int configuredParallelism(JobVertex vertex) {
        return vertex.getConfiguration()
                .getOptional(CONFIGURED_PARALLELISM)
                .orElse(vertex.getParallelism());
    }

    private static int maxParallelism(JobVertex vertex) {
        int max = vertex.getMaxParallelism();
        return max == JobVertex.MAX_PARALLELISM_DEFAULT
                ? KeyGroupRangeAssignment.computeDefaultMaxParallelism(
                        configuredParallelism(vertex))
                : max;
    }

    private static ElasticVertex lead(JobVertex vertex, OperatorIDPair head, int ceiling)
            throws IOException {
        OperatorID operator = head.getGeneratedOperatorID();
        ElasticVertex elastic =
                new ElasticVertex(
                        vertex.getID(),
                        operator,
                        head.getUserDefinedOperatorUid(),
                        RigidVertex.nameOf(vertex, head),
                        configuredParallelism(vertex),
                        ceiling,
                        maxParallelism(vertex));
        if (raise(vertex, ceiling)) {
            OperatorCoordinator.Provider provider =
                    new VertexCoordinator.Provider(operator, vertex.getID());
            vertex.addOperatorCoordinator(new SerializedValue<>(provider));
        }
        return elastic;
    }

    private static FollowerVertex follow(
            JobVertex vertex, OperatorIDPair head, ElasticVertex leader) {
        FollowerVertex follower =
                new FollowerVertex(
                        vertex.getID(),
                        head.getGeneratedOperatorID(),
                        head.getUserDefinedOperatorUid(),
                        RigidVertex.nameOf(vertex, head),
                        maxParallelism(vertex),
                        leader);
        raise(vertex, leader.ceiling());
        return follower;
    }

    /** False if it was done before. */
    private static boolean raise(JobVertex vertex, int ceiling) {
        if (vertex.getConfiguration().contains(CONFIGURED_PARALLELISM)) {
            return false;
        }
        vertex.getConfiguration().set(CONFIGURED_PARALLELISM, vertex.getParallelism());
        vertex.setParallelism(ceiling);
        return true;
    }
}
