export class A {
	f(): void {}
	g = 1
}