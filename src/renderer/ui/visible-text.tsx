/** Text in which characters that would not be seen are spelt out. */
import { visibleRuns } from './hidden-characters.ts'
import styles from './visible-text.module.css'

/** Shows the text as it is, with a small mark in place of each hidden character. */
export function VisibleText({ children }: { readonly children: string }) {
  const runs = visibleRuns(children)
  if (runs.length === 1 && runs[0]?.kind === 'text') return children
  let offset = 0
  return runs.map((run) => {
    const key = offset
    offset += run.text.length
    if (run.kind === 'text') return run.text
    return (
      <span key={key} className={styles.hidden} title={`A character that is not seen: ${run.label}`}>
        {run.label}
      </span>
    )
  })
}
