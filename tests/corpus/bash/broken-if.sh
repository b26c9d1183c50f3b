if then ( ) } ;; esac <<
