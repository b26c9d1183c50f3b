struct É {
    func f() -> String { return "😀" }
}