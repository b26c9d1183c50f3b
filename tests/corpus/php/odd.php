<!DOCTYPE html>
<h1><?= $title ?></h1>
<?php
declare(strict_types=1);

namespace App\Core;

use Other\Thing;

const LIMIT = 10;

/**
 * A store.
 */
#[Entity(name: 'store')]
final class Store extends Base implements \Countable
{
    use SomeTrait;

    public const A = 1;
    private ?string $name = null;
    public static int $count = 0;

    public function __construct(private readonly int $x, string ...$rest)
    {
        $f = function () use ($x) { return fn($y) => $y; };
        $text = <<<EOT
        class NotAClass {
        EOT;
    }

    // of count
    public function count(): int { return 1; }
    abstract protected function later(): void;
}

interface Shape { public function area(): float; }
trait Helper { private function help() { return '}'; } }
enum Suit: string { case A = 'a'; public function label(): string { return 'x'; } }
function top(array &$a = []) { function nested() {} return $a; }
?>
<p>function notAFunction() {}</p>
