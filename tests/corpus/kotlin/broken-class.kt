class { ( ] fun } } ->
