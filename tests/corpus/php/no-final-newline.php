<?php
class É { function f() { return '😀'; } }
function g() {}