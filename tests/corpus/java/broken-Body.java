class { { void ( } ) ;
