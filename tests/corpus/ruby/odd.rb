# frozen_string_literal: true

# A module.
module App
  LIMIT = 10
  NAMES = %w[a b].freeze

  # A store.
  class Store < Base::Thing
    attr_reader :name, :size
    include Comparable

    class << self
      def build(*args) = new(*args)

      # of make
      def make
        new
      end
    end

    def self.open(path)
      File.open(path) do |f|
        yield f
      end
    end

    def initialize(name: nil, **rest, &block)
      @name = name
      text = <<~EOS
        def not_a_method
      EOS
      sql = <<-SQL
        class NotAClass
      SQL
    end

    def <=>(other) = name <=> other.name
    def empty?; end
    def name=(value)
      @name = value
    end
    def [](key)
      1
    rescue StandardError => e
      2
    ensure
      3
    end

    private def hidden
      1
    end
  end

  class Store
    def again; 1; end
  end

  class Other::Deep; end
end

def top(a, b = 1) # behind
  a
end
