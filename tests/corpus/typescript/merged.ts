interface A { a: 1 }
interface A { b: 2 }
function A() {}
