package p

// é
var π = "😀"

func ü() {}
