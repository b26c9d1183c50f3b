using System;
Console.WriteLine(1);
int Add(int a) => a;
class A { }
