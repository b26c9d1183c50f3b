class E
	def f; "é😀"; end
	def é; end
end