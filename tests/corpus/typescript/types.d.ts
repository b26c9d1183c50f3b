export declare function f(a: string): void;
export declare class A {
  f(): void;
}
