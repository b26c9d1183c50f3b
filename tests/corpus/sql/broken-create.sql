CREATE TABLE ( ( ] ;; )) FROM
