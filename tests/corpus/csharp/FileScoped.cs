namespace A.B;

class C
{
    void F() { }
}
