import type { TranscriptRow } from '../../../../shared/events/transcript-row.ts'

/** The rows of a transcript in short: what they are, and the first line of their text. */
export const shortRows = (rows: readonly TranscriptRow[] = []): readonly string[] =>
  rows.map((row) => {
    if (row.kind === 'tool') return `${row.name} ${row.summary}: ${row.status} ${JSON.stringify(row.content)}`
    if (row.kind === 'agents') return `agents ${row.toolUseIds.join(', ')}`
    return 'text' in row ? `${row.kind} ${row.text.split('\n')[0]}` : row.kind
  })
