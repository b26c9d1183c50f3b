class T {
    fun `does a thing`() {
        check(1)
    }
}
