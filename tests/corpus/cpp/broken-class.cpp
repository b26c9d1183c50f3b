class { ( ] template <<<< } }
