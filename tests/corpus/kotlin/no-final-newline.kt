fun f(): String {
    return "😀"
}

fun é() = 1