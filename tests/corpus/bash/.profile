PATH=/x
alias a=b
