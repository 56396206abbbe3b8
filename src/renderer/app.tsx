/** The window's content. */
export function App() {
  return <h1>Troupe</h1>
}
