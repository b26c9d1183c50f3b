func ( ] { class } } ->
