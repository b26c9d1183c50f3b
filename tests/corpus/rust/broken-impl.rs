impl { fn ( } } ] struct
