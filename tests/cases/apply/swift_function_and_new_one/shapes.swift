import Foundation

struct Shape {
    let side: Int

    /// The area.
    func area(scale: Int) -> Int {
        return side * side * scale
    }

    func edge() -> Int {
        return side
    }
}

func main() {
    print(Shape(side: 2).area(scale: 3))
}
