export const Box = <T,>(p: { x: T }) => <b>{String(p.x)}</b>;
export class V extends C<P> { render() { return <>é😀</>; } }
