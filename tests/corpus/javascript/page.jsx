export const Page = () => {
  function Row({ a }) {
    return <li key={a}>é {a} 😀</li>;
  }
  return <ul>{[1].map((a) => <Row a={a} />)}</ul>;
};
