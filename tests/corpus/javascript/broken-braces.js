}}}} function ( { ]
