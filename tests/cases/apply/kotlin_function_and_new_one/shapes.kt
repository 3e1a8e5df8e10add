package shapes

class Shape(val side: Int) {
    /** The area. */
    fun area(scale: Int): Int {
        return side * side * scale
    }

    fun edge(): Int {
        return side
    }
}

fun main() {
    println(Shape(2).area(3))
}
