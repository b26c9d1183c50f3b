def ( class [ end end }
