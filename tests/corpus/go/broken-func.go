package
func ( ( {{ ]
