module A
end

class B; end

def c
end
