import Foundation

/// A store.
@objc
public final class Store<T: Equatable>: NSObject, Codable {
    public private(set) var name: String = "a"
    let size: Int
    static let shared = 1
    lazy var later: Int = { 1 }()

    var computed: Int {
        return size
    }

    init(size: Int) {
        self.size = size
    }

    convenience init?(text: String) { return nil }

    deinit { print("x") }

    // Runs.
    @discardableResult
    func run(_ a: Int, with b: String = "x") -> Int {
        func inner() -> Int { return 1 }
        let text = """
        class NotAClass {
        """
        return inner()
    }

    func run(_ a: String) -> Int { return 2 }

    static func make() {}

    subscript(i: Int) -> Int { return i }

    enum Mode { case a, b(Int)
        func f() {}
    }
}

extension Store: Shape {
    func area() -> Double { return 1.0 }
}

extension Store where T == Int {
    func onlyInt() {}
}

protocol Shape {
    var sides: Int { get }
    func area() -> Double
}

struct Small { var x = 1 }
typealias Alias = Store<Int>
let top = 1
func free<T>(_ x: T) where T: Equatable {}
