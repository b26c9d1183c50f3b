int f( { ) ] } } (
