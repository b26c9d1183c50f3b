/** The page. */
export function Page({ items }: Props) {
  const save = async () => {
    await send();
  };

  const Row: FC<{ a: string }> = ({ a }) => <li>{a}</li>;
  return (
    <ul onClick={save}>
      {items.map((a) => (<Row a={a} key={a} />))}
    </ul>
  );
}
