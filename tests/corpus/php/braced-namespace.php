<?php
namespace A {
    function f() {}
}
namespace B {
    function f() {}
}
