export const A = memo(function A() {
  const f = () => 1;
  return <i>{f()}</i>;
});
