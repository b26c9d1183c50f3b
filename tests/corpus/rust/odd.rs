//! The crate.
#![allow(dead_code)]

use std::fmt;

/// A point.
#[derive(Debug, Clone)]
pub struct Point<T> {
    /// x
    pub x: T,
    y: T,
}

pub struct Unit;
struct Pair(i32, i32);

impl<T: Copy> Point<T> {
    pub const ZERO: i32 = 0;

    /// Makes one.
    #[inline]
    pub fn new(x: T) -> Self {
        fn helper() {}
        Self { x, y: x }
    }
}

impl<T> Point<T> {
    async unsafe fn other(&self) {}
}

impl<T: fmt::Display> fmt::Display for Point<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{}", self.x) }
}

impl<T> fmt::Debug for Wrapper<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }
}

pub trait Shape {
    type Out;
    const N: usize = 1;
    fn area(&self) -> f64;
    fn twice(&self) -> f64 { self.area() * 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works() { let s = r#"fn no() {}"#; }
}

mod elsewhere;
enum Kind { A, B(i32), C { x: i32 } }
static mut COUNT: u32 = 0;
type Short = Point<u8>;
macro_rules! make { ($n:ident) => { fn $n() {} }; }
extern "C" { fn puts(s: *const u8); }
