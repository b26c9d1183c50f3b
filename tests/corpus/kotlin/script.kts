val x = 1
fun f() = x
println(f())
