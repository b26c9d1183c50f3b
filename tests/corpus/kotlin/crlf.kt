package app.core

import java.io.File

/** A store. */
@Suppress("x")
class Store<T : Any>(val name: String, private var size: Int = 0) : Base(), Shape {
    val x = 1
    var y: Int = 2
        private set

    init {
        println(name)
    }

    constructor(name: String) : this(name, 1) {
        println(1)
    }

    companion object {
        const val LIMIT = 10

        @JvmStatic
        fun make(): Store<Int> = Store("a")
    }

    // Runs.
    override fun run(a: Int): Int {
        fun inner(): Int = 1
        val text = """
class NotAClass {
"""
        return inner()
    }

    fun run(a: String) = 2

    inner class Node {
        fun f() {}
    }
}

interface Shape {
    fun area(): Double
}

object Single {
    fun only() = 1
}

enum class Colour(val v: Int) {
    RED(1),
    GREEN(2);

    fun shade() = v
}

data class Point(val x: Int, val y: Int)
typealias Alias = Store<Int>
fun String.shout(): String = uppercase()
val top = 1
suspend fun later() {
    delay(1)
}
