<?php class { ( ] function } } =>
