template <typename T>
concept Small = sizeof(T) < 8;

template <Small T>
void f(T t) {}
