class { ( ] namespace } } =>
