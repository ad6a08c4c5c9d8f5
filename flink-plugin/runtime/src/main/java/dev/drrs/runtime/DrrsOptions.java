package dev.drrs.runtime;

import static org.apache.flink.configuration.ConfigOptions.key;

import dev.drrs.protocol.DrrsStrategy;
import dev.drrs.protocol.LazyStrategy;
import dev.drrs.protocol.MecesStrategy;
import dev.drrs.protocol.MegaphoneStrategy;
import dev.drrs.protocol.ReferenceStrategy;
import dev.drrs.protocol.RemoteStrategy;
import java.time.Duration;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;

/** Options of the plug-in, in the cluster configuration or per job; the job's value wins. */
public final class DrrsOptions {

    public static final ConfigOption<Boolean> ENABLED =
            key("drrs.enabled")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Makes a job elastic: its supported keyed operators can be rescaled while it runs.");

    public static final ConfigOption<String> OPERATORS =
            key("drrs.operators")
                    .stringType()
                    .defaultValue("*")
                    .withDescription(
                            "Which keyed operators are elastic: * for all that are supported, or a list of uids or names"
                                    + " separated by semicolons.");

    public static final ConfigOption<String> TRUSTED =
            key("drrs.operators.trusted")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Classes that the job vouches for, separated by semicolons; com.acme.* is for all below that package:"
                                    + " operators, factories of operators, and functions that take part in checkpoints, which keep no"
                                    + " record, keyed state or event time of their own that a rescale would have to know of. What is"
                                    + " known of Flink's own operators is in operators.md; what is refused there stays refused.");

    public static final ConfigOption<String> REOPEN =
            key("drrs.functions.reopen")
                    .stringType()
                    .defaultValue("never")
                    .withDescription(
                            "For functions that keep in fields what is in keyed state as well: a subtask that gets key groups back"
                                    + " which it had before closes its function and opens a new instance. never; on-return for all"
                                    + " elastic operators; or a list of uids or names of those, separated by semicolons.");

    public static final ConfigOption<Integer> CEILING =
            key("drrs.ceiling")
                    .intType()
                    .noDefaultValue()
                    .withDescription(
                            "Highest parallelism that an elastic operator can be given while the job runs. Default: four times"
                                    + " its configured parallelism, at least 8; never above its max parallelism.");

    public static final ConfigOption<Boolean> CHECK_SLOTS =
            key("drrs.provisioning.check-slots")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Refuse a request when the cluster has too few free slots now. Without effect where the resource"
                                    + " manager starts TaskManagers by itself.");

    public static final ConfigOption<Duration> PROVISIONING_TIMEOUT =
            key("drrs.provisioning.timeout")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(2))
                    .withDescription(
                            "How long slots, deployment and connections of new subtasks may take before the request ends.");

    public static final ConfigOption<Duration> RETIREMENT_TIMEOUT =
            key("drrs.retirement.timeout")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(10))
                    .withDescription(
                            "How long subtasks without key groups may take to end, a checkpoint included. After that they stay"
                                    + " as they are, active and empty.");

    public static final ConfigOption<Boolean> CHECK_HEAP =
            key("drrs.provisioning.check-heap")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "End a rescale before key groups move if a TaskManager has too little free heap for those that it"
                                    + " would get. Both numbers are estimates; garbage counts as used where the JVM was told to"
                                    + " ignore System.gc().");

    public static final ConfigOption<Duration> CHECKPOINT_HOLD =
            key("drrs.checkpoint.hold")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(10))
                    .withDescription(
                            "How long a periodic checkpoint that is due is held back while key groups move, as none starts to"
                                    + " move during one; never longer than the job's checkpoint time-out. Then it is taken between"
                                    + " two steps of the rescale. When the last key group has moved it waits for as long again as"
                                    + " they moved, 3 s at most and within the same bound: what has piled up at one subtask would"
                                    + " hold up the results of all. Savepoints and checkpoints that somebody asks for are not held."
                                    + " 0 = hold back none.");

    public static final ConfigOption<Duration> CHECKPOINT_PATIENCE =
            key("drrs.checkpoint.patience")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(30))
                    .withDescription(
                            "How long a step of a rescale waits for a checkpoint that is under way. One that takes longer, as"
                                    + " aligned checkpoints do under back pressure, is cancelled without counting as a failure, and"
                                    + " another one follows the step. More than a checkpoint usually takes. Savepoints are not"
                                    + " cancelled; the time-outs of the rescale hold while it waits for them.");

    public static final ConfigOption<Duration> MIGRATION_TIMEOUT =
            key("drrs.migration.timeout")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(10))
                    .withDescription(
                            "How long the key groups may take to move before the rescale is turned back.");

    public static final ConfigOption<Double> LOST_SERVICE =
            key("drrs.migration.lost-service")
                    .doubleType()
                    .defaultValue(0.25)
                    .withDescription(
                            "What share of its time a subtask spends on what comes from other subtasks in a rescale while"
                                    + " records wait in its channels, above 0 and at most 1. Each piece of 3 ms is"
                                    + " followed by so much time for its own records; as long as none wait there is no pause."
                                    + " On a machine without free cores the threads that write out key groups keep to it too,"
                                    + " or to a half if that is more for key groups that a new owner has asked for. Default: at a load of 60 %,"
                                    + " where the 99th percentile of the latency may rise to 1.5 times its value, a quarter"
                                    + " leaves 15 % free, so that what waited for one piece is worked off before the next."
                                    + " 1 = no pause.");

    /** What follows a failover in a rescale. */
    public enum AfterFailover {
        RESUME,
        ROLL_BACK
    }

    public static final ConfigOption<AfterFailover> AFTER_FAILOVER =
            key("drrs.after-failover")
                    .enumType(AfterFailover.class)
                    .defaultValue(AfterFailover.RESUME)
                    .withDescription(
                            "Where a rescale goes that a failover fell into, once the job runs again: to the wanted"
                                    + " placement, or back to the old one. Where resuming fails it is rolled back.");

    public static final ConfigOption<Integer> FAILOVER_ATTEMPTS =
            key("drrs.after-failover.attempts")
                    .intType()
                    .defaultValue(3)
                    .withDescription(
                            "How many failovers may fall into a rescale and those that go on with it, before it is turned back"
                                    + " to the old placement; then as many again before the operator is left as it is."
                                    + " Failures that a rescale causes itself do not count for the job's restart strategy.");

    public static final ConfigOption<Integer> SUBSCALE_CONCURRENCY =
            key(DrrsStrategy.SUBSCALE_CONCURRENCY)
                    .intType()
                    .defaultValue(DrrsStrategy.DEFAULT_SUBSCALE_CONCURRENCY)
                    .withDescription(
                            "How many started subscales a subtask takes part in at a time.");

    public static final ConfigOption<Integer> SUBSCALE_KEY_GROUPS =
            key(DrrsStrategy.SUBSCALE_KEY_GROUPS)
                    .intType()
                    .defaultValue(DrrsStrategy.DEFAULT_SUBSCALE_KEY_GROUPS)
                    .withDescription(
                            "How many key groups a subscale has at most; each waits for those that go with it. Where more than"
                                    + " 512 subscales would come of it they have more, as each costs messages to all"
                                    + " predecessors.");

    public static final ConfigOption<Integer> NODE_CONCURRENCY =
            key(DrrsStrategy.NODE_CONCURRENCY)
                    .intType()
                    .defaultValue(DrrsStrategy.DEFAULT_NODE_CONCURRENCY)
                    .withDescription(
                            "How many started subscales of a rescale may have an owner on the same node (taskmanager.node-id,"
                                    + " by default the host) at a time. They share its cores, and a record waits the longer the"
                                    + " more there are.");

    public static final ConfigOption<Integer> WARM_UP =
            key(DrrsStrategy.WARM_UP)
                    .intType()
                    .defaultValue(DrrsStrategy.DEFAULT_WARM_UP)
                    .withDescription(
                            "How many subscales of a rescale a subtask has to be through with before it takes part in"
                                    + " several at a time. The first ones meet code and exchanges that have not run yet; those"
                                    + " that do so together each take as long as all of them. 0 = none.");

    public static final ConfigOption<Integer> PULL_WINDOW =
            key(DrrsStrategy.PULL_WINDOW)
                    .intType()
                    .defaultValue(DrrsStrategy.DEFAULT_PULL_WINDOW)
                    .withDescription(
                            "How many key groups, or bins of a large one, a subscale's new owner asks for ahead.");

    public static final ConfigOption<Long> SET_ASIDE_RECORDS =
            key(DrrsStrategy.SET_ASIDE_RECORDS)
                    .longType()
                    .defaultValue(DrrsStrategy.DEFAULT_SET_ASIDE_RECORDS)
                    .withDescription(
                            "How many elements a subtask sets aside before it stops reading the channel they come from; the"
                                    + " buffer at hand is still taken. With 0 a channel waits as soon as something is set aside"
                                    + " on it, and the others are read on; drrs.strategy.record-scheduling stops those too.");

    public static final ConfigOption<MemorySize> SET_ASIDE_BYTES =
            key(DrrsStrategy.SET_ASIDE_BYTES)
                    .memoryType()
                    .defaultValue(new MemorySize(DrrsStrategy.DEFAULT_SET_ASIDE_BYTES))
                    .withDescription(
                            "How many bytes, estimated from samples, a subtask sets aside before it stops reading the channel"
                                    + " they come from.");

    public static final ConfigOption<Boolean> DECOUPLING =
            key(DrrsStrategy.DECOUPLING)
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "For comparisons. false: key groups leave their subtask only when the signal of all predecessors"
                                    + " has come to it, in order behind what they have sent before; the channels that have"
                                    + " brought it wait for the others.");

    public static final ConfigOption<Boolean> RECORD_SCHEDULING =
            key(DrrsStrategy.RECORD_SCHEDULING)
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "For comparisons. false: nothing overtakes a record whose state is still to come, so the subtask"
                                    + " stands until it is there. suspension_ms of the status has it.");

    public static final ConfigOption<Boolean> SUBSCALE_DIVISION =
            key(DrrsStrategy.SUBSCALE_DIVISION)
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "For comparisons. false: all key groups of two subtasks move as one subscale, whatever its size and"
                                    + " whatever subscales a request brings.");

    public static final ConfigOption<Integer> MECES_BATCH =
            key(MecesStrategy.BATCH)
                    .intType()
                    .defaultValue(MecesStrategy.DEFAULT_BATCH)
                    .withDescription(
                            "Strategy meces: how many key groups move in a step, whoever their subtasks are.");

    public static final ConfigOption<MemorySize> BINS_FROM =
            key(DrrsStrategy.BINS_FROM)
                    .memoryType()
                    .defaultValue(new MemorySize(DrrsStrategy.DEFAULT_BINS_FROM))
                    .withDescription(
                            "A key group of more serialized state than this, estimated from samples, is divided into bins by a"
                                    + " second hash of the key. Those come first that records wait for, and a record waits for its bin"
                                    + " and those of the records before it in its channel. One that was copied ahead comes as a whole: what has changed since is"
                                    + " little.");

    public static final ConfigOption<MemorySize> BINS_SIZE =
            key(DrrsStrategy.BINS_SIZE)
                    .memoryType()
                    .defaultValue(new MemorySize(DrrsStrategy.DEFAULT_BINS_SIZE))
                    .withDescription(
                            "About how large a bin of such a key group is, with no more than 1024 of them. A key whose own state is"
                                    + " larger is not divided. 0 = all key groups come as a whole.");

    public static final ConfigOption<Integer> MECES_BINS =
            key(MecesStrategy.BINS)
                    .intType()
                    .defaultValue(MecesStrategy.DEFAULT_BINS)
                    .withDescription(
                            "Strategy meces: into how many bins the state of a key group is divided, by a second hash of the"
                                    + " key. A record waits for its bin only. 1: key groups come as a whole.");

    public static final ConfigOption<Boolean> LAZY_BACKGROUND =
            key(LazyStrategy.BACKGROUND)
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Strategy lazy: whether state that no record and no timer needs follows in the background. If not it"
                                    + " stays until a checkpoint is due, which is held back for drrs.checkpoint.hold at first, a"
                                    + " savepoint is asked for, a source ends or the rescale is aborted; the rescale ends then.");

    public static final ConfigOption<Integer> LAZY_BATCH =
            key(LazyStrategy.BATCH)
                    .intType()
                    .defaultValue(LazyStrategy.DEFAULT_BATCH)
                    .withDescription(
                            "Strategy lazy: how many bins two subtasks have on their way in the background at a time. What a"
                                    + " record or timer needs waits behind no more than that.");

    public static final ConfigOption<Integer> LAZY_BINS =
            key(LazyStrategy.BINS)
                    .intType()
                    .defaultValue(LazyStrategy.DEFAULT_BINS)
                    .withDescription(
                            "Strategy lazy: into how many bins the state of a key group is divided, by a second hash of the"
                                    + " key. They are fetched one by one. 1: key groups come as a whole.");

    public static final ConfigOption<Long> LAZY_SET_ASIDE_RECORDS =
            setAsideRecords(LazyStrategy.SET_ASIDE_RECORDS, "lazy");

    public static final ConfigOption<MemorySize> LAZY_SET_ASIDE_BYTES =
            setAsideBytes(LazyStrategy.SET_ASIDE_BYTES, "lazy");

    public static final ConfigOption<String> REMOTE_DIRECTORY =
            key("drrs.remote.directory")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Strategy remote: a directory of a file system that all TaskManagers and the JobManager reach, for"
                                    + " state on its way, and that no other cluster uses; each job has a directory of its own"
                                    + " there. Default: one in the directory of the job's checkpoints. Not for a single request.");

    public static final ConfigOption<Integer> REMOTE_KEY_GROUPS =
            key(RemoteStrategy.KEY_GROUPS)
                    .intType()
                    .defaultValue(RemoteStrategy.DEFAULT_KEY_GROUPS)
                    .withDescription(
                            "Strategy remote: how many key groups of the same two subtasks move under signals of their own. A"
                                    + " record that came through the old owner and waits for its file holds up what came"
                                    + " behind it of these, so 1 keeps a slow storage to the key groups that wait for it;"
                                    + " more are less signals where there are very many key groups.");

    public static final ConfigOption<Integer> REMOTE_BATCH =
            key(RemoteStrategy.BATCH)
                    .intType()
                    .defaultValue(RemoteStrategy.DEFAULT_BATCH)
                    .withDescription(
                            "Strategy remote: how many parts of a subscale are on their way in the background at a time, and how"
                                    + " many files a subtask reads at a time.");

    public static final ConfigOption<Integer> REMOTE_BINS =
            key(RemoteStrategy.BINS)
                    .intType()
                    .defaultValue(RemoteStrategy.DEFAULT_BINS)
                    .withDescription(
                            "Strategy remote: into how many bins the state of a key group is divided, by a second hash of the"
                                    + " key. Each has a file of its own. 1: key groups come as a whole.");

    public static final ConfigOption<Long> REMOTE_SET_ASIDE_RECORDS =
            setAsideRecords(RemoteStrategy.SET_ASIDE_RECORDS, "remote");

    public static final ConfigOption<MemorySize> REMOTE_SET_ASIDE_BYTES =
            setAsideBytes(RemoteStrategy.SET_ASIDE_BYTES, "remote");

    public static final ConfigOption<Integer> MEGAPHONE_BATCH =
            key(MegaphoneStrategy.BATCH)
                    .intType()
                    .defaultValue(MegaphoneStrategy.DEFAULT_BATCH)
                    .withDescription(
                            "Strategy megaphone: how many key groups of the same two subtasks move in a step. 1 is its fluid"
                                    + " migration.");

    public static final ConfigOption<Long> REFERENCE_ROUND =
            key(ReferenceStrategy.ROUND)
                    .longType()
                    .defaultValue(ReferenceStrategy.DEFAULT_ROUND)
                    .withDescription(
                            "Strategy reference: milliseconds from one round to the next; one subscale starts in each.");

    public static final ConfigOption<Integer> REFERENCE_SUBSCALE_CONCURRENCY =
            key(ReferenceStrategy.SUBSCALE_CONCURRENCY)
                    .intType()
                    .defaultValue(ReferenceStrategy.DEFAULT_SUBSCALE_CONCURRENCY)
                    .withDescription(
                            "Strategy reference: how many started subscales a subtask takes part in at a time.");

    public static final ConfigOption<Integer> REFERENCE_SUBSCALE_KEY_GROUPS =
            key(ReferenceStrategy.SUBSCALE_KEY_GROUPS)
                    .intType()
                    .defaultValue(ReferenceStrategy.DEFAULT_SUBSCALE_KEY_GROUPS)
                    .withDescription(
                            "Strategy reference: how many key groups a subscale has at least, where two subtasks exchange as"
                                    + " many; it has half of what two exchange in the mean if that is more.");

    public static final ConfigOption<Integer> REFERENCE_PULL_WINDOW =
            key(ReferenceStrategy.PULL_WINDOW)
                    .intType()
                    .defaultValue(ReferenceStrategy.DEFAULT_PULL_WINDOW)
                    .withDescription(
                            "Strategy reference: how many key groups a subscale's new owner asks for ahead.");

    public static final ConfigOption<Long> REFERENCE_SET_ASIDE_RECORDS =
            key(ReferenceStrategy.SET_ASIDE_RECORDS)
                    .longType()
                    .defaultValue(ReferenceStrategy.DEFAULT_SET_ASIDE_RECORDS)
                    .withDescription(
                            "Strategy reference: at how many records that are set aside a subtask stands.");

    public static final ConfigOption<MemorySize> REFERENCE_REROUTE_BYTES =
            key(ReferenceStrategy.REROUTE_BYTES)
                    .memoryType()
                    .defaultValue(new MemorySize(ReferenceStrategy.DEFAULT_REROUTE_BYTES))
                    .withDescription(
                            "Strategy reference: how much of what is re-routed of a subscale travels together. 0 = each record"
                                    + " by itself.");

    public static final ConfigOption<Long> REFERENCE_REROUTE_TIMEOUT =
            key(ReferenceStrategy.REROUTE_TIMEOUT)
                    .longType()
                    .defaultValue(ReferenceStrategy.DEFAULT_REROUTE_TIMEOUT)
                    .withDescription(
                            "Strategy reference: after how many milliseconds it is sent on if it is less.");

    public static final ConfigOption<Boolean> COPY_AHEAD =
            key(DrrsStrategy.COPY_AHEAD)
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Send a copy of the key groups' state before they leave their subtask, so that a key waits only"
                                    + " for what has changed since. Entries that are used meanwhile are copied on their first"
                                    + " use, as while a checkpoint is written.");

    public static final ConfigOption<MemorySize> COPY_AHEAD_WINDOW =
            key(DrrsStrategy.COPY_AHEAD_WINDOW)
                    .memoryType()
                    .defaultValue(new MemorySize(DrrsStrategy.DEFAULT_COPY_AHEAD_WINDOW))
                    .withDescription(
                            "How many bytes of state on the heap, estimated from samples, a subtask copies ahead at a time; a"
                                    + " subscale that is larger goes alone. So much state is there twice, within one"
                                    + " TaskManager three times.");

    public static final ConfigOption<MemorySize> COPY_AHEAD_RATE =
            key(DrrsStrategy.COPY_AHEAD_RATE)
                    .memoryType()
                    .defaultValue(MemorySize.ZERO)
                    .withDescription(
                            "How many bytes per second of serialized state a subtask sends ahead; 0 = as many as it can. A"
                                    + " key group moves when its copy has been sent, so a low rate makes a rescale longer.");

    public static final ConfigOption<MemorySize> EXCHANGE_SIGNAL_MEMORY =
            key("drrs.exchange.signal-memory")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(8))
                    .withDescription(
                            "How many bytes of re-routed records and signals may wait for the peer exchange before the old owner"
                                    + " stops reading the channels they come from. As many may wait at a subtask, of all that"
                                    + " has come over its exchanges, before it stops reading those.");

    public static final ConfigOption<MemorySize> EXCHANGE_STATE_MEMORY =
            key("drrs.exchange.state-memory")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(4))
                    .withDescription(
                            "How many bytes of serialized state may wait for the peer exchange.");

    public static final ConfigOption<MemorySize> STATE_CHUNK =
            key("drrs.exchange.state-chunk")
                    .memoryType()
                    .defaultValue(new MemorySize(32 << 10))
                    .withDescription("Size of the pieces that a key group's state travels in.");

    public static final ConfigOption<MemorySize> REQUEST_SIZE =
            key("drrs.rest.max-request-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(1))
                    .withDescription("Largest body that the plug-in's REST endpoints take.");

    public static final ConfigOption<Integer> HISTORY_SIZE =
            key("drrs.history.size")
                    .intType()
                    .defaultValue(50)
                    .withDescription("How many ended rescales a job remembers.");

    public static final ConfigOption<Integer> EXCHANGE_PROBE =
            key("drrs.exchange.probe-mebibytes")
                    .intType()
                    .defaultValue(0)
                    .withDescription(
                            "Megabytes of filler to send over the first peer exchange of a rescale before key groups move, to"
                                    + " measure its raw throughput; 0 = none. For benchmarks.");

    public static final ConfigOption<Boolean> REHEARSAL =
            key("drrs.rehearsal")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Load and run once in each TaskManager, some seconds after its start, what a rescale will"
                                    + " need, so that the first one finds it warm: over the TaskManager's network with"
                                    + " itself, with state of its own, about a quarter of the time of a core and 60 seconds"
                                    + " at most; and likewise in the JobManager, when the first elastic job has started."
                                    + " Key groups that move meanwhile end it. false in the cluster configuration: only"
                                    + " where a job that asks for it has a task. pyctl doctor shows what became of it.");

    public static final ConfigOption<Duration> REHEARSAL_PATIENCE =
            key("drrs.rehearsal.patience")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(2))
                    .withDescription(
                            "How long a rescale waits, before key groups move, for the rehearsals that are still under way"
                                    + " in the TaskManagers of new subtasks; they take no rests then. No record waits"
                                    + " meanwhile. 0 = the first key group that moves ends them.");

    private DrrsOptions() {}

    private static ConfigOption<Long> setAsideRecords(String option, String strategy) {
        return key(option)
                .longType()
                .defaultValue(DrrsStrategy.DEFAULT_SET_ASIDE_RECORDS)
                .withDescription(
                        "Strategy "
                                + strategy
                                + ": how many records a subtask sets aside while their state is on its way, before it"
                                + " stops reading the channels that they come from.");
    }

    private static ConfigOption<MemorySize> setAsideBytes(String option, String strategy) {
        return key(option)
                .memoryType()
                .defaultValue(new MemorySize(DrrsStrategy.DEFAULT_SET_ASIDE_BYTES))
                .withDescription(
                        "Strategy "
                                + strategy
                                + ": as drrs."
                                + strategy
                                + ".set-aside.records, in bytes.");
    }
}
