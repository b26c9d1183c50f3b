package a.b;

import java.util.*;

/**
 * The class.
 */
@SuppressWarnings("x")
public final class Store<T extends Comparable<T>> extends Base implements Runnable {
    static final int LIMIT = 1;
    private int x = 1, y;

    static { System.out.println(); }

    /** Makes it. */
    public Store() { this(1); }
    public Store(int x) { this.x = x; }

    @Override
    public void run() {
        Runnable r = new Runnable() { @Override public void run() {} };
        String s = """
            class NotAClass {
            """;
    }

    int over(int a) { return a; }
    int over(String a) { return 1; }

    enum Colour { RED { void f() {} }, GREEN; void f() {} }
    record Point(int x, int y) { Point { } static int z() { return 1; } }
    interface Inner { int K = 1; void m(); default int d() { return 1; } }
    @interface Mark { int value() default 1; }
}
