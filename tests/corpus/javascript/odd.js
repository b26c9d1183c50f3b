#!/usr/bin/env node
'use strict';
// Apart.

/**
 * The class.
 */
export default class Store extends Base {
  static #count = 0;
  name = 'x';
  handler = (event) => {
    const inner = function () { return `a ${event} b
class NotAClass {}
`; };
    return inner;
  };

  constructor(a, b = {}) { super(a); }

  get size() { return this.#size; }
  set size(v) { this.#size = v }
  async *[Symbol.iterator]() {}
  'quoted name'() {}
}

const api = {
  get() { return 1; },
  // about post
  post: async () => 2,
  n: 1,
};

export const arrow = x => ({ x });
export function* generate() { yield /re[/]x{2}/g; }
let a = 1, b = 2;
var old = function named() {};
module.exports.run = function () {};
Store.prototype.late = function () {};
if (x) { function conditional() {} }
(function () { function hidden() {} })();
