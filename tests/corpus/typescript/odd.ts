import { x } from './x';

/** A component. */
@Component({
  selector: 'app',
})
export class App<T extends object> implements OnInit {
  @Input() name!: string;
  private readonly list: Map<string, T[]> = new Map();
  constructor(private http: Http) {}
  over(a: string): void;
  over(a: number): void;
  over(a: any): void { return; }
  get value(): T { return this._v; }
}
export abstract class Shape { abstract area(): number; protected f = () => 1; }
export interface Props extends Base { a?: string; readonly b: number; call(x: number): void; }
export type Fn<T> = (x: T) => T extends string ? 1 : 2;
export enum Colour { Red = 'r', Green = 'g' }
export const enum Flags { A = 1 << 0 }
declare global { interface Window { foo: string } }
declare module 'some-module' { export function f(): void; }
export namespace A.B { export const c = 1; export function d() {} }
export function overloaded(a: string): string;
export function overloaded(a: any): any { return a satisfies any; }
export const later = async <T,>(x: T): Promise<T> => x;
declare const injected: number;
