package dev.drrs.gateway.shapes;

/**
 * What a head puts out: a POJO. The lane says how it is compared, what branch it is of and what it is, as
 * {@code s.0.elements}. The first letter: {@code s}, the results of a key come in this order; {@code n}, the numbers of a key are 1,
 * 2, 3 .. and the texts come in any order; {@code r}, the numbers of a key never go down, and the last is this one;
 * {@code u}, they never go down; {@code g}, each is one more than the one before; {@code m}, results come in any order.
 */
public class Result {
    public String lane;
    public long key;
    public long number;
    public String text;

    public Result() {}

    Result(String lane, long key, long number, String text) {
        this.lane = lane;
        this.key = key;
        this.number = number;
        this.text = text;
    }

    Result copy() {
        return new Result(lane, key, number, text);
    }

    char judged() {
        return lane.charAt(0);
    }

    @Override
    public String toString() {
        return lane + "|" + key + "|" + number + "|" + text;
    }
}
