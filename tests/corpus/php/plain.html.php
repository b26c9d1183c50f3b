<p>no code</p>
