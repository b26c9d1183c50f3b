#pragma once
#include <vector>

namespace app {
inline namespace v1 {

template <typename T, int N = 3>
class Store : public Base<T> {
 public:
  Store() = default;
  explicit Store(int n) : size_(n) {}
  ~Store();
  Store(const Store&) = delete;

  // The size.
  [[nodiscard]] int size() const noexcept { return size_; }
  virtual void draw() const = 0;
  bool operator==(const Store& other) const;
  T& operator[](int i);
  static int count;

 private:
  int size_ = 0;
  struct Node { int v; Node* next; };
  enum class Mode { A, B };
};

template <typename T, int N>
Store<T, N>::~Store() {}

template <typename T, int N>
bool Store<T, N>::operator==(const Store& other) const { return true; }

int over(int a);
int over(double a);
int over(int a) { return a; }

}  // namespace v1
namespace a::b { void nested() { auto f = [](int x) { return x; }; } }
}  // namespace app

using Alias = std::vector<int>;
constexpr int kLimit = 10;
extern "C" int plain(void);
const char* raw = R"(class NotAClass {)";
