using System;

namespace App.Core
{
    /// <summary>A store.</summary>
    [Serializable]
    [Obsolete("x")]
    public partial class Store<T> : Base, IDisposable where T : class
    {
        private readonly int _x = 1, _y;
        public const int Limit = 10;
        public event EventHandler Changed;
        public string Name { get; set; } = "a";
        public int Size => _x;
        public int this[int i] { get => i; }

        public Store() { }
        public Store(int x) : this() { _x = x; }
        ~Store() { }

        public int Over(int a) => a;
        public int Over(string a)
        {
            int Local() { return 1; }
            var s = @"class NotAClass
{";
            return Local();
        }
        public static Store<T> operator +(Store<T> a, Store<T> b) => a;
        public delegate void Handler(int x);
        #region inner
        private enum Mode { A, B }
        #endregion
    }

    public partial class Store<T> { void More() { } }
    public record Point(int X, int Y);
    public record struct Pair { public int A; }
    public interface IThing { void Do(); int P { get; } }
    public struct Small { public int A; }
}
